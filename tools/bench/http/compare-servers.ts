import { bestOfRounds } from '../lib/best-of-rounds.ts';
import type { Goal } from '../lib/goals.ts';
import { RequestCost } from '../lib/request-cost.ts';
import { type ServerProcess, startServerProcess } from '../lib/server-process.ts';
import { type CaseName, cases } from './api.ts';
import { checkAnswers } from './check-answers.ts';
import { contestants } from './contestants.ts';

/** How long is measured. */
export interface Effort {
  readonly rounds: number;
  /** Of each contestant in each round. */
  readonly seconds: number;
}

/** Who is as cheap as whom: `cpu(than) / cpu(who)` is this much or more. */
const promises: readonly {
  readonly name: string;
  readonly who: string;
  readonly than: string;
  readonly target: number;
}[] = [
  { name: 'bare-to-raw', who: 'waymark bare', than: 'raw bare', target: 0.95 },
  { name: 'bare-to-fastify', who: 'waymark bare', than: 'fastify bare', target: 1 },
  { name: 'full-to-raw', who: 'waymark full', than: 'raw full', target: 0.8 },
  { name: 'full-to-fastify-full', who: 'waymark full', than: 'fastify full', target: 1.5 },
  { name: 'full-to-express', who: 'waymark full', than: 'express', target: 1.4 },
  { name: 'middleware-to-raw', who: 'waymark middleware', than: 'raw full', target: 0.62 },
];

/** The cases that goals are about; `books` is there to see what a larger answer changes. */
const promised: readonly CaseName[] = ['static', 'summary', 'create'];

/** Puts every contestant under the same load, prints what a request costs each of them, and gives the goals. */
export async function compareServers({ rounds, seconds }: Effort): Promise<readonly Goal[]> {
  const servers = new Map<string, ServerProcess>();
  try {
    for (const { name, program, args } of contestants()) {
      const server = await startServerProcess(program, args);
      servers.set(name, server);
      await checkAnswers(name, server.url, Object.values(cases));
    }
    const goals: Goal[] = [];
    for (const name of Object.keys(cases) as CaseName[]) {
      const costs = [...servers].map(
        ([who, server]) => new RequestCost(who, server, [cases[name].request], seconds),
      );
      const best = await bestOfRounds(costs, rounds);
      printTable(name, costs, best);
      if (promised.includes(name)) goals.push(...goalsOf(name, best));
    }
    return goals;
  } finally {
    for (const server of servers.values()) await server.stop();
  }
}

function goalsOf(name: CaseName, best: ReadonlyMap<string, number>): readonly Goal[] {
  const cost = (who: string): number => best.get(who) ?? Number.NaN;
  return promises.map((promise) => ({
    name: `${promise.name}-${name}`,
    measured: cost(promise.than) / cost(promise.who),
    op: '>=',
    target: promise.target,
  }));
}

function printTable(name: CaseName, costs: readonly RequestCost[], best: ReadonlyMap<string, number>): void {
  const raw = best.get('raw bare') ?? Number.NaN;
  console.log(`\n${name.padEnd(20)}   µs CPU  to raw  best requests/s`);
  for (const { name: who, perSecond } of costs) {
    const cpu = best.get(who) ?? Number.NaN;
    const columns = [cpu.toFixed(1).padStart(8), (raw / cpu).toFixed(2).padStart(7)];
    console.log(`  ${who.padEnd(19)}${columns.join(' ')}  ${String(Math.round(perSecond)).padStart(15)}`);
  }
}
