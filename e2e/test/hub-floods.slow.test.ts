import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { byTier, verifies } from '@waymark/contract/testing';
import { camera } from '@waymark/device-hub';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serveHub } from './hub-door.ts';
import type { Flood, Flooded } from './hub-flooder.ts';
import { wsFrame } from './hub-wire.ts';

/** Each flood is half a second of two processors: CI has one in two, a drill has all. */
const some = <T>(floods: readonly T[]): readonly T[] =>
  floods.filter((_, i) => i % byTier({ quick: 2, slow: 2, drill: 1 }) === 0);

const text = (content: string): Uint8Array => wsFrame(0x1, Buffer.from(content));

/**
 * Floods a hub, and asks it for something small all the while.
 *
 * @returns the longest that an answer took, in CPU time of the server: other processes have theirs in any measured time
 */
async function besideFlood(
  frame: Uint8Array,
  sockets: number,
  target = '/devices/door/ws',
): Promise<{ longestMs: number; frames: number }> {
  const { port, send } = await serveHub([camera('door'), camera('yard')]);
  const flood: Flood = { port, target, sockets, ms: 500, frame };
  const worker = new Worker(new URL('./hub-flooder.ts', import.meta.url), { workerData: flood });
  onTestFinished(async () => void (await worker.terminate()));
  let ended = false;
  const done = once(worker, 'message').then(([flooded]) => {
    ended = true;
    return flooded as Flooded;
  });
  let longestMs = 0;
  while (!ended) {
    const since = process.threadCpuUsage();
    expect((await send('POST', '/devices/yard/telemetry', '{}', 'sender')).status).toBe(202);
    const { user, system } = process.threadCpuUsage(since);
    longestMs = Math.max(longestMs, (user + system) / 1000);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return { longestMs, ...(await done) };
}

describe('half a second of flood on ingest sockets', () => {
  it.each(
    some([
      ['readings', text('{}')],
      ['frames that are no pictures', wsFrame(0x2, new Uint8Array(1))],
      ['texts that are no JSON', text('{')],
      ['pongs that nobody asked for', wsFrame(0xa, new Uint8Array())],
    ]),
  )('of %s leaves room for everybody else', async (_, frame) => {
    const { longestMs, frames } = await besideFlood(frame, 1);
    // Three times what is promised.
    expect(longestMs).toBeLessThan(3 * 100);
    expect(frames).toBeGreaterThan(2_000);
  });

  it.each(some([64, 1]))(
    'leaves room, too, where each frame has its receipt: from %i sockets',
    async (sockets) => {
      verifies('hub.receipts');
      const frame = wsFrame(0x2, new Uint8Array(1));
      const { longestMs } = await besideFlood(frame, sockets, '/devices/door/ws?receipts=1');
      expect(longestMs).toBeLessThan(3 * (sockets === 1 ? 100 : 250));
    },
  );

  it.each(
    some([
      ['pongs', wsFrame(0xa, new Uint8Array())],
      ['readings', text('{}')],
      ['frames', wsFrame(0x2, new Uint8Array(1))],
    ]),
  )('of %s, from 64 sockets, leaves room too', async (_, frame) => {
    const { longestMs } = await besideFlood(frame, 64);
    // The first chunk of each of them comes at once, and is parsed.
    expect(longestMs).toBeLessThan(3 * 250);
  });
});
