import { join } from 'node:path';
import { bringUp } from '../../lib/bring-up.ts';
import { repositoryRoot } from '../../lib/workspace.ts';
import { loadCore } from '../lib/cores.ts';
import { runPinned } from '../lib/run-pinned.ts';

/** Milliseconds of CPU. */
export interface ImportCost {
  /** Of all that comes with it. */
  readonly whole: number;
  /** Of what it adds to a program that has the contract and HTTP already, as every server does. */
  readonly own: number;
}

/**
 * Measures what importing `@waymark/models` takes, each time in a new process, in the form in which it is published.
 *
 * @returns medians
 */
export async function measureImport(rounds: number): Promise<ImportCost> {
  await bringUp(repositoryRoot, (line) => console.log(line));
  const costs: ImportCost[] = [];
  for (let i = 0; i < rounds; i++) {
    const whole = await run(['@waymark/models']);
    const own = await run(['node:http', 'node:https', '@waymark/contract', '@waymark/models']);
    costs.push({ whole, own });
  }
  return { whole: median(costs.map(({ whole }) => whole)), own: median(costs.map(({ own }) => own)) };
}

async function run(names: readonly string[]): Promise<number> {
  const program = join(import.meta.dirname, 'measure-import.mjs');
  return Number(await runPinned(loadCore, [process.execPath, program, ...names]));
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}
