import type { EndedSession } from './sessions.ts';

/** Sign-outs that were stored behind a place, in that order. */
export interface EndedSessionPage {
  readonly ended: readonly { readonly n: number; readonly session: EndedSession }[];
  /** The number of the one that was stored last; 0: there is none. */
  readonly newest: number;
}

/**
 * The sessions of browsers that were ended, for the processes to come and those beside this one. Bounded: beyond that what
 * has expired goes, and then the holder with the most gives up its oldest ones, in whose place an `EndedSession` without an
 * id stands for all that were issued up to them.
 */
export interface EndedSessionStore {
  /** When it resolves, the session is found by whoever asks from then on. Twice the same is once. */
  add(session: EndedSession, nowMs: number): Promise<void>;
  /** What was stored after number `n`, by this process or another; 0: from the first that is kept. */
  following(n: number, limit: number): Promise<EndedSessionPage>;
}
