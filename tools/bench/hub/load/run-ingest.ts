import { setTimeout as sleep } from 'node:timers/promises';
import { makeFrame } from '../frame.ts';
import { devices, type IngestJob, type JobResult, mostPerSecond } from '../jobs.ts';
import { connectFeeder, type Feeder } from './feeder.ts';
import { connectSocketFeeder } from './socket-feeder.ts';

/**
 * Sends frames to all devices in turn, over some connections: the next one on each as soon as the last was taken. A socket is
 * that of one device.
 *
 * @param begin told when measuring begins
 */
export async function runIngest(job: IngestJob, begin: () => void): Promise<JobResult> {
  const { hub, frameBytes, by, warmUpMs, measureMs } = job;
  const feeders = await Promise.all(
    by === 'sockets'
      ? devices.map((device) => connectSocketFeeder(hub, device))
      : Array.from({ length: by.posts }, () => connectFeeder(hub)),
  );
  const frame = makeFrame(frameBytes);
  let sent = 0;
  const sendFor = async (ms: number): Promise<number> => {
    const before = sent;
    const startMs = performance.now();
    const most = (mostPerSecond * devices.length) / 1000;
    const send = async (feeder: Feeder): Promise<void> => {
      while (performance.now() < startMs + ms) {
        while (sent - before > (performance.now() - startMs) * most) await sleep(1);
        await feeder.send(frame, devices[sent++ % devices.length]);
      }
    };
    await Promise.all(feeders.map(send));
    return sent - before;
  };
  try {
    await sendFor(warmUpMs);
    begin();
    const startedMs = performance.now();
    const published = await sendFor(measureMs);
    return { seconds: (performance.now() - startedMs) / 1000, published, sent, groups: {} };
  } finally {
    for (const feeder of feeders) feeder.close();
  }
}
