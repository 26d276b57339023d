import type { EndedSessionStore } from '../principal/ended-session-store.ts';

/** Keeps nothing: what `Sessions` remember is all that a process without a database has, and there is no other one to tell. */
export function memoryEndedSessions(): EndedSessionStore {
  return { add: () => Promise.resolve(), following: () => Promise.resolve({ ended: [], newest: 0 }) };
}
