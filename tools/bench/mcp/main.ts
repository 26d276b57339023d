// What a tool call costs: `npm run bench:mcp -- --rounds=9 --seconds=2`. See ../README.md.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { installFolder } from '../../lib/install.ts';
import { bestOfRounds } from '../lib/best-of-rounds.ts';
import { machineLine } from '../lib/cores.ts';
import { type Goal, printGoals } from '../lib/goals.ts';
import type { LoadRequest } from '../lib/load.ts';
import { RequestCost } from '../lib/request-cost.ts';
import { type ServerProcess, startServerProcess } from '../lib/server-process.ts';
import { answerOf, type Wire, wires, withKey } from './calls.ts';
import { heapGrowth } from './heap-growth.ts';

/** One server that is compared. */
interface ServerProgram {
  readonly name: string;
  readonly file: string;
  readonly args?: readonly string[];
  /** Asks for the key of its caller. */
  readonly guarded?: boolean;
  /** Serves both families of revisions unless it says otherwise. */
  readonly only?: Wire['name'];
}

const programs: readonly ServerProgram[] = [
  { name: 'raw', file: 'servers/raw.ts' },
  { name: 'waymark', file: 'servers/waymark.ts', args: ['open'] },
  { name: 'waymark guarded', file: 'servers/waymark.ts', args: ['guarded'], guarded: true },
  { name: 'waymark in express', file: 'servers/waymark.ts', args: ['express'] },
  { name: 'sdk v2', file: 'peers/sdk-v2.mjs' },
  { name: 'sdk v1', file: 'peers/sdk-v1.mjs', only: 'initialize' },
];

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, seconds: { type: 'string', default: '1' } },
});
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);

installFolder(join(import.meta.dirname, 'peers'));
console.log(machineLine());
const servers = new Map<ServerProgram, ServerProcess>();
try {
  for (const program of programs)
    servers.set(program, await startServerProcess(join(import.meta.dirname, program.file), program.args));
  const goals: Goal[] = [];
  for (const wire of wires) goals.push(...(await compare(wire)));
  printGoals([...goals, await growth()]);
} finally {
  await Promise.all([...servers.values()].map((server) => server.stop()));
}

/** Measures everybody on one family of revisions, and shows a table. */
async function compare(wire: Wire): Promise<readonly Goal[]> {
  const taking = [...servers].filter(([{ only }]) => only === undefined || only === wire.name);
  const answers = new Map<string, string>();
  for (const [program, { url }] of taking)
    answers.set(program.name, await answerOf(url, requestFor(program, wire)));
  // What costs nothing to the one must not be asked of the other.
  if (answers.get('raw') !== answers.get('waymark'))
    throw new Error(`raw answers ${answers.get('raw')}, and not ${answers.get('waymark')}`);
  const costs = taking.map(
    ([program, server]) => new RequestCost(program.name, server, [requestFor(program, wire)], seconds),
  );
  const cpu = await bestOfRounds(costs, rounds);
  const of = (name: string): number => cpu.get(name) ?? Number.NaN;
  const find = (name: string): RequestCost | undefined => costs.find((cost) => cost.name === name);

  console.log(`\n${wire.name.padEnd(20)}   CPU/call    calls/s    p50 ms    p99 ms   of raw   × sdk v2`);
  for (const { name, perSecond, p50Ms, p99Ms } of costs)
    console.log(
      name.padEnd(20),
      `${of(name).toFixed(1)} µs`.padStart(10),
      ...[Math.round(perSecond), p50Ms, p99Ms].map((number) => String(number).padStart(9)),
      (of('raw') / of(name)).toFixed(2).padStart(8),
      (of('sdk v2') / of(name)).toFixed(1).padStart(9),
    );
  const ratio = (name: string, measured: number, target: number): Goal => ({
    name: `mcp-${wire.name}-${name}`,
    measured,
    op: '>=',
    target,
  });
  return [
    ratio('of-raw', of('raw') / of('waymark'), 0.5),
    ratio('times-sdk', of('sdk v2') / of('waymark'), 12),
    ratio('guarded-of-raw', of('raw') / of('waymark guarded'), 0.35),
    ratio('guarded-times-sdk', of('sdk v2') / of('waymark guarded'), 8),
    {
      name: `mcp-${wire.name}-p99`,
      measured: find('waymark')?.p99Ms ?? Number.NaN,
      op: '<=',
      // The median of the SDK.
      target: find('sdk v2')?.p50Ms ?? Number.NaN,
      unit: 'ms',
    },
  ];
}

function requestFor({ guarded = false }: ServerProgram, { request }: Wire): LoadRequest {
  return guarded ? withKey(request) : request;
}

/** Of the dearest form, which has the most that it could keep. */
async function growth(): Promise<Goal> {
  const [wire] = wires;
  const entry = [...servers].find(([{ guarded }]) => guarded);
  const measured =
    entry && wire
      ? await heapGrowth(entry[1], requestFor(entry[0], wire), { few: 20_000, many: 200_000 })
      : Number.NaN;
  return { name: 'mcp-heap-growth', measured: measured * 100, op: '<=', target: 5, unit: '%' };
}
