import { isUtf8 } from 'node:buffer';
import { isRecord } from './envelope.ts';

/** The parsed body, or the rule it breaks. */
export type ParsedMessage =
  | { readonly ok: true; readonly message: unknown }
  | { readonly ok: false; readonly rule: string };

/** What decision 2.6 allows to a body, and so to the arguments of a tool. */
const maxArgumentLevels = 64;

/** Parses the body of a POST under the rules for every JSON body: UTF-8, bounded depth, no key that reaches a prototype. */
export function parseMessage(body: Uint8Array): ParsedMessage {
  if (!isUtf8(body)) return { ok: false, rule: 'the body is not UTF-8' };
  let message: unknown;
  try {
    message = JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString());
  } catch {
    return { ok: false, rule: 'the body is not JSON' };
  }
  // Around the arguments lie `params`, the message and perhaps the array.
  const rule = brokenRule(message, maxArgumentLevels + (Array.isArray(message) ? 3 : 2));
  return rule === undefined ? { ok: true, message } : { ok: false, rule };
}

function brokenRule(value: unknown, depth: number): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth === 0) return 'the body is nested too deeply';
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
