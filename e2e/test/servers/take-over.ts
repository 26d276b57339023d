import { setTimeout as sleep } from 'node:timers/promises';
import { suspiciousAttempts } from '@waymark/contract/stores';
import type { Journal } from './observed.ts';

/** Nobody waits for longer. */
const mostMs = 20_000;
const lookMs = 40;

/** Roots as they were when their process died. */
export type Orphans = ReturnType<Journal['underWay']>;

/** How soon runs went on whose process was killed, after the next one was ready, milliseconds. */
export interface TakeOver {
  readonly runs: number;
  /** Until all went on that did not see two deaths without a step in between. */
  readonly lastMs: number;
  /** Those that did: they begin one after another. */
  readonly suspects: number;
}

/** Watches how runs go on. @param readyMs of `performance.now` */
export async function watchTakeOver(
  journal: Journal,
  orphans: Orphans,
  readyMs: number,
  isOver: () => boolean,
): Promise<TakeOver> {
  const innocent = [...orphans].filter(([, { attempts }]) => attempts + 1 < suspiciousAttempts);
  const suspects = orphans.size - innocent.length;
  for (;;) {
    const epochs = journal.epochs();
    const lastMs = performance.now() - readyMs;
    const left = innocent.filter(([id, { epoch }]) => (epochs.get(id) ?? 0) <= epoch);
    if (left.length === 0) return { runs: innocent.length, lastMs, suspects };
    // Whoever is killed meanwhile has no time left to go on.
    if (isOver()) return { runs: innocent.length - left.length, lastMs: 0, suspects };
    if (lastMs > mostMs) return { runs: innocent.length, lastMs, suspects };
    await sleep(lookMs);
  }
}
