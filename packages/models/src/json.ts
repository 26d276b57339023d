import type { Json } from '@waymark/contract';
import { quoteUnkept } from '@waymark/contract/text';
import { maxJsonLevels } from '@waymark/contract/tools';

/** An object that came as JSON, or goes as JSON. */
export type JsonObject = { readonly [key: string]: Json | undefined };

/** Whether a value is an object with members. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The objects of a list; none where there is no list. */
export function objectsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** A text, or undefined for anything else and for an empty one. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** No model reads or writes as much; with a price of the highest a cost is still a whole number. */
const maxCount = 1_000_000_000;

/** A count of tokens; undefined for what is none. */
export function countOf(value: unknown): number | undefined {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= maxCount
    ? Number(value)
    : undefined;
}

/**
 * Parses JSON; undefined when it is none, or too deep. A number that is not kept as it is, such as a whole one beyond 2^53, is
 * read as a string: an order that a model names must not become another one.
 */
export function parseJson(text: string): Json | undefined {
  try {
    const value = JSON.parse(quoteUnkept(text)) as Json;
    return canBeWritten(value, maxJsonLevels) ? value : undefined;
  } catch {
    return undefined;
  }
}

function canBeWritten(value: Json | undefined, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'number' || Number.isFinite(value);
  return levels > 0 && Object.values(value).every((inner) => canBeWritten(inner, levels - 1));
}
