import { withHubs } from '../hubs.ts';
import type { GroupResult, StreamJob } from '../jobs.ts';
import { inTurns, Rounds } from '../rounds.ts';
import { printTable, type Trial } from './trial.ts';

const perSecond = 20;
/** A reader that takes one megabyte a second is a second behind after five frames, if nothing is left out for it. */
const frameBytes = 200_000;
/** For the buffers of the system to fill up, which hold some megabytes. */
const warmUpMs = 8000;
const measureMs = 5000;

/** How old frames are for somebody who reads slowly, and how many somebody gets who reads from far away. */
export const slowReaders: Trial = async ({ load, rounds }) =>
  withHubs(['ws', 'ws gate', 'socket.io', 'waymark'], async (hubs) => {
    const results = new Map([...hubs.keys()].map((name) => [name as string, new Results()]));
    await inTurns(
      [...hubs.values()],
      Math.ceil(rounds / 2),
      ({ url, wire }) => {
        const readers = { healthy: 10, slow: 1, far: 1 };
        const pace = { perSecond };
        const job = { kind: 'stream', hub: { url, wire }, frameBytes, readers, pace, warmUpMs, measureMs };
        return load.run(job as StreamJob);
      },
      ({ name }, { groups: { slow, far }, seconds }) => results.get(name)?.add(seconds, slow, far),
    );
    const columns = [
      'age at 1 MB/s, p50 ms',
      'p90 ms',
      'max ms',
      'fps',
      'told of',
      'fps 250 ms away',
      'age there, p50 ms',
    ];
    printTable(
      '200 KB, 20 fps',
      columns,
      [...results].map(([name, result]) => [name, ...result.toCells()]),
    );
    const own = results.get('waymark') ?? new Results();
    const gate = results.get('ws gate') ?? new Results();
    return [
      { name: 'hub-slow-reader-age', measured: own.maxMs.median, op: '<=', target: 400, unit: 'ms' },
      {
        name: 'hub-slow-reader-to-gate',
        measured: own.p50Ms.over(gate.p50Ms).median,
        op: '<=',
        target: 0.125,
      },
      { name: 'hub-far-reader-rate', measured: own.farPerSecond.median / perSecond, op: '>=', target: 0.95 },
    ];
  });

class Results {
  readonly p50Ms = new Rounds();
  readonly p90Ms = new Rounds();
  readonly maxMs = new Rounds();
  readonly perSecond = new Rounds();
  readonly skipped = new Rounds();
  readonly farPerSecond = new Rounds();
  readonly farP50Ms = new Rounds();

  add(seconds: number, slow: GroupResult | undefined, far: GroupResult | undefined): void {
    this.p50Ms.add(slow?.p50Ms ?? Number.NaN);
    this.p90Ms.add(slow?.p90Ms ?? Number.NaN);
    this.maxMs.add(slow?.maxMs ?? Number.NaN);
    this.perSecond.add((slow?.deliveries ?? 0) / seconds);
    this.skipped.add(slow?.skipped ?? 0);
    this.farPerSecond.add((far?.deliveries ?? 0) / seconds);
    this.farP50Ms.add(far?.p50Ms ?? Number.NaN);
  }

  toCells(): readonly string[] {
    const { p50Ms, p90Ms, maxMs, perSecond: fps, skipped, farPerSecond, farP50Ms } = this;
    return [
      ...[
        p50Ms.toString(0),
        p90Ms.median.toFixed(0),
        maxMs.toString(0),
        fps.toString(),
        skipped.median.toFixed(0),
      ],
      ...[farPerSecond.toString(), farP50Ms.median.toFixed(0)],
    ];
  }
}
