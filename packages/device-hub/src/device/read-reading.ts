import { HTTPError, type Json } from '@waymark/contract';
import { markUnkept } from '@waymark/contract/text';

/** What one reading may have in bytes (specification, Limits). */
export const maxReadingBytes = 65_536;

/** Nesting that a reading may have, as any JSON body (decision 2.6). */
export const maxReadingDepth = 64;

/** A mark at the start is no JSON, whichever way it came. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of a reading that came as bytes. @throws {HTTPError} 400 */
export function toReadingText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new HTTPError(400, 'the reading is not UTF-8', { cause });
  }
}

/**
 * Parses one reading. One that is no object is kept as `{value: …}` (decision 9.1), so that a reading is always a map.
 *
 * @throws {HTTPError} 400 not JSON, too deep, with a number that JSON cannot give back, or with a key that is dangerous
 *   to merge
 */
export function readReading(text: string): Json {
  return toReading(parse(text));
}

/**
 * Makes of a JSON value the reading that a device would keep of it.
 *
 * @throws {HTTPError} 400 too deep, with a number that JSON cannot give back, or with a key that is dangerous to merge
 */
export function toReading(reading: Json): Json {
  checkNumber(reading);
  if (typeof reading !== 'object' || reading === null) return { value: reading };
  checkValue(reading, 1);
  return Array.isArray(reading) ? { value: reading } : reading;
}

function parse(text: string): Json {
  try {
    // Whatever the parser gives is JSON.
    return JSON.parse(markUnkept(text) ?? text) as Json;
  } catch (cause) {
    throw new HTTPError(400, 'the reading is not JSON', { cause });
  }
}

function checkValue(value: object, depth: number): void {
  if (depth > maxReadingDepth)
    throw new HTTPError(400, `the reading is nested deeper than ${maxReadingDepth} levels`);
  // Of 64 KiB 20,000 members may be empty maps: a list of its names for each would cost as much as to parse them.
  if (Array.isArray(value)) for (const member of value) checkMember(member, depth);
  else
    for (const name in value) {
      const member: unknown = value[name as keyof typeof value];
      if (name === '__proto__' || (name === 'constructor' && Object.hasOwn(Object(member), 'prototype')))
        throw new HTTPError(400, 'the reading holds a "__proto__" or "constructor" key');
      checkMember(member, depth);
    }
}

function checkMember(member: unknown, depth: number): void {
  if (typeof member === 'object' && member !== null) checkValue(member, depth + 1);
  else checkNumber(member);
}

/** `1e400` is read as infinite, and would be written as null; a whole number that would be rounded is marked as such. */
function checkNumber(value: unknown): void {
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY)
    throw new HTTPError(
      400,
      'the reading holds a number that JavaScript does not keep, such as a whole one beyond 2^53 (a string keeps it)',
    );
}
