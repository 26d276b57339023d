import { join } from 'node:path';
import { bestOfRounds } from '../lib/best-of-rounds.ts';
import { serverCore } from '../lib/cores.ts';
import type { Goal } from '../lib/goals.ts';
import { type Child, startChild } from './child.ts';
import { contestants, moduleOf, startAll } from './contestants.ts';
import type { TurnCost } from './in-process.ts';
import type { ModelServer } from './model-server.ts';

const program = join(import.meta.dirname, 'in-process.ts');

/** How long each contestant runs in a round, milliseconds. */
const turnMs = 700;

/** Lets everybody run the agent inside a process of its own, one at once and 32 at once, and shows a table for each. */
export async function compareInProcess(
  models: ModelServer,
  folder: string,
  rounds: number,
): Promise<readonly Goal[]> {
  const children = new Map<string, Child<TurnCost>>();
  try {
    await startAll(
      contestants,
      (one) => {
        const args = [moduleOf(one), models.url, folder];
        return models.duringOneRun(one.name, () => startChild<TurnCost>(serverCore, program, args));
      },
      children,
    );
    return [...(await compare(children, 1, 0.7, rounds)), ...(await compare(children, 32, 1, rounds))];
  } finally {
    await Promise.all([...children.values()].map((child) => child.stop()));
  }
}

async function compare(
  children: ReadonlyMap<string, Child<TurnCost>>,
  inFlight: number,
  target: number,
  rounds: number,
): Promise<readonly Goal[]> {
  const perSecond = new Map<string, number>();
  const cpu = await bestOfRounds(
    [...children].map(([name, child]) => ({
      name,
      measure: async () => {
        const cost = await child.ask({ ms: turnMs, inFlight });
        perSecond.set(name, Math.max(cost.perSecond, perSecond.get(name) ?? 0));
        return cost.cpuMicros;
      },
    })),
    rounds,
  );
  const cpuOf = (name: string): number => cpu.get(name) ?? Number.NaN;
  const runsOf = (name: string): number => perSecond.get(name) ?? Number.NaN;

  console.log(
    `\n${`in process, ${inFlight} at once`.padEnd(24)}    CPU/run     runs/s   CPU × fetch   runs × fetch`,
  );
  for (const name of children.keys())
    console.log(
      name.padEnd(24),
      `${cpuOf(name).toFixed(0)} µs`.padStart(10),
      String(Math.round(runsOf(name))).padStart(10),
      (cpuOf('fetch') / cpuOf(name)).toFixed(2).padStart(13),
      (runsOf(name) / runsOf('fetch')).toFixed(2).padStart(14),
    );
  const goal = (name: string, measured: number): Goal => ({ name, measured, op: '>=', target });
  const goals = [
    goal(`agents-${inFlight}-cpu-of-fetch`, cpuOf('fetch') / cpuOf('waymark normal')),
    goal(`agents-${inFlight}-runs-of-fetch`, runsOf('waymark normal') / runsOf('fetch')),
  ];
  if (inFlight === 1) return goals;
  const other = (name: string, measured: number, least: number): Goal => ({
    ...{ name: `agents-${inFlight}-${name}`, measured, op: '>=', target: least },
  });
  return [
    ...goals,
    other('full-runs-of-fetch', runsOf('waymark') / runsOf('fetch'), 0.8),
    other('memory-runs-of-fetch', runsOf('waymark memory') / runsOf('fetch'), 1),
    other('full-times-ai-sdk', cpuOf('ai sdk') / cpuOf('waymark'), 2),
  ];
}
