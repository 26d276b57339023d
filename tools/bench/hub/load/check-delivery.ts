import { makeFrame, writeStamp } from '../frame.ts';
import type { HubAddress, JobResult } from '../jobs.ts';
import { deferred } from './deferred.ts';
import { connectFeeder } from './feeder.ts';
import { Reader } from './reader.ts';

const frameBytes = 50_000;
const patienceMs = 5000;

/** Sends one frame to one subscriber. @throws {Error} when it is not the same at the other end, with its header before it */
export async function checkDelivery(hub: HubAddress): Promise<JobResult> {
  const frame = makeFrame(frameBytes);
  writeStamp(frame, { load: 0, id: 1, sentMs: 0 });
  let lastText = '';
  const arrived = deferred<{ readonly bytes: Buffer; readonly header: string }>();
  const reader = await Reader.open(
    hub,
    { keepOfFrame: frameBytes + 1 },
    {
      onText: (text) => (lastText = text.toString()),
      onFrame: (bytes) => arrived.resolve({ bytes: Buffer.from(bytes), header: lastText }),
    },
  );
  const feeder = await connectFeeder(hub);
  const late = setTimeout(() => arrived.reject(new Error(`${hub.url} did not give out a frame`)), patienceMs);
  try {
    await feeder.send(frame);
    const { bytes, header } = await arrived.promise;
    if (!bytes.equals(frame)) throw new Error(`${hub.url} changed a frame: ${bytes.length} bytes`);
    const wanted = [
      '"type":"frame"',
      '"seq":',
      '"media_type":"image/jpeg"',
      `"bytes":${frameBytes}`,
      '"at_ms":',
    ];
    const missing = wanted.filter((part) => !header.includes(part));
    if (hub.wire !== 'mqtt' && missing.length > 0)
      throw new Error(`${hub.url} announced a frame with ${header}, without ${missing.join(', ')}`);
    return { seconds: 0, published: 1, groups: {} };
  } finally {
    clearTimeout(late);
    feeder.close();
    await reader.close();
  }
}
