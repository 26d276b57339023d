import { execFileSync } from 'node:child_process';
import { pinned, serverCore } from '../lib/cores.ts';
import type { Goal } from '../lib/goals.ts';

const rounds = 7;

const program = `const before = process.cpuUsage();
await import('@waymark/agents');
const { user, system } = process.cpuUsage(before);
console.log((user + system) / 1000);`;

/** CPU time of the first import of the package of agents, from its sources, in a process of its own: the least of several. */
export function coldImport(): readonly Goal[] {
  const args = [
    '--conditions=@waymark/source',
    '--disable-warning=ExperimentalWarning',
    '--input-type=module',
  ];
  const [command = '', ...rest] = pinned(serverCore, [process.execPath, ...args, '--eval', program]);
  const options = { cwd: import.meta.dirname, encoding: 'utf8' } as const;
  const taken = Array.from({ length: rounds }, () => Number(execFileSync(command, rest, options)));
  const measured = Math.min(...taken);
  console.log(`\nimport of @waymark/agents, from sources: ${measured.toFixed(0)} ms of CPU`);
  return [{ name: 'agents-import', measured, op: '<=', target: 150, unit: 'ms' }];
}
