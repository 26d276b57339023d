import type { Message } from '@waymark/contract/models';

/** Chat Completions takes no longer ids. */
const maxLength = 40;

/** The ids of all calls in a conversation. */
export function callIds(messages: readonly Message[]): Set<string> {
  return new Set(
    messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'tool_call' ? [part.id] : []))),
  );
}

/**
 * Makes an id that every format takes and that no other call has: a conversation may change its provider, and there are
 * servers that begin to count anew with each reply.
 *
 * @param taken gets the id, too
 */
export function uniqueId(given: string, taken: Set<string>): string {
  // Messages takes letters, digits, _ and -.
  const base = given.replaceAll(/[^a-zA-Z0-9_-]/g, '_');
  let unique = base.slice(0, maxLength);
  for (let count = 2; taken.has(unique); count++) {
    const end = `_${count}`;
    unique = `${base.slice(0, maxLength - end.length)}${end}`;
  }
  taken.add(unique);
  return unique;
}
