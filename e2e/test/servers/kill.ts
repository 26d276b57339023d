import { setTimeout as sleep } from 'node:timers/promises';
import type { Outside } from './outside.ts';

/** Behind what a server is killed. */
export type Moment = 'asked' | 'answered' | 'effect' | 'decision' | 'time';

/** When a server is killed. */
export interface Kill {
  readonly moment: Moment;
  /** Behind the n-th of them, from 1. */
  readonly nth: number;
  /** Milliseconds behind it; of `time`, behind the beginning. */
  readonly afterMs: number;
}

/** What does not happen is waited for so long. */
const patienceMs = 5_000;

/** A moment by chance: half of them some milliseconds behind what matters. */
export function chooseKill(random: () => number): Kill {
  const moments = ['asked', 'answered', 'effect', 'decision', 'time'] as const;
  const moment = moments[Math.floor(random() * moments.length)] ?? 'time';
  const nth = 1 + Math.floor(random() * (moment === 'decision' ? 4 : 25));
  return { moment, nth, afterMs: random() * (moment === 'time' ? 900 : 13) };
}

/** Resolves when the moment has come. @param onDecide calls back for each decision that is sent */
export async function momentOf(
  { moment, nth, afterMs }: Kill,
  outside: Outside,
  decisions: Set<() => void>,
): Promise<void> {
  if (moment === 'time') {
    await sleep(afterMs);
    return;
  }
  let left = nth;
  let stop = (): void => {};
  const came = new Promise<void>((resolve) => {
    const count = (): void => {
      if (--left === 0) resolve();
    };
    if (moment === 'decision') {
      decisions.add(count);
      stop = () => void decisions.delete(count);
    } else stop = outside.watch(({ what }) => void (what === moment && count()));
  });
  await Promise.race([came, sleep(patienceMs)]);
  stop();
  await sleep(afterMs);
}
