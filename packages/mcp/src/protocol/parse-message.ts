import { isUtf8 } from 'node:buffer';
import {
  jsonExcess,
  jsonPieces,
  markUnkept,
  markUnkeptPieces,
  mayNamePrototype,
} from '@waymark/contract/http';
import { isRecord } from './envelope.ts';

/** The parsed body, or the rule it breaks. */
export type ParsedMessage =
  | { readonly ok: true; readonly message: unknown }
  | { readonly ok: false; readonly status: 400 | 413; readonly rule: string };

/** What decision 2.6 allows to a body, and so to the arguments of a tool. */
export const maxArgumentLevels = 64;

/** Around the arguments lie `params`, the message and perhaps the array of a batch. */
const aroundArguments = 2;

/**
 * Parses the body of a POST under the rules for every JSON body: UTF-8, bounded depth and number of values, no key that
 * reaches a prototype. A number that is not kept as it is is read as infinite, which every tool refuses, with its place.
 */
export function parseMessage(body: Uint8Array, maxValues: number): ParsedMessage {
  const text = textOf(body, maxValues);
  if (typeof text !== 'string') return text;
  try {
    return withoutForbidden(text, JSON.parse(markUnkept(text) ?? text));
  } catch {
    return noJson;
  }
}

/** The same a piece at a time. */
export function* parseMessagePieces(body: Uint8Array, maxValues: number): Generator<void, ParsedMessage> {
  const text = textOf(body, maxValues);
  if (typeof text !== 'string') return text;
  yield;
  try {
    return withoutForbidden(text, yield* jsonPieces((yield* markUnkeptPieces(text)) ?? text));
  } catch {
    return noJson;
  }
}

const noJson = refuse('the body is not JSON');

/** The text of a body, or the rule it breaks. */
function textOf(body: Uint8Array, maxValues: number): string | ParsedMessage {
  if (!isUtf8(body)) return refuse('the body is not UTF-8');
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString();
  const levels = maxArgumentLevels + aroundArguments + (/^\s*\[/.test(text) ? 1 : 0);
  const excess = jsonExcess(text, { levels, values: maxValues });
  if (excess === 'levels') return refuse('the body is nested too deeply');
  if (excess === 'values') return refuse(`the body holds more than ${maxValues} values`, 413);
  return text;
}

function withoutForbidden(text: string, message: unknown): ParsedMessage {
  const key = mayNamePrototype(text) ? forbiddenKey(message) : undefined;
  return key === undefined ? { ok: true, message } : refuse(`the body has a key "${key}"`);
}

function refuse(rule: string, status: 400 | 413 = 400): ParsedMessage {
  return { ok: false, status, rule };
}

function forbiddenKey(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const key of Object.keys(value)) {
    const member = (value as Readonly<Record<string, unknown>>)[key];
    if (
      key === '__proto__' ||
      (key === 'constructor' && isRecord(member) && Object.hasOwn(member, 'prototype'))
    )
      return key;
    const inside = forbiddenKey(member);
    if (inside !== undefined) return inside;
  }
  return undefined;
}
