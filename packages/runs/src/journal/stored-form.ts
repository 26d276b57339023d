import { HTTPError, type Json } from '@waymark/contract';
import { isTooDeep, maxJsonLevels } from '@waymark/contract/tools';

/** Levels of what a run keeps: what its code makes of an answer may hold it whole, and so may what is made of that. */
export const maxStoredLevels = 2 * maxJsonLevels;

/** The JSON of what a run is given, asks for, or ends with. @throws {HTTPError} 500 it is nested deeper than is kept */
export function toStoredText(value: Json, what: string): string {
  const text = write(value);
  if (text === undefined || isTooDeep(text, maxStoredLevels))
    throw new HTTPError(500, `${what} is nested deeper than ${maxStoredLevels} levels`, { code: 'too_deep' });
  return text;
}

/** @returns undefined: it is so deep that nobody can write it */
function write(value: Json): string | undefined {
  try {
    return JSON.stringify(value) ?? 'null';
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The stored form. @throws {HTTPError} 500 nested too deeply */
export function copy<T extends Json>(value: T, what: string): T {
  // Numbers are not: some have no JSON.
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  return JSON.parse(toStoredText(value, what)) as T;
}

/** A copy of what is in its stored form: what whoever gets it does to it is nobody else's business. */
export function clone(stored: Json): Json {
  if (typeof stored !== 'object' || stored === null) return stored;
  if (Array.isArray(stored)) return stored.map(clone);
  // A spread makes members of its own of all, `__proto__` too: none of them meets a setter below.
  const members = { ...(stored as { [name: string]: Json }) };
  for (const name of Object.keys(members)) {
    const member = members[name];
    if (typeof member === 'object' && member !== null) members[name] = clone(member);
  }
  return members;
}
