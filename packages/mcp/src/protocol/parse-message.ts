import { isUtf8 } from 'node:buffer';
import { jsonExcess } from '@waymark/contract/http';
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
 * reaches a prototype.
 */
export function parseMessage(body: Uint8Array, maxValues: number): ParsedMessage {
  if (!isUtf8(body)) return refuse('the body is not UTF-8');
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString();
  const excess = jsonExcess(text, { levels: maxArgumentLevels + aroundArguments + 1, values: maxValues });
  if (excess === 'levels') return refuse(tooDeep);
  if (excess === 'values') return refuse(`the body holds more than ${maxValues} values`, 413);
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return refuse('the body is not JSON');
  }
  const levels = maxArgumentLevels + aroundArguments + (Array.isArray(message) ? 1 : 0);
  const rule = brokenRule(message, levels);
  return rule === undefined ? { ok: true, message } : refuse(rule);
}

function refuse(rule: string, status: 400 | 413 = 400): ParsedMessage {
  return { ok: false, status, rule };
}

const tooDeep = 'the body is nested too deeply';

function brokenRule(value: unknown, depth: number): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth === 0) return tooDeep;
  for (const key of Object.keys(value)) {
    const member = (value as Readonly<Record<string, unknown>>)[key];
    if (
      key === '__proto__' ||
      (key === 'constructor' && isRecord(member) && Object.hasOwn(member, 'prototype'))
    )
      return `the body has a key "${key}"`;
    const rule = brokenRule(member, depth - 1);
    if (rule !== undefined) return rule;
  }
  return undefined;
}
