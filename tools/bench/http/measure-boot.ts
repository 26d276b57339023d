import { join } from 'node:path';
import { bestOfRounds } from '../lib/best-of-rounds.ts';
import { serverCore } from '../lib/cores.ts';
import type { Goal } from '../lib/goals.ts';
import { runPinned } from '../lib/run-pinned.ts';

/** The start of an application with 10,000 routes that have schemas, from the first declaration to listening. */
export async function measureBoot(rounds: number): Promise<Goal> {
  const command = [
    process.execPath,
    '--conditions=@waymark/source',
    join(import.meta.dirname, 'boot-program.ts'),
  ];
  const measure = async (): Promise<number> => Number(await runPinned(serverCore, [...command, '10000']));
  const best = await bestOfRounds([{ name: 'boot', measure }], rounds);
  return {
    name: 'boot-10000-routes',
    measured: best.get('boot') ?? Number.NaN,
    op: '<=',
    target: 1,
    unit: 's',
  };
}
