import { kinds } from './failing-files.ts';
import type { FaultedDesk, Health } from './faulted-desk.ts';

/** Which calls fail: those of the database file, of one kind, or requests to models. */
export type FaultSeries =
  | { readonly what: 'sync' | 'write' | 'read'; readonly error: 'EIO' | 'ENOSPC' }
  | { readonly what: 'model'; readonly error: '503' | '429' | 'reset' | 'hang' };

/** The series that are played, quickest first. */
export const series: readonly FaultSeries[] = [
  { what: 'sync', error: 'EIO' },
  { what: 'write', error: 'EIO' },
  { what: 'write', error: 'ENOSPC' },
  { what: 'read', error: 'EIO' },
  { what: 'model', error: '503' },
  { what: 'model', error: '429' },
  { what: 'model', error: 'reset' },
  { what: 'model', error: 'hang' },
];

/** Within which health is well again, milliseconds; beside others it may take several times as long. */
export const healthMs = { promised: 5_000, beside: 30_000 } as const;

/** Calls of one play, by what may fail of them. */
export type CallsOfPlay = Readonly<Record<FaultSeries['what'], number>>;

/** Counts the calls of a play in which nothing fails; it is played once for each kind of calls of files. */
export async function countCalls(desk: FaultedDesk): Promise<CallsOfPlay> {
  const asked = (): number => desk.outside.happened.filter((one) => one.what === 'asked').length;
  const count = async (what: 'sync' | 'write' | 'read'): Promise<number> => {
    desk.files.count(kinds[what]);
    await desk.play();
    return desk.files.read().calls;
  };
  const before = asked();
  const sync = await count('sync');
  const model = asked() - before;
  return { sync, model, write: await count('write'), read: await count('read') };
}

/** Plays the scenario while a call in the middle of it fails. @returns whether one did */
export function playOne(desk: FaultedDesk, one: FaultSeries, calls: CallsOfPlay): Promise<boolean> {
  return playFault(desk, one, Math.ceil(calls[one.what] / 2));
}

/** How a series came out: calls that failed, one in each play. */
export interface EveryFault {
  readonly plays: number;
  readonly failed: number;
}

/**
 * Plays the scenario again and again, at several desks at once, while the first call fails, the second one, and so on, until
 * there are no more calls.
 *
 * @param each takes every so many calls
 */
export async function playEvery(
  desks: readonly FaultedDesk[],
  one: FaultSeries,
  each = 1,
): Promise<EveryFault> {
  let [nth, plays, failed, missed] = [1, 0, 0, 0];
  const work = async (desk: FaultedDesk): Promise<void> => {
    // One play has some calls more than another.
    while (missed < mostMissed) {
      const mine = nth;
      nth += each;
      plays++;
      const didFail = await playFault(desk, one, mine);
      if (didFail) failed++;
      missed = didFail ? 0 : missed + 1;
    }
  };
  await Promise.all(desks.map(work));
  return { plays, failed };
}

const mostMissed = 5;

async function playFault(desk: FaultedDesk, one: FaultSeries, nth: number): Promise<boolean> {
  const { files, outside, complaints } = desk;
  const { what, error } = one;
  const name = `${what} ${nth}, ${error},`;
  const countModels = (): number => outside.happened.filter((happened) => happened.what === 'refused').length;
  const before = countModels();
  if (what === 'model') outside.failOnce(error, nth);
  else files.fail({ kinds: kinds[what], error, nth });
  await desk.play(name);
  const failed = what === 'model' ? countModels() - before : files.read().failed;
  files.mend();
  if ((await desk.until(isWell, healthMs.beside)) === undefined) {
    const { troubles = [] } = await desk.health();
    const codes = troubles.map(({ code }) => code).join(', ');
    complaints.push(`health tells ${codes} ${healthMs.beside} ms after ${name} failed`);
  }
  return failed > 0;
}

/** That a machine is busy with something else comes of no failure. */
export function isWell({ troubles = [] }: Health): boolean {
  return troubles.every(({ code }) => code === 'event-loop-slow');
}
