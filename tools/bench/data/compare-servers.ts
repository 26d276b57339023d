import { bestOfRounds } from '../lib/best-of-rounds.ts';
import { RequestCost } from '../lib/request-cost.ts';
import { sendLoad } from '../lib/send-load.ts';
import type { ServerProcess } from '../lib/server-process.ts';
import { startServers } from './contestants.ts';
import { type CaseName, requests } from './tickets.ts';
import { withFolder } from './with-folder.ts';

/** How long is measured. */
export interface Effort {
  readonly rounds: number;
  /** Of each contestant in each round. */
  readonly seconds: number;
}

/** What it is compared with on most of them: where its own windows differ by more than this, the machine was busy. */
const reference = 'fastify full';
const steady = 1.5;

/** Puts every contestant under the same load, and prints what a request costs each of them. */
export function compareServers({ rounds, seconds }: Effort): Promise<void> {
  return withFolder(async (folder) => {
    const servers = await startServers(folder);
    try {
      for (const name of Object.keys(requests) as CaseName[]) {
        const costs = [...servers].map(
          ([who, server]) => new RequestCost(who, server, requests[name], seconds),
        );
        const best = await bestOfRounds(costs, rounds);
        printTable(name, costs, best);
      }
      await printAlone(servers, seconds);
    } finally {
      for (const server of servers.values()) await server.stop();
    }
  });
}

function printTable(name: CaseName, costs: readonly RequestCost[], best: ReadonlyMap<string, number>): void {
  const ours = best.get('waymark') ?? Number.NaN;
  console.log(`\n${name.padEnd(20)}   µs CPU  median  first s  waymark is  best requests/s  p50 ms  p99 ms`);
  for (const { name: who, perSecond, p50Ms, p99Ms, medianMicros, firstMicros } of costs) {
    const cpu = best.get(who) ?? Number.NaN;
    console.log(
      `  ${who.padEnd(19)}${cpu.toFixed(1).padStart(8)}${medianMicros.toFixed(1).padStart(8)}${firstMicros.toFixed(1).padStart(9)}${(cpu / ours).toFixed(2).padStart(12)}${String(Math.round(perSecond)).padStart(17)}${p50Ms.toFixed(2).padStart(8)}${p99Ms.toFixed(2).padStart(8)}`,
    );
  }
  const raw = costs.find((cost) => cost.name === reference);
  const spread = (raw?.medianMicros ?? Number.NaN) / (best.get(reference) ?? Number.NaN);
  if (!(spread <= steady))
    console.log(
      `  the windows of ${reference} spread over ${spread.toFixed(2)} ×: others use the machine, and what stands here may be theirs`,
    );
}

/** One insert after another: nothing is committed together, so everybody waits for the disk as often. */
async function printAlone(servers: ReadonlyMap<string, ServerProcess>, seconds: number): Promise<void> {
  console.log('\ninsert, one at a time        requests/s  p50 ms  p99 ms');
  for (const [who, { url }] of servers) {
    const { perSecond, p50Ms, p99Ms } = await sendLoad(url, requests.insert, { seconds, connections: 1 });
    console.log(
      `  ${who.padEnd(25)}${String(Math.round(perSecond)).padStart(12)}${p50Ms.toFixed(2).padStart(8)}${p99Ms.toFixed(2).padStart(8)}`,
    );
  }
}
