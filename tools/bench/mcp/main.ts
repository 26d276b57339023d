// What a tool call costs: `npm run bench:mcp -- --rounds=9 --blocks=600`. See ../README.md.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { installFolder } from '../../lib/install.ts';
import { bestOfRounds } from '../lib/best-of-rounds.ts';
import { machineLine } from '../lib/cores.ts';
import { type Goal, printGoals } from '../lib/goals.ts';
import { InProcessCost, warnOfSpread } from '../lib/in-process-cost.ts';
import type { LoadRequest } from '../lib/load.ts';
import { sendLoad } from '../lib/send-load.ts';
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
  /** Answers with no call: it is there for what the client costs. */
  readonly silent?: boolean;
}

const programs: readonly ServerProgram[] = [
  { name: 'net', file: '../http/contestants/net.ts', silent: true },
  { name: 'raw', file: 'servers/raw.ts' },
  { name: 'raw duties', file: 'servers/raw-duties.ts' },
  { name: 'waymark', file: 'servers/waymark.ts', args: ['open'] },
  { name: 'waymark guarded', file: 'servers/waymark.ts', args: ['guarded'], guarded: true },
  { name: 'waymark in express', file: 'servers/waymark.ts', args: ['express'] },
  { name: 'sdk v2', file: 'peers/sdk-v2.mjs' },
  { name: 'sdk v1', file: 'peers/sdk-v1.mjs', only: 'initialize' },
];

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, blocks: { type: 'string', default: '300' } },
});
const rounds = Number(values.rounds);
const blocks = Number(values.blocks);

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
  for (const [program, { url }] of taking.filter(([{ silent }]) => !silent))
    answers.set(program.name, await answerOf(url, requestFor(program, wire)));
  // What costs nothing to the one must not be asked of the other.
  for (const name of ['raw', 'raw duties'])
    if (answers.get(name) !== answers.get('waymark'))
      throw new Error(`${name} answers ${answers.get(name)}, and not ${answers.get('waymark')}`);
  const costs = taking.map(
    ([program, server]) => new InProcessCost(program.name, server, [requestFor(program, wire)], blocks),
  );
  const cpu = await bestOfRounds(costs, rounds);
  const clientMicros = (cpu.get('net') ?? Number.NaN) / 2;
  const of = (name: string): number => (cpu.get(name) ?? Number.NaN) - clientMicros;

  console.log(`\n${wire.name.padEnd(20)}        µs    median  1st second  of raw  of duties  × sdk v2`);
  for (const { name, median, firstSecond } of costs)
    console.log(
      name.padEnd(20),
      ...[of(name), median - clientMicros].map((micros) => micros.toFixed(1).padStart(9)),
      (firstSecond - clientMicros).toFixed(1).padStart(11),
      (of('raw') / of(name)).toFixed(2).padStart(7),
      (of('raw duties') / of(name)).toFixed(2).padStart(10),
      (of('sdk v2') / of(name)).toFixed(1).padStart(9),
    );
  for (const cost of costs) if (cost.name.startsWith('raw')) warnOfSpread(cost);
  const ratio = (name: string, measured: number, target: number): Goal => ({
    name: `mcp-${wire.name}-${name}`,
    measured,
    op: '>=',
    target,
  });
  return [
    ratio('of-raw', of('raw') / of('waymark'), 0.5),
    ratio('of-raw-duties', of('raw duties') / of('waymark'), 0.8),
    ratio('times-sdk', of('sdk v2') / of('waymark'), 12),
    ratio('guarded-of-raw', of('raw') / of('waymark guarded'), 0.35),
    ratio('guarded-times-sdk', of('sdk v2') / of('waymark guarded'), 8),
    await latency(wire),
  ];
}

/** Of 50 connections from another process, that of which each hundredth takes longer, beside the median of the SDK. */
async function latency(wire: Wire): Promise<Goal> {
  const load = async (name: string): Promise<{ readonly p50Ms: number; readonly p99Ms: number }> => {
    const entry = [...servers].find(([program]) => program.name === name);
    if (!entry) throw new Error(`there is no ${name}`);
    return sendLoad(entry[1].url, [requestFor(entry[0], wire)], { seconds: 1 });
  };
  let p99Ms = Number.POSITIVE_INFINITY;
  let theirs = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    p99Ms = Math.min(p99Ms, (await load('waymark')).p99Ms);
    theirs = Math.min(theirs, (await load('sdk v2')).p50Ms);
  }
  return { name: `mcp-${wire.name}-p99`, measured: p99Ms, op: '<=', target: theirs, unit: 'ms' };
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
