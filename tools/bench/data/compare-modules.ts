import { join } from 'node:path';
import { bestOfRounds } from '../lib/best-of-rounds.ts';
import { serverCore } from '../lib/cores.ts';
import { runPinned } from '../lib/run-pinned.ts';
import { fillFile } from './contestants.ts';
import { withFolder } from './with-folder.ts';

const programs = { waymark: 'modules/waymark.ts', 'better-sqlite3': 'peers/better-sqlite3-module.mjs' };

/** Prints what the database alone takes, without a server around it; no goal. */
export async function compareModules(rounds: number): Promise<void> {
  const costs = new Map<string, number>();
  const contestants = Object.entries(programs).map(([name, program]) => ({
    name,
    measure: async () => {
      const measured = await runModule(program);
      for (const [use, micros] of Object.entries(measured)) {
        const key = `${name} ${use}`;
        costs.set(key, Math.min(micros, costs.get(key) ?? Number.POSITIVE_INFINITY));
      }
      return measured['get'] ?? Number.NaN;
    },
  }));
  await bestOfRounds(contestants, rounds);
  console.log('\nµs, the database alone');
  for (const [use, micros] of costs) console.log(`  ${use.padEnd(37)}${micros.toFixed(1).padStart(8)}`);
}

function runModule(program: string): Promise<Readonly<Record<string, number>>> {
  return withFolder(async (folder) => {
    const file = join(folder, 'module.db');
    fillFile(file);
    const node = [process.execPath, '--conditions=@waymark/source', join(import.meta.dirname, program), file];
    return JSON.parse(await runPinned(serverCore, node)) as Readonly<Record<string, number>>;
  });
}
