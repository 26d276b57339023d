import type { FrameRecord, HubBackend, HubRecord } from '@waymark/contract/hub';
import { verifies } from '@waymark/contract/testing';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRedisBackend } from '../src/index.ts';
import { hasRedis, type RedisServer, startRedis } from './redis-server.ts';

const frame: Omit<FrameRecord, 'kind' | 'seq'> = {
  mediaType: 'image/jpeg',
  bytes: new Uint8Array(3),
  atMs: 1,
};
const gone = [expect.objectContaining({ code: 'hub-redis-gone' })];
const patience = { timeout: 7_000 };

/** What became of a question, in a word. */
const verdict = (asked: unknown): Promise<unknown> =>
  Promise.resolve(asked).then(
    () => 'taken',
    (error: { members?: { code?: string } }) => error.members?.code ?? error,
  );

describe.skipIf(!hasRedis)('a Redis that stands still', () => {
  let redis: RedisServer;
  let backend: HubBackend;
  let heard: HubRecord[];

  beforeEach(async () => {
    redis = await startRedis();
    backend = createRedisBackend({ url: redis.url });
    await backend.open?.(() => {});
    heard = [];
    await backend.subscribe('door', (record) => heard.push(record)).ready;
  });
  afterEach(async () => {
    await backend.close();
    await redis.stop();
  });

  it('is noticed within five seconds, and that it goes on', async () => {
    await backend.publishFrame('door', frame);
    redis.pause();
    const stuck = verdict(backend.publishFrame('door', frame));
    await expect.poll(() => backend.troubles?.(), patience).toEqual(gone);
    expect(await stuck).toBe('redis_unreachable');
    redis.resume();
    await expect.poll(() => backend.troubles?.(), patience).toEqual([]);
    let last = 0;
    await expect
      .poll(async () => {
        last = await backend.publishFrame('door', frame);
        return last;
      })
      .toBeGreaterThan(0);
    await expect.poll(() => heard.at(-1)).toMatchObject({ seq: last });
  });

  it('does nothing later of what was refused meanwhile, whenever it was sent', async () => {
    verifies('scale.redis.late');
    await backend.publishFrame('door', { ...frame, atMs: 1 });
    await backend.publishTelemetry('door', { data: 'before', atMs: 1 });
    await expect.poll(() => heard.length).toBe(2);
    redis.pause();
    const pausedMs = performance.now();
    const verdicts: Promise<unknown>[] = [];
    const send = (): void => {
      const atMs = 2 + verdicts.length;
      verdicts.push(
        verdict(backend.publishFrame('door', { ...frame, atMs })),
        verdict(backend.publishTelemetry('door', { data: 'refused', atMs })),
        verdict(backend.publishStatus('door', { status: 'offline', atMs })),
        verdict(backend.claim('door', 'refused', 60_000)),
      );
    };
    // Who goes on sending does not keep it from being noticed, nor those who wait from being told.
    const timer = setInterval(send, 200);
    send();
    const first = await verdicts[0];
    clearInterval(timer);
    expect(performance.now() - pausedMs).toBeLessThan(6_000);
    expect(new Set([first, ...(await Promise.all(verdicts))])).toEqual(new Set(['redis_unreachable']));
    expect(verdicts.length).toBeGreaterThan(40);

    redis.resume();
    await expect.poll(() => backend.troubles?.(), patience).toEqual([]);
    // All that was written to the connections that were given up has been read once none of them is left.
    const raw = new Redis(redis.url);
    await expect.poll(async () => connections(await raw.call('CLIENT', 'LIST'))).toBe(2);
    raw.disconnect();
    const claimed = await backend.claim('door', 'other', 1_000);
    const reading = await backend.telemetry('door');
    expect([(await backend.newest('door'))?.atMs, reading?.data, claimed]).toEqual([1, 'before', true]);
    expect(await backend.publishFrame('door', { ...frame, atMs: 9 })).toBe(2);
    await expect.poll(() => heard.at(-1)).toMatchObject({ kind: 'frame', seq: 2 });
    expect(heard.map((record) => [record.kind, 'atMs' in record && record.atMs])).toEqual([
      ['frame', 1],
      ['telemetry', 1],
      ['frame', 9],
    ]);
  });

  it('takes what is sent by a process that stood still itself', async () => {
    expect(await backend.publishFrame('door', frame)).toBe(1);
    // Longer than what it sends with the time of Redis that it knew before is good for.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 4_500);
    expect(await backend.publishFrame('door', frame)).toBe(2);
    expect(backend.troubles?.()).toEqual([]);
  });
});

/** Those of the hub: one asks, one listens. */
function connections(list: unknown): number {
  return String(list).split('name=waymark-').length - 1;
}
