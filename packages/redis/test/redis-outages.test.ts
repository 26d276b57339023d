import { DeclarationError } from '@waymark/contract';
import type { FrameRecord, HubBackend, HubRecord } from '@waymark/contract/hub';
import { verifies } from '@waymark/contract/testing';
import { Redis } from 'ioredis';
import { afterEach, describe, expect, it } from 'vitest';
import { createRedisBackend } from '../src/index.ts';
import { hasRedis, type RedisServer, startRedis } from './redis-server.ts';

function frame(fill: number, length = 3): Omit<FrameRecord, 'kind' | 'seq'> {
  return { mediaType: 'image/jpeg', bytes: new Uint8Array(length).fill(fill), atMs: fill };
}

const report = {
  status: 'online',
  framesIn: 1,
  framesDropped: 0,
  bytesIn: 3,
  fps: 1,
  subscribers: 0,
} as const;
const gone = [expect.objectContaining({ code: 'hub-redis-gone' })];

describe.skipIf(!hasRedis)('a Redis that is not there', () => {
  const opened: (() => unknown)[] = [];
  let lines: unknown[][] = [];

  afterEach(async () => {
    for (const close of opened.splice(0).reverse()) await close();
    lines = [];
  });

  async function server(...options: readonly string[]): Promise<RedisServer> {
    const redis = await startRedis(...options);
    opened.push(() => redis.stop());
    return redis;
  }

  async function open(url: string): Promise<HubBackend> {
    const backend = createRedisBackend({ url });
    opened.push(() => backend.close());
    await backend.open?.((...line) => lines.push(line));
    return backend;
  }

  async function listen(backend: HubBackend): Promise<readonly HubRecord[]> {
    const heard: HubRecord[] = [];
    await backend.subscribe('door', (record) => heard.push(record)).ready;
    return heard;
  }

  function numbers(heard: readonly HubRecord[]): readonly number[] {
    return heard.flatMap((record) => (record.kind === 'frame' ? [record.seq] : []));
  }

  /** As a device does that is told to come again. */
  async function untilTaken(backend: HubBackend, fill: number): Promise<number> {
    let seq = 0;
    await expect
      .poll(async () => {
        seq = await backend.publishFrame('door', frame(fill));
        return seq;
      })
      .toBeGreaterThan(0);
    return seq;
  }

  it('refuses at once, keeps who listens, and goes on behind the numbers there were', async () => {
    verifies('scale.redis.away', 'scale.redis.numbers');
    const redis = await server();
    const [a, b] = [await open(redis.url), await open(redis.url)];
    const heard = await listen(b);
    for (const fill of [1, 2, 3]) await a.publishFrame('door', frame(fill));
    await a.report('door', 'a', report, 60_000);
    await expect.poll(() => heard.length).toBe(3);
    await redis.kill();

    await expect.poll(() => [a.troubles?.(), b.troubles?.()]).toEqual([gone, gone]);
    const refused = { status: 503, members: { code: 'redis_unreachable' }, headers: { 'retry-after': '1' } };
    await expect(a.publishFrame('door', frame(4))).rejects.toMatchObject(refused);
    await expect(a.newest('door')).rejects.toMatchObject(refused);
    await redis.start();

    await expect.poll(() => [a.troubles?.(), b.troubles?.()], { timeout: 5_000 }).toEqual([[], []]);
    expect(await untilTaken(a, 4)).toBe(4);
    expect(await a.publishFrame('door', frame(5))).toBe(5);
    await expect.poll(() => numbers(heard)).toEqual([1, 2, 3, 4, 5]);
    // What was said of the device is said again by who said it.
    await expect.poll(() => b.reports('door')).toEqual(new Map([['a', report]]));
  });

  it('goes on behind the numbers that one who listens has seen, whoever publishes', async () => {
    verifies('scale.redis.numbers');
    const redis = await server();
    const [a, b] = [await open(redis.url), await open(redis.url)];
    const heard = await listen(b);
    for (const fill of [1, 2, 3]) await a.publishFrame('door', frame(fill));
    await expect.poll(() => heard.length).toBe(3);
    await a.close();
    await redis.kill();
    await redis.start();
    await expect.poll(() => b.troubles?.()).toEqual([]);
    const raw = new Redis(redis.url);
    opened.push(() => raw.disconnect());
    await expect.poll(() => raw.hget('waymark:{door}', 's')).toBe('3');

    const another = await open(redis.url);
    expect(await another.publishFrame('door', frame(4))).toBe(4);
    await expect.poll(() => numbers(heard)).toEqual([1, 2, 3, 4]);
  });

  it('tells who listens the newest, and by its number how many were lost, when only its line was cut', async () => {
    verifies('scale.redis.away');
    const redis = await server();
    const [a, b] = [await open(redis.url), await open(redis.url)];
    const heard = await listen(b);
    await a.publishFrame('door', frame(1));
    await expect.poll(() => heard.length).toBe(1);
    const raw = new Redis(redis.url);
    opened.push(() => raw.disconnect());
    await raw.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    for (const fill of [2, 3, 4]) await a.publishFrame('door', frame(fill));
    await a.publishTelemetry('door', { data: 20, atMs: 5 });
    await expect.poll(() => numbers(heard).at(-1)).toBe(4);
    await expect.poll(() => heard.some(({ kind }) => kind === 'telemetry')).toBe(true);
    await a.publishFrame('door', frame(5));
    await expect.poll(() => numbers(heard).at(-1)).toBe(5);
    const seen = numbers(heard);
    expect(seen).toEqual([...new Set(seen)].sort((one, other) => one - other));
  });

  it('opens without it, says so with what helps, and has it once it is there', async () => {
    const redis = await server();
    await redis.kill();
    const backend = await open(redis.url.replace('//', '//user:secret@'));
    expect(lines).toEqual([
      [
        'warn',
        'the device hub cannot reach its Redis',
        { error: expect.stringContaining('ECONNREFUSED'), fix: expect.any(String) },
      ],
    ]);
    expect(JSON.stringify([lines, backend.troubles?.()])).not.toContain('secret');
    expect(backend.troubles?.()).toEqual(gone);
  });

  it('listens as soon as it is there for who came before', async () => {
    const redis = await server();
    await redis.kill();
    const backend = await open(redis.url);
    const heard: HubRecord[] = [];
    const { ready } = backend.subscribe('door', (record) => heard.push(record));
    await redis.start();
    await ready;
    await untilTaken(backend, 1);
    await expect.poll(() => numbers(heard)).toEqual([1]);
  });

  it('does not open where Redis refuses who comes, and shows no password', async () => {
    verifies('scale.redis.credentials');
    const redis = await server('--requirepass', 'right');
    const wrong = await open(redis.url.replace('//', '//:wrong-word@')).catch((error: unknown) => error);
    const none = await open(redis.url).catch((error: unknown) => error);
    for (const error of [wrong, none]) {
      expect(error).toBeInstanceOf(DeclarationError);
      expect((error as DeclarationError).problems).toMatchObject([{ code: 'redis-refused' }]);
      expect(String(error)).not.toContain('wrong-word');
    }
    const backend = await open(redis.url.replace('//', '//:right@'));
    expect(await backend.publishFrame('door', frame(1))).toBe(1);
    expect(JSON.stringify(lines)).not.toContain('right');
  });

  it('takes no more than it may while Redis stands still, and none is told as taken that was not', async () => {
    verifies('scale.redis.bounded');
    const redis = await server();
    const backend = await open(redis.url);
    redis.pause();
    const megabytes = (device: string): Promise<unknown> =>
      Promise.resolve(backend.publishFrame(device, frame(1, 8_388_608))).then(
        () => 'taken',
        (error: { members: { code: string } }) => error.members.code,
      );
    const door = [megabytes('door'), megabytes('door'), megabytes('door')];
    expect(await door[2]).toBe('redis_busy');
    redis.resume();
    const told = await Promise.all(door.slice(0, 2));
    // Refused where this took longer than Redis is waited for, on a machine that has much else to do: nothing is done of it.
    expect(['taken', 'redis_busy']).toEqual(expect.arrayContaining(told));
    const taken = told.filter((one) => one === 'taken').length;
    expect(await untilTaken(backend, 1)).toBe(taken + 1);
  });
});
