import type { Json } from '@waymark/contract';

/** The stored form. */
export function copy<T extends Json>(value: T): T {
  // Numbers are not: some have no JSON.
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  return JSON.parse(JSON.stringify(value) ?? 'null') as T;
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
