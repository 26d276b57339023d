import type { Goal } from '../../lib/goals.ts';
import type { Hub } from '../hub.ts';
import { type HubName, withHubs } from '../hubs.ts';
import type { StreamJob } from '../jobs.ts';
import type { LoadProcess } from '../load-process.ts';
import { inTurns, Rounds } from '../rounds.ts';
import { printTable, type Trial } from './trial.ts';

const subscribers = 100;
const frameBytes = 50_000;

/** What waymark may cost at most, in relation to others, and what it should one day. */
const promises: readonly { readonly than: HubName; readonly target: number; readonly stretch: number }[] = [
  { than: 'ws', target: 0.75, stretch: 0.6 },
  { than: 'socket.io', target: 0.55, stretch: 0.5 },
  { than: 'tcp', target: 1.4, stretch: 1.25 },
];

/** Everybody who is compared to. */
const compared: readonly HubName[] = ['tcp', 'ws', 'socket.io', 'mosquitto'];

/** What a hub gives out costs it: as fast as everybody takes it, and at the pace of a camera. */
export const fanOut: Trial = async ({ load, rounds, seconds }) =>
  withHubs([...compared, 'waymark'], async (hubs) => {
    for (const hub of hubs.values()) await load.run({ kind: 'check', hub });
    const measure = async (title: string, pace: StreamJob['pace']): Promise<ReadonlyMap<string, Results>> => {
      const results = new Map([...hubs.values()].map((hub) => [hub.name, new Results()]));
      await inTurns(
        [...hubs.values()],
        rounds,
        (hub) => give(load, hub, pace, seconds),
        ({ name }, cost) => results.get(name)?.add(cost),
      );
      show(title, results);
      return results;
    };
    const asTaken = await measure(`${subscribers} × 50 KB`, { inFlight: 2 });
    await measure(`${subscribers} × 50 KB, 30 fps`, { perSecond: 30 });
    return goalsOf(asTaken);
  });

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
  const rows = [...results].map(([name, { cpuMicros, perSecond, p50Ms, p99Ms }]) => [
    name,
    cpuMicros.toString(),
    ...compared.map((than) => ratio(results, name, than).toString(2)),
    perSecond.toString(0),
    p50Ms.median.toFixed(1),
    p99Ms.median.toFixed(0),
  ]);
  const ratios = compared.map((than) => `× ${than}`);
  printTable(title, ['µs CPU/delivery', ...ratios, 'deliveries/s', 'p50 ms', 'p99 ms'], rows);
}

function ratio(results: ReadonlyMap<string, Results>, name: string, than: string): Rounds {
  const costOf = (one: string): Rounds => results.get(one)?.cpuMicros ?? new Rounds();
  return costOf(name).over(costOf(than));
}

function goalsOf(results: ReadonlyMap<string, Results>): readonly Goal[] {
  return promises.map(({ than, target, stretch }) => {
    const measured = ratio(results, 'waymark', than).median;
    console.log(
      `stretch ${than}: ${measured.toFixed(2)} <= ${stretch} ${measured <= stretch ? 'met' : 'not yet'}`,
    );
    return { name: `hub-fan-out-to-${than.replace('.', '-')}`, measured, op: '<=', target };
  });
}
