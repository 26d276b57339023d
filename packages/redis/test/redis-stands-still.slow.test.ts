import type { FrameRecord, HubRecord } from '@waymark/contract/hub';
import { expect, it } from 'vitest';
import { createRedisBackend } from '../src/index.ts';
import { hasRedis, startRedis } from './redis-server.ts';

const frame: Omit<FrameRecord, 'kind' | 'seq'> = {
  mediaType: 'image/jpeg',
  bytes: new Uint8Array(3),
  atMs: 1,
};
const gone = [expect.objectContaining({ code: 'hub-redis-gone' })];

it.skipIf(!hasRedis)('notices within five seconds that Redis stands still, and that it goes on', async () => {
  const redis = await startRedis();
  const backend = createRedisBackend({ url: redis.url });
  try {
    await backend.open?.(() => {});
    const heard: HubRecord[] = [];
    await backend.subscribe('door', (record) => heard.push(record)).ready;
    await backend.publishFrame('door', frame);
    redis.pause();
    const stuck = Promise.resolve(backend.publishFrame('door', frame)).catch((error: unknown) => error);
    await expect.poll(() => backend.troubles?.(), { timeout: 6_000 }).toEqual(gone);
    expect(await stuck).toMatchObject({ status: 503, members: { code: 'redis_unreachable' } });
    redis.resume();
    await expect.poll(() => backend.troubles?.(), { timeout: 6_000 }).toEqual([]);
    let last = 0;
    await expect
      .poll(async () => {
        last = await backend.publishFrame('door', frame);
        return last;
      })
      .toBeGreaterThan(0);
    await expect.poll(() => heard.at(-1)).toMatchObject({ seq: last });
  } finally {
    await backend.close();
    await redis.stop();
  }
});
