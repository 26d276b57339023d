import { bestOfRounds } from '../lib/best-of-rounds.ts';
import type { Goal } from '../lib/goals.ts';
import { InProcessCost, warnOfSpread } from '../lib/in-process-cost.ts';
import { type ServerProcess, startServerProcess } from '../lib/server-process.ts';
import { type CaseName, cases } from './api.ts';
import { checkAnswers } from './check-answers.ts';
import { contestantFile, contestants } from './contestants.ts';

/** How long is measured. */
export interface Effort {
  readonly rounds: number;
  /** Blocks of requests of each contestant in each round. */
  readonly blocks: number;
}

/** Who is as cheap as whom: `cpu(than) / cpu(who)` is this much or more, by case. */
const promises: readonly {
  readonly name: string;
  readonly who: string;
  readonly than: string;
  readonly target: number;
  /** Where it is another one for `create`. */
  readonly create?: number;
}[] = [
  { name: 'of-raw-promises', who: 'waymark full', than: 'raw promises', target: 0.88 },
  { name: 'times-fastify-full', who: 'waymark full', than: 'fastify full', target: 1.4, create: 1.2 },
  { name: 'listener-of-raw-promises', who: 'waymark listener', than: 'raw promises', target: 0.9 },
  { name: 'middleware-of-raw-promises', who: 'waymark middleware', than: 'raw promises', target: 0.6 },
];

/** The cases that goals are about; `books` is there to see what a larger answer changes. */
const promised: readonly CaseName[] = ['static', 'summary', 'create'];

/** Answers bytes with bytes: half of it is the client that all have in their process. */
const nothing = 'net';

/** Lets every contestant answer its own client, prints what a request costs each of them, and gives the goals. */
export async function compareServers({ rounds, blocks }: Effort): Promise<readonly Goal[]> {
  const servers = new Map<string, ServerProcess>();
  try {
    servers.set(nothing, await startServerProcess(contestantFile('net.ts')));
    for (const { name, program, args } of contestants()) {
      const server = await startServerProcess(program, args);
      servers.set(name, server);
      await checkAnswers(name, server.url, Object.values(cases));
    }
    const goals: Goal[] = [];
    for (const name of Object.keys(cases) as CaseName[]) {
      const costs = [...servers].map(
        ([who, server]) => new InProcessCost(who, server, [cases[name].request], blocks),
      );
      const best = await bestOfRounds(costs, rounds);
      const clientMicros = (best.get(nothing) ?? Number.NaN) / 2;
      const ofServer = new Map([...best].map(([who, cost]) => [who, cost - clientMicros]));
      printTable(name, costs, { ofServer, clientMicros });
      for (const cost of costs) if (cost.name.startsWith('raw')) warnOfSpread(cost);
      if (promised.includes(name)) goals.push(...goalsOf(name, ofServer));
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
    target: name === 'create' ? (promise.create ?? promise.target) : promise.target,
  }));
}

interface Found {
  readonly ofServer: ReadonlyMap<string, number>;
  readonly clientMicros: number;
}

function printTable(
  name: CaseName,
  costs: readonly InProcessCost[],
  { ofServer, clientMicros }: Found,
): void {
  const of = (who: string): number => ofServer.get(who) ?? Number.NaN;
  console.log(`\n${name.padEnd(20)}       µs  median  1st second  of raw  of raw promises`);
  for (const { name: who, median, firstSecond } of costs) {
    const columns = [
      of(who).toFixed(1).padStart(8),
      (median - clientMicros).toFixed(1).padStart(7),
      (firstSecond - clientMicros).toFixed(1).padStart(11),
      (of('raw full') / of(who)).toFixed(2).padStart(7),
      (of('raw promises') / of(who)).toFixed(2).padStart(16),
    ];
    console.log(`  ${who.padEnd(19)}${columns.join(' ')}`);
  }
}
