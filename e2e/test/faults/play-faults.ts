import { kinds } from './failing-files.ts';
import type { FaultedDesk, Health } from './faulted-desk.ts';

/** Which calls fail: those of the database file, of one kind, or requests to models. */
export type FaultSeries =
  | { readonly what: keyof typeof kinds; readonly error: 'EIO' | 'ENOSPC' }
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

/**
 * Plays the scenario once for each chosen n of its calls, which fails, and looks whether health is well again.
 *
 * @param choose gives those that fail, of so many calls
 * @param healthMs within which health is well again
 * @returns how many calls there were, and how many were chosen and did fail
 */
export async function playFaults(
  desk: FaultedDesk,
  { what, error }: FaultSeries,
  choose: (calls: number) => readonly number[],
  healthMs = 5_000,
): Promise<{ readonly calls: number; readonly chosen: number; readonly failed: number }> {
  const { files, outside, complaints } = desk;
  const isModel = what === 'model';
  const countModels = (): number => outside.happened.filter((one) => one.what === 'refused').length;
  const count = isModel ? await countAsked(desk) : await countCalls(desk, kinds[what]);
  const nths = choose(count);
  let failed = 0;
  for (const nth of nths) {
    const before = countModels();
    if (isModel) outside.failOnce(error, nth);
    else files.fail({ kinds: kinds[what], error, nth });
    await desk.play();
    failed += isModel ? countModels() - before : files.read().failed;
    files.mend();
    if ((await desk.until(isWell, healthMs)) === undefined) {
      const health = JSON.stringify(await desk.health());
      complaints.push(`health is not ok ${healthMs} ms after call ${nth} failed: ${health}`);
    }
  }
  return { calls: count, chosen: nths.length, failed };
}

/** Nothing is wrong but what a machine that has much else to do makes of a server. */
export function isWell({ status, troubles = [] }: Health): boolean {
  return status === 'ok' || (troubles.length > 0 && troubles.every(({ code }) => code === 'event-loop-slow'));
}

async function countCalls(desk: FaultedDesk, of: number): Promise<number> {
  desk.files.count(of);
  await desk.play();
  return desk.files.read().calls;
}

async function countAsked(desk: FaultedDesk): Promise<number> {
  const asked = (): number => desk.outside.happened.filter((one) => one.what === 'asked').length;
  const before = asked();
  await desk.play();
  return asked() - before;
}
