import { spawn } from 'node:child_process';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bestOfRounds } from '../lib/best-of-rounds.ts';
import type { Goal } from '../lib/goals.ts';
import { nextMessage } from '../lib/next-message.ts';
import { fillFile, type ServerProgram, serverPrograms } from './contestants.ts';
import type { CaseName } from './tickets.ts';
import { withFolder } from './with-folder.ts';

/** `cost(than) / cost(waymark)` is this much or more. */
const promises: readonly { readonly than: string; readonly targets: Readonly<Record<CaseName, number>> }[] = [
  { than: 'fastify full', targets: { get: 1, list: 0.9, insert: 2 } },
  { than: 'express', targets: { get: 2.5, list: 2.5, insert: 2.5 } },
];

type Costs = Readonly<Record<CaseName, number>>;

/**
 * What a request costs each server in one process with those who ask, the least of many short blocks: it repeats where others
 * use the machine, and the share of those who ask is the same for all, so that a ratio is nearer to 1 than that of the servers.
 */
export function compareInProcess(rounds: number): Promise<readonly Goal[]> {
  return withFolder(async (folder) => {
    const first = join(folder, 'first.db');
    fillFile(first);
    const least = new Map<string, number>();
    let runs = 0;
    const contestants = serverPrograms.map((program) => ({
      name: program.name,
      measure: async () => {
        const file = join(folder, `in-process-${++runs}.db`);
        await copyFile(first, file);
        const costs = await runHere(program, file);
        for (const [name, micros] of Object.entries(costs)) {
          const key = `${name} ${program.name}`;
          least.set(key, Math.min(micros, least.get(key) ?? Number.POSITIVE_INFINITY));
        }
        return costs.get;
      },
    }));
    await bestOfRounds(contestants, rounds);
    print(least);
    return goalsOf(least);
  });
}

async function runHere({ program, args = [] }: ServerProgram, file: string): Promise<Costs> {
  const path = (name: string): string => join(import.meta.dirname, name);
  const node = ['--conditions=@waymark/source', path('in-process.ts'), path(program), file, ...args];
  const child = spawn(process.execPath, node, {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const costs = await nextMessage<Costs>(child);
  child.kill('SIGKILL');
  return costs;
}

function print(least: ReadonlyMap<string, number>): void {
  console.log('\nin one process, µs         get    list  insert');
  for (const { name } of serverPrograms) {
    const micros = (['get', 'list', 'insert'] as const).map(
      (one) => least.get(`${one} ${name}`) ?? Number.NaN,
    );
    console.log(`  ${name.padEnd(20)}${micros.map((one) => one.toFixed(1).padStart(8)).join('')}`);
  }
}

function goalsOf(least: ReadonlyMap<string, number>): readonly Goal[] {
  const cost = (name: string, who: string): number => least.get(`${name} ${who}`) ?? Number.NaN;
  return promises.flatMap(({ than, targets }) =>
    Object.entries(targets).map(([name, target]) => ({
      name: `${name}-to-${than.replace(' ', '-')}`,
      measured: cost(name, than) / cost(name, 'waymark'),
      op: '>=' as const,
      target,
    })),
  );
}
