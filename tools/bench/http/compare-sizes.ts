import { bestOfRounds } from '../lib/best-of-rounds.ts';
import type { Goal } from '../lib/goals.ts';
import { RequestCost } from '../lib/request-cost.ts';
import { startServerProcess } from '../lib/server-process.ts';
import { cases } from './api.ts';
import type { Effort } from './compare-servers.ts';
import { contestantFile } from './contestants.ts';
import { manyRequests } from './many-routes.ts';

/** How much dearer a request is in a large table: always of the same route, and of each route in turn. */
export async function compareSizes({ rounds, seconds }: Effort): Promise<readonly Goal[]> {
  const sizes = [10, 10_000];
  const servers = await Promise.all(
    sizes.map((size) => startServerProcess(contestantFile('waymark-bare.ts'), [String(size)])),
  );
  try {
    const costs = servers.flatMap((server, i) => [
      new RequestCost(`hot ${sizes[i]}`, server, [cases.summary.request], seconds),
      new RequestCost(`spread ${sizes[i]}`, server, manyRequests(sizes[i] ?? 0), seconds),
    ]);
    const best = await bestOfRounds(costs, rounds);
    const growth = (load: string): number =>
      (best.get(`${load} 10000`) ?? Number.NaN) / (best.get(`${load} 10`) ?? Number.NaN);
    console.log(`\nµs CPU a request by size of the table`);
    for (const [name, cpu] of best) console.log(`  ${name.padEnd(19)}${cpu.toFixed(1).padStart(8)}`);
    return [
      { name: 'routes-10-to-10000-hot', measured: growth('hot'), op: '<=', target: 1.05 },
      { name: 'routes-10-to-10000-spread', measured: growth('spread'), op: '<=', target: 1.2 },
    ];
  } finally {
    for (const server of servers) await server.stop();
  }
}
