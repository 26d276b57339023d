import type { Host } from '@waymark/contract/engine';
import type { RunStore, SessionStore } from '@waymark/contract/stores';
import type { LongCalls } from './budget/long-calls.ts';
import type { RunNotices } from './notices.ts';

/** Stores, clocks, log and limits: given to every part of the engine. */
export interface EngineParts extends Pick<Host, 'now' | 'monotonic' | 'newId' | 'after' | 'emit' | 'log'> {
  readonly store: RunStore;
  readonly sessions: SessionStore;
  /** How long a root stays ours without a renewal. */
  readonly leaseMs: number;
  /** How long a step is tried again that only something outside keeps from being done. */
  readonly giveUpAfterMs: number;
  /** Between 0 and 1. */
  random(): number;
  /** Whether a failure that nobody handled ends this process. */
  failed(): boolean;
  /** Deliveries that belong to what is stored. */
  readonly notices?: RunNotices | undefined;
  /** Of all roots of this process: those that are noted together are one transaction. */
  readonly longCalls: LongCalls;
}
