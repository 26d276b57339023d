// Runs in a thread of its own: what reading costs must not count as time that the hub took.
import { parentPort, workerData } from 'node:worker_threads';
import { openReader, type SeenFrame } from './hub-reader.ts';

/** What the thread is given: where to connect, and how often. */
export interface CrowdReadersData {
  readonly port: number;
  readonly count: number;
}

/** What each reader saw since it was last asked. */
export type CrowdSights = readonly (readonly Pick<SeenFrame, 'seq' | 'ageMs'>[])[];

const { port, count } = workerData as CrowdReadersData;
const readers = Array.from({ length: count }, () => openReader({ port, target: '/devices/door/stream' }));
const reported = readers.map(() => 0);

await Promise.all(readers.map((reader) => reader.until(({ hello }) => hello !== undefined)));
parentPort?.on('message', () => {
  const sights: CrowdSights = readers.map(({ frames }, i) => {
    const fresh = frames.slice(reported[i]);
    reported[i] = frames.length;
    return fresh.map(({ seq, ageMs }) => ({ seq, ageMs }));
  });
  parentPort?.postMessage(sights);
});
parentPort?.postMessage([]);
