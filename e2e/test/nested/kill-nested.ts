import { join } from 'node:path';
import { killSeries } from '../kills/kill-series.ts';
import { endure, type Policy } from './endure.ts';
import { checkLedger, checkPromises } from './promises.ts';
import { nestedShapes } from './shapes.ts';

const program = join(import.meta.dirname, 'kill-process.ts');

/** Processes that are killed while they play one nesting. */
export interface NestedKills {
  /** Its place among the shapes. */
  readonly shape: number;
  readonly policy: Policy;
  readonly kills: number;
}

/** How a series came out, when all its promises hold. */
export interface NestedKillReport {
  /** Of a run that nobody kills. */
  readonly points: number;
  readonly killed: number;
  readonly roots: number;
  readonly runs: number;
  /** Answers of models that nobody was given. */
  readonly cutOff: number;
}

/** Kills processes that play a nesting. */
export async function killNested({ shape, policy, ...series }: NestedKills): Promise<NestedKillReport> {
  const played = nestedShapes[shape];
  if (!played) throw new Error(`no shape ${shape}`);
  const { points } = await endure({ shape: played, policy });
  let cutOff = 0;
  const { killed, roots } = await killSeries({
    ...series,
    ...{ name: `${played.name}, ${policy}`, program, work: [String(shape), policy], points },
    async check(world, all, database) {
      for (const loaded of all) await checkPromises(world, loaded, database);
      cutOff = await checkLedger(world, all, database);
    },
  });
  const runs = roots.reduce((sum, one) => sum + one.runs.length, 0);
  return { points, killed, roots: roots.length, runs, cutOff };
}
