import type { Hub } from '../hub.ts';
import { type HubName, withHubs } from '../hubs.ts';
import { devices, type IngestJob, keys } from '../jobs.ts';
import type { LoadProcess } from '../load-process.ts';
import { inTurns, Rounds } from '../rounds.ts';
import { printTable, type Trial, type TrialOptions } from './trial.ts';

const frameBytes = 50_000;

/** What it costs to take a frame in by POST. */
export const ingest: Trial = async (options) => {
  const costs = await measure(options, ['http bare', 'http keeps', 'http full', 'waymark'], { posts: 4 });
  show('POST 50 KB', costs, 'http keeps');
  const measured = costs.cpuOf('waymark').over(costs.cpuOf('http keeps')).median;
  return [{ name: 'hub-ingest-to-http', measured, op: '<=', target: 1.15 }];
};

/** What it costs to take one in by socket, one for each device. */
export const ingestSocket: Trial = async (options) => {
  const costs = await measure(options, ['ws keeps', 'waymark'], 'sockets');
  show('50 KB by socket', costs, 'ws keeps');
  const measured = costs.cpuOf('waymark').over(costs.cpuOf('ws keeps')).median;
  return [{ name: 'hub-ingest-socket-to-ws', measured, op: '<=', target: 1.4 }];
};

/** What each contestant used for a frame, and how many it took. */
class Costs {
  readonly #all: ReadonlyMap<string, { readonly cpuMicros: Rounds; readonly perSecond: Rounds }>;

  constructor(names: readonly string[]) {
    this.#all = new Map(names.map((name) => [name, { cpuMicros: new Rounds(), perSecond: new Rounds() }]));
  }

  get all(): Iterable<readonly [string, { readonly cpuMicros: Rounds; readonly perSecond: Rounds }]> {
    return this.#all;
  }

  cpuOf(name: string): Rounds {
    return this.#all.get(name)?.cpuMicros ?? new Rounds();
  }

  add(name: string, cpuMicros: number, perSecond: number): void {
    this.#all.get(name)?.cpuMicros.add(cpuMicros);
    this.#all.get(name)?.perSecond.add(perSecond);
  }
}

async function measure(
  { load, rounds, seconds }: TrialOptions,
  names: readonly HubName[],
  by: IngestJob['by'],
): Promise<Costs> {
  return withHubs(names, async (hubs) => {
    const costs = new Costs([...hubs.keys()]);
    let sentToOwn = 0;
    await inTurns(
      [...hubs.values()],
      rounds,
      async (hub) => {
        const turn = await send(load, hub, by, seconds);
        if (hub.name === 'waymark') sentToOwn += turn.sent;
        return turn;
      },
      ({ name }, { used, published, took }) => costs.add(name, used / published, published / took),
    );
    const own = hubs.get('waymark');
    if (own) await refuseDropped(own, sentToOwn);
    return costs;
  });
}

interface Turn {
  readonly used: number;
  /** While it was measured, and with those before. */
  readonly published: number;
  readonly sent: number;
  readonly took: number;
}

async function send(load: LoadProcess, hub: Hub, by: IngestJob['by'], seconds: number): Promise<Turn> {
  let before = 0;
  const { url, wire } = hub;
  const measureMs = seconds * 1000;
  const job: IngestJob = { kind: 'ingest', hub: { url, wire }, frameBytes, by, warmUpMs: 300, measureMs };
  const {
    published,
    sent = published,
    seconds: took,
  } = await load.run(job, async () => {
    before = await hub.cpuMicros();
  });
  return { used: (await hub.cpuMicros()) - before, published, sent, took };
}

/** Frames that are dropped cost less. @throws {Error} when they were more than a few */
async function refuseDropped({ url }: Hub, sent: number): Promise<void> {
  const counts = devices.map(async (device) => {
    const answer = await fetch(new URL(`/devices/${device}/latest`, url), {
      headers: { 'x-api-key': keys.read },
    });
    await answer.bytes();
    return Number(answer.headers.get('x-frame-seq'));
  });
  const taken = (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  if (taken < 0.99 * sent) throw new Error(`of ${sent} frames ${taken} were taken: this measures refusals`);
}

function show(title: string, costs: Costs, than: string): void {
  printTable(
    title,
    ['µs CPU/frame', `× ${than}`, 'frames/s'],
    Array.from(costs.all, ([name, { cpuMicros, perSecond }]) => [
      name,
      cpuMicros.toString(),
      cpuMicros.over(costs.cpuOf(than)).toString(2),
      perSecond.toString(0),
    ]),
  );
}
