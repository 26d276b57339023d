import { verifies } from '@waymark/contract/testing';
import { expect, it } from 'vitest';
import { type Failure, kinds } from './faults/failing-files.ts';
import { FaultedDesk } from './faults/faulted-desk.ts';
import { countCalls, healthMs, isWell, playOne, series } from './faults/play-faults.ts';

/** What lasts, and what health says of it. */
const lasting: readonly (Pick<Failure, 'kinds' | 'error'> & { readonly code: string })[] = [
  { kinds: kinds.write, error: 'ENOSPC', code: 'disk-full' },
  { kinds: kinds.read, error: 'EIO', code: 'database-failing' },
];

/** Milliseconds until health tells of it, and until it is over; undefined when it does not. */
async function last(desk: FaultedDesk, { code, ...failure }: (typeof lasting)[number]) {
  desk.files.fail({ ...failure, nth: 1, times: Number.POSITIVE_INFINITY });
  const playing = desk.play(code);
  const tellsMs = await desk.until(
    ({ status, troubles = [] }) => status === 'degraded' && troubles.some((one) => one.code === code),
    healthMs.beside,
  );
  desk.files.mend();
  await playing;
  return [tellsMs, await desk.until(isWell, healthMs.beside)];
}

// Of each series one call in the middle: `npm run drills -- faults` takes all calls of all.
it('a call of a file or a model that fails loses nothing in silence, and health names what lasts', async ({
  skip,
}) => {
  verifies('health.troubles.files', 'state.faults');
  const desk = await FaultedDesk.start();
  if (!desk) {
    console.warn('skipped: calls cannot be made to fail without Linux and a C compiler');
    return skip();
  }
  const failed: string[] = [];
  const calls = await countCalls(desk);
  for (const one of series) if (await playOne(desk, one, calls)) failed.push(`${one.what} ${one.error}`);
  const told = [];
  for (const one of lasting) told.push(await last(desk, one));
  expect(await desk.close()).toEqual([]);
  expect(failed).toEqual(series.map(({ what, error }) => `${what} ${error}`));
  for (const times of told) expect(times).toEqual([expect.any(Number), expect.any(Number)]);
}, 180_000);
