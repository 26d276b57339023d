import { setTimeout as sleep } from 'node:timers/promises';
import type { Hub } from '../hub.ts';
import { withHubs } from '../hubs.ts';
import type { StreamJob } from '../jobs.ts';
import type { LoadProcess } from '../load-process.ts';
import { inTurns, Rounds } from '../rounds.ts';
import { printTable, type Trial } from './trial.ts';

const healthy = 100;
const stalled = 10;
const frameBytes = 200_000;
const perSecond = 20;

/** How long memory is watched, and how often. Waymark closes a stalled reader after 15 s: all have to be there to the end. */
const memoryWarmUpMs = 2000;
const memoryMs = 10_000;
const sampleMs = 250;
/** Of the beginning and of the end, which are compared: collections of garbage come and go within it. */
const edgeMs = 2000;

/** What readers that take nothing cost the others, and the hub. */
export const stalledReaders: Trial = async ({ load, rounds, seconds }) =>
  withHubs(['ws', 'waymark'], async (hubs) => {
    const cases = [...hubs.values()].flatMap((hub) =>
      [0, stalled].map((count) => ({ hub, count, p50Ms: new Rounds(), p99Ms: new Rounds() })),
    );
    await inTurns(
      cases,
      rounds,
      ({ hub, count }) => load.run(jobOf(hub, count, 1000, seconds * 1000)),
      ({ p50Ms, p99Ms }, { groups }) => {
        p50Ms.add(groups.healthy?.p50Ms ?? Number.NaN);
        p99Ms.add(groups.healthy?.p99Ms ?? Number.NaN);
      },
    );
    const growth = new Map<string, number>();
    for (const hub of hubs.values()) growth.set(hub.name, await growthOf(hub, load));
    printTable(
      '100 readers, 200 KB, 20 fps',
      ['stalled', 'p50 ms', 'p99 ms', 'memory in 10 s'],
      cases.map(({ hub: { name }, count, p50Ms, p99Ms }) => {
        const grown = count === 0 ? '' : `${((growth.get(name) ?? Number.NaN) / 1e6).toFixed(1)} MB`;
        return [name, String(count), p50Ms.toString(), p99Ms.toString(), grown];
      }),
    );
    const p99Of = (wanted: number): Rounds =>
      cases.find(({ hub: { name }, count }) => name === 'waymark' && count === wanted)?.p99Ms ?? new Rounds();
    const megabytes = (growth.get('waymark') ?? Number.NaN) / 1e6;
    return [
      {
        name: 'hub-stalled-readers-p99',
        measured: p99Of(stalled).over(p99Of(0)).median,
        op: '<=',
        target: 1.2,
      },
      { name: 'hub-stalled-readers-memory', measured: megabytes, op: '<=', target: 5, unit: 'MB' },
    ];
  });

function jobOf({ url, wire }: Hub, count: number, warmUpMs: number, measureMs: number): StreamJob {
  const readers = { healthy, stalled: count };
  return {
    kind: 'stream',
    hub: { url, wire },
    frameBytes,
    readers,
    pace: { perSecond },
    warmUpMs,
    measureMs,
  };
}

/** How much more memory a hub has at the end than at the beginning. */
async function growthOf(hub: Hub, load: LoadProcess): Promise<number> {
  const samples: number[] = [];
  await load.run(jobOf(hub, stalled, memoryWarmUpMs, memoryMs), async () => {
    for (let ms = 0; ms < memoryMs; ms += sampleMs) {
      samples.push(await hub.rssBytes());
      await sleep(sampleMs);
    }
  });
  const edge = edgeMs / sampleMs;
  return mean(samples.slice(-edge)) - mean(samples.slice(0, edge));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
