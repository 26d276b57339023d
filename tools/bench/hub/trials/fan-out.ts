import type { Goal } from '../../lib/goals.ts';
import type { Hub } from '../hub.ts';
import { type HubName, withHubs } from '../hubs.ts';
import type { StreamJob } from '../jobs.ts';
import type { LoadProcess } from '../load-process.ts';
import { inTurns, Rounds } from '../rounds.ts';
import { printTable, type Trial } from './trial.ts';

const subscribers = 100;
const frameBytes = 50_000;

/** What waymark may cost at most, in relation to others: its goals. */
type Promises = readonly { readonly than: HubName; readonly target: number }[];

/** As fast as everybody takes it. */
const asTaken: Promises = [
  { than: 'ws', target: 0.75 },
  { than: 'socket.io', target: 0.55 },
  { than: 'tcp', target: 1.15 },
];

/** At the pace of a camera. */
const byClock: Promises = [
  { than: 'ws', target: 1.05 },
  { than: 'tcp', target: 1.6 },
];

/** Everybody who is compared to. */
const compared: readonly HubName[] = ['tcp', 'ws', 'socket.io', 'mosquitto'];

/** What a hub gives out costs it: as fast as everybody takes it. */
export const fanOut: Trial = async ({ load, rounds, seconds }) =>
  withHubs([...compared, 'waymark'], async (hubs) => {
    for (const hub of hubs.values()) await load.run({ kind: 'check', hub });
    const results = await measure(load, hubs, rounds, seconds, { inFlight: 2 });
    show(`${subscribers} × 50 KB`, results);
    return goalsOf('hub-fan-out', results, asTaken);
  });

/** What it costs at the pace of a camera: most of the time nothing happens, and code and caches are cold. */
export const fanOutByClock: Trial = async ({ load, rounds, seconds }) =>
  withHubs(['tcp', 'ws', 'waymark'], async (hubs) => {
    // Compiled, as a hub is that has run for a while.
    for (const hub of hubs.values()) await give(load, hub, { inFlight: 2 }, 2);
    const results = await measure(load, hubs, rounds, seconds, { perSecond: 30 });
    show(`${subscribers} × 50 KB, 30 fps`, results);
    return goalsOf('hub-fan-out-30-fps', results, byClock);
  });

async function measure(
  load: LoadProcess,
  hubs: ReadonlyMap<HubName, Hub>,
  rounds: number,
  seconds: number,
  pace: StreamJob['pace'],
): Promise<ReadonlyMap<string, Results>> {
  const results = new Map([...hubs.values()].map((hub) => [hub.name, new Results()]));
  await inTurns(
    [...hubs.values()],
    rounds,
    (hub) => give(load, hub, pace, seconds),
    ({ name }, cost) => results.get(name)?.add(cost),
  );
  return results;
}

/** What a turn gave. */
interface Cost {
  /** For each frame that one reader got. */
  readonly cpuMicros: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

class Results {
  readonly cpuMicros = new Rounds();
  readonly perSecond = new Rounds();
  readonly p50Ms = new Rounds();
  readonly p99Ms = new Rounds();

  add({ cpuMicros, perSecond, p50Ms, p99Ms }: Cost): void {
    this.cpuMicros.add(cpuMicros);
    this.perSecond.add(perSecond);
    this.p50Ms.add(p50Ms);
    this.p99Ms.add(p99Ms);
  }
}

async function give(load: LoadProcess, hub: Hub, pace: StreamJob['pace'], seconds: number): Promise<Cost> {
  let before = 0;
  const { url, wire } = hub;
  const job: StreamJob = {
    kind: 'stream',
    hub: { url, wire },
    frameBytes,
    readers: { healthy: subscribers },
    pace,
    warmUpMs: 500,
    measureMs: seconds * 1000,
  };
  const result = await load.run(job, async () => {
    before = await hub.cpuMicros();
  });
  const used = (await hub.cpuMicros()) - before;
  const { deliveries = 0, p50Ms = Number.NaN, p99Ms = Number.NaN } = result.groups.healthy ?? {};
  return { cpuMicros: used / deliveries, perSecond: deliveries / result.seconds, p50Ms, p99Ms };
}

function show(title: string, results: ReadonlyMap<string, Results>): void {
  const others = compared.filter((name) => results.has(name));
  const rows = [...results].map(([name, { cpuMicros, perSecond, p50Ms, p99Ms }]) => [
    name,
    cpuMicros.toString(),
    ...others.map((than) => ratio(results, name, than).toString(2)),
    perSecond.toString(0),
    p50Ms.median.toFixed(1),
    p99Ms.median.toFixed(0),
  ]);
  const ratios = others.map((than) => `× ${than}`);
  printTable(title, ['µs CPU/delivery', ...ratios, 'deliveries/s', 'p50 ms', 'p99 ms'], rows);
}

function ratio(results: ReadonlyMap<string, Results>, name: string, than: string): Rounds {
  const costOf = (one: string): Rounds => results.get(one)?.cpuMicros ?? new Rounds();
  return costOf(name).over(costOf(than));
}

function goalsOf(name: string, results: ReadonlyMap<string, Results>, promises: Promises): readonly Goal[] {
  return promises.map(({ than, target }) => ({
    name: `${name}-to-${than.replace('.', '-')}`,
    measured: ratio(results, 'waymark', than).median,
    op: '<=',
    target,
  }));
}
