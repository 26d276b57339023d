import { withHubs } from '../hubs.ts';
import type { IngestJob } from '../jobs.ts';
import { inTurns, Rounds } from '../rounds.ts';
import { printTable, type Trial } from './trial.ts';

const frameBytes = 50_000;
const connections = 4;

/** What it costs to take a frame in over HTTP. */
export const ingest: Trial = async ({ load, rounds, seconds }) =>
  withHubs(['http bare', 'http full', 'waymark'], async (hubs) => {
    const results = new Map(
      [...hubs.keys()].map((name) => [name as string, { cpuMicros: new Rounds(), perSecond: new Rounds() }]),
    );
    await inTurns(
      [...hubs.values()],
      rounds,
      async (hub) => {
        let before = 0;
        const { url, wire } = hub;
        const measureMs = seconds * 1000;
        const job: IngestJob = {
          kind: 'ingest',
          hub: { url, wire },
          frameBytes,
          connections,
          warmUpMs: 300,
          measureMs,
        };
        const result = await load.run(job, async () => {
          before = await hub.cpuMicros();
        });
        return { result, used: (await hub.cpuMicros()) - before };
      },
      ({ name }, { result: { published, seconds: took }, used }) => {
        results.get(name)?.cpuMicros.add(used / published);
        results.get(name)?.perSecond.add(published / took);
      },
    );
    const costOf = (name: string): Rounds => results.get(name)?.cpuMicros ?? new Rounds();
    const toBare = (name: string): Rounds => costOf(name).over(costOf('http bare'));
    printTable(
      'POST 50 KB',
      ['µs CPU/frame', '× bare', 'frames/s'],
      [...results].map(([name, { cpuMicros, perSecond }]) => [
        name,
        cpuMicros.toString(),
        toBare(name).toString(2),
        perSecond.toString(0),
      ]),
    );
    return [{ name: 'hub-ingest-to-http', measured: toBare('waymark').median, op: '<=', target: 1.15 }];
  });
