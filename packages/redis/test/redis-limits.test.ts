import { verifies } from '@waymark/contract/testing';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createRedisLimits, type RedisLimits } from '../src/index.ts';
import { hasRedis, type RedisServer, startRedis } from './redis-server.ts';

describe.skipIf(!hasRedis)('createRedisLimits', () => {
  let redis: RedisServer;
  const opened: { close(): unknown }[] = [];

  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((one) => one.close()));
  });

  async function open(prefix: string, perSecond = 0.001, burst = 10): Promise<RedisLimits> {
    const limits = createRedisLimits({ url: redis.url, prefix, perSecond, burst });
    opened.push(limits);
    await limits.open(() => {});
    return limits;
  }

  it('takes exactly as often as one bucket would, whoever asks at once', async () => {
    verifies('scale.redis.rates');
    const [a, b] = [await open('exact'), await open('exact')];
    const all = await Promise.all(
      Array.from({ length: 50 }, (_, i) => (i % 2 ? a : b).take('rate', 'id desk', 1)),
    );
    expect(all.filter((taken) => taken?.taken)).toHaveLength(10);
    expect(all.filter((taken) => taken?.taken === false)).toHaveLength(40);
    expect(await a.take('rate', 'id guest', 1)).toEqual({
      taken: true,
      left: 9,
      untilFull: 1_000,
      seconds: 0,
    });
  });

  it('says how long to wait, and takes no more than a whole bucket', async () => {
    const limits = await open('waits', 0.5, 4);
    expect(await limits.take('rate', 'x', 9)).toEqual({ taken: true, left: 0, untilFull: 8, seconds: 0 });
    expect(await limits.take('rate', 'x', 1)).toMatchObject({ taken: false, left: 0, seconds: 2 });
  });

  it('fills again with time', async () => {
    const limits = await open('fills', 50, 1);
    expect(await limits.take('rate', 'x', 1)).toMatchObject({ taken: true });
    await expect.poll(() => limits.take('rate', 'x', 1)).toMatchObject({ taken: true });
  });

  it('keeps no name of a caller, and a bucket until it is full again', async () => {
    const limits = await open('names', 1, 10);
    await limits.take('rate', 'ip 192.0.2.7', 5);
    const raw = new Redis(redis.url);
    opened.push({ close: () => raw.disconnect() });
    const [key = '', ...more] = await raw.keys('names:*');
    expect(more).toEqual([]);
    expect(key).not.toContain('192.0.2.7');
    const ttl = await raw.pttl(key);
    expect(ttl).toBeGreaterThan(4_000);
    expect(ttl).toBeLessThanOrEqual(6_100);
  });

  it('leaves it to who asks while Redis is slow, without a wait for each, and is back with its answer', async () => {
    const limits = await open('slow');
    redis.pause();
    const startMs = performance.now();
    expect(await limits.take('rate', 'x', 1)).toBeUndefined();
    const waitedMs = performance.now() - startMs;
    expect(waitedMs).toBeGreaterThan(200);
    for (let i = 0; i < 100; i++) expect(await limits.take('rate', 'x', 1)).toBeUndefined();
    expect(performance.now() - startMs - waitedMs).toBeLessThan(200);
    redis.resume();
    await expect.poll(() => limits.take('rate', 'x', 1)).toMatchObject({ taken: true });
  });
});
