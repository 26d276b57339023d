import type { FrameRecord, HubBackend, HubRecord } from '@waymark/contract/hub';
import { hubBackendCases, verifies } from '@waymark/contract/testing';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createRedisBackend, type RedisBackendOptions } from '../src/index.ts';
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

describe.skipIf(!hasRedis)('createRedisBackend', () => {
  let redis: RedisServer;
  let prefixes = 0;
  const opened: { close(): unknown }[] = [];
  const lines: unknown[][] = [];

  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((one) => one.close()));
    lines.length = 0;
  });

  async function open(options: Partial<RedisBackendOptions> = {}): Promise<HubBackend> {
    const backend = createRedisBackend({ url: redis.url, prefix: `test-${prefixes}`, ...options });
    opened.push(backend);
    await backend.open?.((...line) => lines.push(line));
    return backend;
  }

  async function client(): Promise<Redis> {
    const one = new Redis(redis.url);
    opened.push({ close: () => one.disconnect() });
    return one;
  }

  it.each(hubBackendCases)('$name', async ({ run }) => {
    verifies('scale.machines.one-suite');
    prefixes++;
    await run(await open());
  });

  it('shows two processes the same devices', async () => {
    prefixes++;
    const [a, b] = [await open(), await open()];
    const heard: HubRecord[] = [];
    await b.subscribe('door', (record) => heard.push(record)).ready;
    expect(await a.publishFrame('door', frame(1))).toBe(1);
    expect(await b.publishFrame('door', frame(2))).toBe(2);
    await a.publishTelemetry('door', { data: 20, atMs: 1 });
    await a.report('door', 'a', report, 60_000);
    await expect.poll(() => heard.length).toBe(3);
    expect((await b.recent('door')).map(({ seq }) => seq)).toEqual([1, 2]);
    expect(await b.telemetry('door')).toEqual({ kind: 'telemetry', data: 20, atMs: 1 });
    expect(await b.reports('door')).toEqual(new Map([['a', report]]));
    expect([await a.claim('door', 'a', 60_000), await b.claim('door', 'b', 60_000)]).toEqual([true, false]);
  });

  it('keeps services of other names apart', async () => {
    const [a, b] = [await open({ prefix: 'one' }), await open({ prefix: 'two' })];
    await a.publishFrame('door', frame(1));
    expect(await b.newest('door')).toBeUndefined();
  });

  it('holds the newest frames of each device, as many as it is to keep', async () => {
    prefixes++;
    const backend = await open({ keep: (device) => (device === 'door' ? 3 : 1) });
    for (const device of ['door', 'yard'])
      for (const fill of [1, 2, 3, 4]) await backend.publishFrame(device, frame(fill));
    expect((await backend.recent('door')).map(({ seq }) => seq)).toEqual([2, 3, 4]);
    expect((await backend.recent('yard')).map(({ seq }) => seq)).toEqual([4]);
  });

  it('forgets a device that has been silent for as long as it is kept', async () => {
    verifies('scale.redis.forgets');
    prefixes++;
    const backend = await open({ keepMs: 60_000 });
    await backend.publishFrame('door', frame(1));
    await backend.publishTelemetry('yard', { data: 1, atMs: 1 });
    await backend.report('door', 'a', report, 30_000);
    await backend.claim('door', 'a', 20_000);
    const raw = await client();
    const keys = await raw.keys(`test-${prefixes}:*`);
    expect(keys).toHaveLength(4);
    for (const key of keys) expect(await raw.pttl(key)).toBeGreaterThan(0);
  });

  it('passes over what no hub has written, and says so once', async () => {
    verifies('scale.redis.strange');
    prefixes++;
    const backend = await open();
    const heard: HubRecord[] = [];
    await backend.subscribe('door', (record) => heard.push(record)).ready;
    const raw = await client();
    const strange = [
      '',
      'F',
      'F1',
      'F1\n',
      'Fx\n{}\nabc',
      'F1\n{"mediaType":"text/html","atMs":1}\nabc',
      'T',
      'T{',
      'T7',
    ];
    for (const text of [
      ...strange,
      'S{"status":"gone","atMs":1}',
      'I[]',
      'I{"type":"insight"}',
      '\xff',
      'Tnull',
    ])
      await raw.publish(`test-${prefixes}:door`, text);
    for (const text of ['abc', '']) await raw.publish(`test-${prefixes}:door:bytes`, text);
    await raw.hset(`test-${prefixes}:{door}`, { n: '0', h0: 'x', b0: 'y', t: '{' });
    await raw.hset(`test-${prefixes}:{door}:reports`, {
      a: 'x',
      b: '99999999999999\n{}',
      c: '99999999999999\n[',
    });
    expect(await backend.newest('door')).toBeUndefined();
    expect(await backend.recent('door')).toEqual([]);
    expect(await backend.telemetry('door')).toBeUndefined();
    expect(await backend.reports('door')).toEqual(new Map());
    await backend.publishFrame('door', frame(1));
    await expect.poll(() => heard.length).toBe(1);
    expect(lines.filter(([level]) => level === 'warn')).toHaveLength(1);
  });

  it('answers what Redis refuses with 503, and says so in health', async () => {
    prefixes++;
    const backend = await open();
    const raw = await client();
    await raw.set(`test-${prefixes}:{door}`, 'no hash');
    await expect(backend.publishFrame('door', frame(1))).rejects.toMatchObject({
      status: 503,
      members: { code: 'redis_refused' },
      headers: { 'retry-after': '1' },
    });
    expect(backend.troubles?.()).toMatchObject([{ code: 'hub-redis-refuses' }]);
    expect(await backend.publishFrame('yard', frame(1))).toBe(1);
  });

  it('goes on where somebody has made Redis forget its programs', async () => {
    prefixes++;
    const backend = await open();
    await (await client()).script('FLUSH');
    expect(await backend.publishFrame('door', frame(1))).toBe(1);
    expect(backend.troubles?.()).toEqual([]);
  });
});
