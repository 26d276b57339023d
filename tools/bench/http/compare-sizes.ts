import { bestOfRounds } from '../lib/best-of-rounds.ts';
import type { Goal } from '../lib/goals.ts';
import { InProcessCost } from '../lib/in-process-cost.ts';
import { startServerProcess } from '../lib/server-process.ts';
import { cases } from './api.ts';
import type { Effort } from './compare-servers.ts';
import { contestantFile } from './contestants.ts';
import { manyRequests } from './many-routes.ts';

const sizes = [10, 10_000] as const;

/** Blocks in which each of the routes has its turn at least once. */
const blocksPerTurn = sizes[1] / 100;

/** How much dearer a request is in a large table: always of the same route, and of each route in turn. */
export async function compareSizes({ rounds, blocks }: Effort): Promise<readonly Goal[]> {
  const servers = await Promise.all(
    [...sizes, 0].map((size) =>
      size === 0
        ? startServerProcess(contestantFile('net.ts'))
        : startServerProcess(contestantFile('waymark-bare.ts'), [String(size)]),
    ),
  );
  const [small, large, net] = servers;
  try {
    if (!small || !large || !net) throw new Error('a server is missing');
    const of = (
      name: string,
      server: typeof small,
      requests: ReturnType<typeof manyRequests>,
    ): InProcessCost => new InProcessCost(name, server, requests, Math.max(blocks, 2 * blocksPerTurn));
    const costs = [
      of('net', net, [cases.static.request]),
      of(`hot ${sizes[0]}`, small, [cases.summary.request]),
      of(`hot ${sizes[1]}`, large, [cases.summary.request]),
      of(`spread ${sizes[0]}`, small, manyRequests(sizes[0])),
      of(`spread ${sizes[1]}`, large, manyRequests(sizes[1])),
    ];
    const best = await bestOfRounds(costs, rounds);
    const clientMicros = (best.get('net') ?? Number.NaN) / 2;
    const cpu = (name: string): number => (best.get(name) ?? Number.NaN) - clientMicros;
    const growth = (load: string): number => cpu(`${load} ${sizes[1]}`) / cpu(`${load} ${sizes[0]}`);
    console.log(`\nµs a request by size of the table, and its median`);
    for (const { name, median } of costs)
      console.log(
        `  ${name.padEnd(19)}${cpu(name).toFixed(1).padStart(8)}${(median - clientMicros).toFixed(1).padStart(8)}`,
      );
    return [
      { name: 'routes-10-to-10000-hot', measured: growth('hot'), op: '<=', target: 1.05 },
      { name: 'routes-10-to-10000-spread', measured: growth('spread'), op: '<=', target: 1.2 },
    ];
  } finally {
    for (const server of servers) await server.stop();
  }
}
