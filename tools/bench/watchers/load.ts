// Cameras and readers of one server: `load.ts <url> <seconds>` prints the delays of frames as JSON, milliseconds.
import { setTimeout as sleep } from 'node:timers/promises';
import { makeFrame, readStamp, writeStamp } from '../hub/frame.ts';
import { cameraName, cameras, fps, frameBytes, keys, lively, readers as readerCount } from './yard.ts';

const [url = '', seconds = '2'] = process.argv.slice(2);
const delays: number[] = [];
let measuring = false;

async function open(path: string, key: string): Promise<WebSocket> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}${path}?access_token=${key}`);
  socket.binaryType = 'arraybuffer';
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve(), { once: true });
    socket.addEventListener('error', () => reject(new Error(`${path} refused`)), { once: true });
  });
  return socket;
}

// The bytes of the others tell nothing of when they were sent.
const readers = await Promise.all(
  Array.from({ length: readerCount }, async (_, n) => {
    const socket = await open(`/devices/${cameraName(n % lively)}/stream`, keys.read);
    socket.addEventListener('message', ({ data }) => {
      if (measuring && data instanceof ArrayBuffer)
        delays.push(performance.now() - readStamp(Buffer.from(data)).sentMs);
    });
    return socket;
  }),
);
const senders = await Promise.all(
  Array.from({ length: cameras }, (_, n) => open(`/devices/${cameraName(n)}/ws`, keys.ingest)),
);
const frames = Array.from({ length: cameras }, () => makeFrame(frameBytes));
const periodMs = 1000 / fps;
const startMs = performance.now();
const endMs = startMs + 1_500 + Number(seconds) * 1000;
// Each camera has its own place in the period.
await Promise.all(
  senders.map(async (socket, n) => {
    const frame = frames[n];
    if (!frame) return;
    for (let id = 1; ; id++) {
      const dueMs = startMs + (id + n / cameras) * periodMs;
      if (dueMs > endMs) return;
      await sleep(Math.max(0, dueMs - performance.now()));
      measuring = performance.now() - startMs > 1_500;
      if (n < lively) writeStamp(frame, { load: 0, id, sentMs: performance.now() });
      socket.send(frame);
    }
  }),
);
await sleep(200);
for (const socket of [...readers, ...senders]) socket.close();
delays.sort((a, b) => a - b);
const at = (share: number): number => delays[Math.floor(share * (delays.length - 1))] ?? Number.NaN;
console.log(JSON.stringify({ frames: delays.length, p50Ms: at(0.5), p99Ms: at(0.99) }));
