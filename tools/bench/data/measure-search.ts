import { join } from 'node:path';
import { serverCore } from '../lib/cores.ts';
import type { Goal } from '../lib/goals.ts';
import { runPinned } from '../lib/run-pinned.ts';
import { withFolder } from './with-folder.ts';

/** Whose the 10,000 entries are. */
const owners = [
  { name: 'one-owner', count: 1 },
  { name: 'many-owners', count: 100 },
];

/** How long a search in a memory takes, one at a time, as a tool call without a wire. */
export async function measureSearch(): Promise<readonly Goal[]> {
  console.log('\nms, memory of 10,000 entries      p50     p95     max  remember');
  const goals: Goal[] = [];
  for (const { name, count } of owners) {
    const { p50, p95, max, remember } = await run(count);
    const columns = [p50, p95, max, remember].map((ms) => ms.toFixed(2).padStart(8)).join('');
    console.log(`  ${name.padEnd(27)}${columns}`);
    goals.push({ name: `search-${name}-p95`, measured: p95, op: '<=', target: 2, unit: 'ms' });
  }
  return goals;
}

interface Times {
  readonly p50: number;
  readonly p95: number;
  readonly max: number;
  /** Of one entry, when 32 are remembered at once. */
  readonly remember: number;
}

function run(count: number): Promise<Times> {
  return withFolder(async (folder) => {
    const program = join(import.meta.dirname, 'search-program.ts');
    const node = [process.execPath, '--conditions=@waymark/source', program];
    return JSON.parse(
      await runPinned(serverCore, [...node, join(folder, 'memory.db'), String(count)]),
    ) as Times;
  });
}
