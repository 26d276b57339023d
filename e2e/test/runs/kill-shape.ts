import { join } from 'node:path';
import { killSeries } from '../kills/kill-series.ts';
import { shapes } from './shapes.ts';
import { checkLedger, checkRoot, type Policy, simulate } from './simulate.ts';

const program = join(import.meta.dirname, 'kill-process.ts');

/** Processes that are killed while they play one shape. */
export interface ShapeKills {
  /** Its place among the shapes. */
  readonly shape: number;
  readonly policy: Policy;
  readonly kills: number;
  /** Where in its share of the points each kill is, between 0 and 1; in its middle. */
  readonly phase?: number;
  /** No process is killed after that, of `performance.now`; far away. */
  readonly untilMs?: number;
}

/** How a series came out, when all its promises hold. */
export interface ShapeReport {
  /** Of a run that nobody kills. */
  readonly points: number;
  readonly killed: number;
  readonly runs: number;
}

/** Kills processes that play a shape. */
export async function killShape({ shape, policy, ...series }: ShapeKills): Promise<ShapeReport> {
  const played = shapes[shape];
  if (!played) throw new Error(`no shape ${shape}`);
  const { points } = await simulate({ shape: played, policy, deaths: [] });
  const { killed, roots } = await killSeries({
    ...series,
    ...{ name: `${played.name}, ${policy}`, program, work: [String(shape), policy], points },
    async check(world, all, database) {
      for (const loaded of all) await checkRoot(world, loaded, database);
      await checkLedger(all, database);
    },
  });
  return { points, killed, runs: roots.length };
}
