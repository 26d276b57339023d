import { isUtf8 } from 'node:buffer';
import {
  giveBackMessage,
  type JsonLimits,
  jsonExcess,
  jsonExcessPieces,
  jsonPieces,
  mayNamePrototype,
} from '@waymark/contract/http';
import { markUnkept, markUnkeptPieces } from '@waymark/contract/text';
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
  const text = textOf(body);
  if (text === undefined) return notUtf8;
  const excess = jsonExcess(text, limitsOf(text, maxValues));
  if (excess) return tooMuch(excess, maxValues);
  try {
    return withoutForbidden(text, JSON.parse(markUnkept(text) ?? text));
  } catch {
    return noJson;
  }
}

/**
 * The same a piece at a time.
 *
 * @param own nobody else reads the body: its memory is given back once it is text
 */
export function* parseMessagePieces(
  body: Uint8Array,
  maxValues: number,
  own = false,
): Generator<void, ParsedMessage> {
  const text = textOf(body);
  if (own) giveBackMessage(body);
  if (text === undefined) return notUtf8;
  yield;
  const excess = yield* jsonExcessPieces(text, limitsOf(text, maxValues));
  if (excess) return tooMuch(excess, maxValues);
  yield;
  try {
    return withoutForbidden(text, yield* jsonPieces((yield* markUnkeptPieces(text)) ?? text));
  } catch {
    return noJson;
  }
}

const noJson = refuse('the body is not JSON');
const notUtf8 = refuse('the body is not UTF-8');

function textOf(body: Uint8Array): string | undefined {
  if (!isUtf8(body)) return undefined;
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString();
}

function limitsOf(text: string, values: number): JsonLimits {
  return { levels: maxArgumentLevels + aroundArguments + (/^\s*\[/.test(text) ? 1 : 0), values };
}

function tooMuch(excess: keyof JsonLimits, maxValues: number): ParsedMessage {
  return excess === 'levels'
    ? refuse('the body is nested too deeply')
    : refuse(`the body holds more than ${maxValues} values`, 413);
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
