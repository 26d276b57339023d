/**
 * Every call of a scenario fails once: each write, sync and read of the database file, each request to a model.
 * `FAULTS_EACH=10` takes every tenth.
 */
import { describe, expect, it } from 'vitest';
import { FaultedDesk } from '../test/faults/faulted-desk.ts';
import { playFaults, series } from '../test/faults/play-faults.ts';

const each = Number(process.env['FAULTS_EACH'] ?? 1);

describe('the nth call fails, for every n', () => {
  it.each(series)('$what ($error): nothing hangs, nothing is lost in silence', async (one) => {
    const desk = await FaultedDesk.start();
    if (!desk) throw new Error('this drill needs Linux and a C compiler');
    await desk.play();
    const all = (calls: number): readonly number[] =>
      Array.from({ length: Math.ceil(calls / each) }, (_, i) => 1 + i * each);
    const { calls, chosen, failed } = await playFaults(desk, one, all);
    const faults = await desk.close();
    process.stdout.write(
      `${one.what} ${one.error}: ${calls} calls, ${failed} of ${chosen} failed, ${faults.length} faults\n`,
    );
    expect(faults).toEqual([]);
  });
});
