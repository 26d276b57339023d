/**
 * Every call of a scenario fails once: each write, sync and read of the database file, each request to a model. Several
 * started servers play at once. `FAULTS_EACH=10` takes every tenth call, `FAULTS_ONLY=read` one kind of them,
 * `FAULTS_DESKS=4` so many servers.
 */
import { describe, expect, it } from 'vitest';
import { FaultedDesk, smallScenario } from '../test/faults/faulted-desk.ts';
import { playEvery, series } from '../test/faults/play-faults.ts';

const { FAULTS_EACH: each = '1', FAULTS_DESKS: desks = '8', FAULTS_ONLY: only } = process.env;
const chosen = series.filter(({ what }) => only === undefined || what === only);

async function startDesk(): Promise<FaultedDesk> {
  const desk = await FaultedDesk.start(smallScenario);
  if (!desk) throw new Error('this drill needs Linux and a C compiler');
  await desk.play();
  return desk;
}

describe('the nth call fails, for every n', () => {
  it.each(chosen)('$what ($error): nothing hangs, nothing is lost in silence', async (one) => {
    const startMs = performance.now();
    const started = await Promise.all(Array.from({ length: Number(desks) }, startDesk));
    const { plays, failed } = await playEvery(started, one, Number(each));
    const faults = (await Promise.all(started.map((desk) => desk.close()))).flat();
    const seconds = ((performance.now() - startMs) / 1_000).toFixed(0);
    process.stdout.write(
      `${one.what} ${one.error}: ${failed} of ${plays} plays had their failure, ${faults.length} faults, ${seconds} s\n`,
    );
    for (const fault of faults) process.stdout.write(`${fault}\n`);
    expect(failed).toBeGreaterThan(0);
    expect(faults).toEqual([]);
  });
});
