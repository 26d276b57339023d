/** Several instances of one service that share their devices over a Redis. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifies } from '@waymark/contract/testing';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { picture } from './hub-pictures.ts';
import { type HubReader, openReader } from './hub-reader.ts';
import { type Instance, startInstance } from './instances/instance.ts';
import { type RedisServer, startRedis } from './instances/redis-server.ts';

const key = 'yard-secret-of-more-than-16-bytes';

/** Pictures of different bytes. */
function shot(number: number, bytes = 20_000): Buffer {
  const png = picture(bytes);
  png.writeUInt32BE(number, bytes - 4);
  return png;
}

interface Yard {
  readonly redis: RedisServer;
  readonly a: Instance;
  readonly b: Instance;
}

async function startYard(
  env: Readonly<Record<string, string>>,
  onEnd: (task: () => void | Promise<void>) => void = onTestFinished,
): Promise<Yard> {
  const redis = await startRedis(inject('redis'), onEnd);
  const all = { WAYMARK_HUB_REDIS: redis.url, ...env };
  const [a, b] = await Promise.all([startInstance(all, onEnd), startInstance(all, onEnd)]);
  return { redis, a, b };
}

function read({ url }: Instance, target = '/devices/door/stream'): HubReader {
  const reader = openReader({ port: Number(new URL(url).port), target: `${target}?access_token=${key}` });
  onTestFinished(() => reader.vanish());
  return reader;
}

/** Serves a camera that takes its time, and notes when it was asked, and by how many at once. */
async function serveCamera(noted: { most: number; readonly askedMs: number[] }): Promise<Server> {
  let now = 0;
  const server = createServer((_, res) => {
    noted.most = Math.max(noted.most, ++now);
    noted.askedMs.push(performance.now());
    setTimeout(() => {
      now--;
      res.setHeader('content-type', 'image/png').end(shot(noted.askedMs.length));
    }, 30);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** Sends it again until it is taken, as a device does that is told to come again. */
async function untilTaken(instance: Instance, camera: string, number: number): Promise<number> {
  let seq = 0;
  await expect
    .poll(async () => {
      const { status, json } = await instance.picture(shot(number), camera);
      if (status === 202) seq = (json as { seq: number }).seq;
      return status;
    })
    .toBe(202);
  return seq;
}

// Each test has a camera of its own; the last one kills an instance.
describe.skipIf(inject('redis') === '')('instances that share a hub over Redis', () => {
  const ends: (() => void | Promise<void>)[] = [];
  const camera = { most: 0, askedMs: [] as number[] };
  let yard: Yard;

  beforeAll(async () => {
    const server = await serveCamera(camera);
    ends.push(() => void server.close());
    const { port } = server.address() as AddressInfo;
    yard = await startYard({ CAMERA: `http://127.0.0.1:${port}/` }, (task) => void ends.push(task));
  });
  afterAll(async () => {
    for (const end of ends.toReversed()) await end();
  });

  it('show what a device sends to one of them, wherever it is asked for', async () => {
    verifies('scale.machines.hub');
    const { a, b } = yard;
    const [near, far] = [read(a), read(b)];
    await near.until(({ hello }) => hello !== undefined);
    await far.until(({ hello }) => hello !== undefined);
    expect((await a.picture(shot(1))).json).toEqual({ device: 'door', seq: 1 });
    await far.until(({ frames }) => frames.length === 1);

    const stream = await fetch(new URL('/devices/door/stream.mjpeg', b.url), {
      headers: { 'x-api-key': key },
    });
    const parts = stream.body?.getReader();
    onTestFinished(() => parts?.cancel());
    const publisher = await a.open('/devices/door/ws?receipts=1');
    let published = 1;
    // Some come too fast: what counts is what was taken.
    for (let i = 0; i < 300; i++) {
      publisher.send(shot(i));
      const { seq } = await publisher.until('receipt');
      if (typeof seq === 'number') published = seq;
    }
    expect(published).toBeGreaterThan(100);
    for (const reader of [near, far]) {
      await reader.until(({ frames }) => frames.at(-1)?.seq === published);
      expect(reader.frames.length + reader.told).toBe(published);
    }
    let seen = '';
    while (!seen.includes('image/png'))
      seen += Buffer.from((await parts?.read())?.value ?? []).toString('latin1');

    const latest = await b.ask('/devices/door/latest');
    expect(latest.headers).toMatchObject({ 'x-frame-seq': `${published}`, 'content-type': 'image/png' });
    expect(Buffer.byteLength(latest.text, 'utf8')).toBeGreaterThan(0);
    await a.ask('/devices/thermo/telemetry', { method: 'POST', body: '{"celsius":21}' });
    expect((await b.ask('/devices/thermo/telemetry')).json).toMatchObject({ telemetry: { celsius: 21 } });
    await expect
      .poll(() => b.row('door'))
      .toMatchObject({
        ...{ status: 'online', frames_in: published, latest: { seq: published } },
        subscribers: 3,
      });
    // Both ways.
    expect((await b.picture(shot(9_999))).json).toEqual({ device: 'door', seq: published + 1 });
    await near.until(({ frames }) => frames.at(-1)?.seq === published + 1);
    publisher.close();
  });

  it('refuse what is sent while Redis is away, keep who reads, and go on where they were', async () => {
    verifies('scale.redis.away', 'scale.redis.numbers');
    const { redis, a, b } = yard;
    const [near, far] = [read(a, '/devices/hall/stream'), read(b, '/devices/hall/stream')];
    for (const one of [near, far]) await one.until(({ hello }) => hello !== undefined);
    for (let i = 1; i <= 5; i++) await a.picture(shot(i), 'hall');
    for (const one of [near, far]) await one.until(({ frames }) => frames.length === 5);

    await redis.kill();
    const goneMs = performance.now();
    for (const one of [a, b]) await expect.poll(() => one.troubles()).toEqual(['hub-redis-gone']);
    expect(performance.now() - goneMs).toBeLessThan(5_000);
    expect((await a.ask('/_svc/health')).json).toMatchObject({ status: 'degraded' });
    const refused = await a.picture(shot(6), 'hall');
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1']);
    expect(refused.json).toMatchObject({ code: 'redis_unreachable' });
    expect(await a.row('hall')).toMatchObject({ name: 'hall', frames_in: 5, frames_dropped: 1 });
    expect((await b.ask('/devices/hall/latest')).status).toBe(503);

    await redis.start();
    const backMs = performance.now();
    for (const one of [a, b]) await expect.poll(() => one.troubles()).toEqual([]);
    expect(performance.now() - backMs).toBeLessThan(5_000);
    expect(await untilTaken(a, 'hall', 6)).toBe(6);
    expect(await untilTaken(b, 'hall', 7)).toBe(7);
    for (const one of [near, far]) {
      await one.until(({ frames }) => frames.at(-1)?.seq === 7);
      expect([one.gone, one.frames.length + one.told]).toEqual([false, 7]);
    }
    for (const { program } of [a, b]) expect(program.child.exitCode).toBe(null);
  });

  it('ask a camera one at a time, and no more often than one of them would', async () => {
    verifies('scale.redis.pulls');
    const { a, b } = yard;
    const { askedMs } = camera;
    const look = async ({ ask }: Instance): Promise<number> => {
      let answers = 0;
      // Those of all four together ask far more often than the camera may be asked.
      for (; askedMs.length < 8; await sleep(10)) {
        expect((await ask('/devices/gate/latest')).status).toBe(200);
        answers++;
      }
      return answers;
    };
    const answers = await Promise.all([look(a), look(b), look(a), look(b)]);
    for (const count of answers) expect(count).toBeGreaterThan(2);
    expect(camera.most).toBe(1);
    // Five a second; what the first and the last took on their way is of the machine.
    const spanMs = (askedMs.at(-1) ?? 0) - (askedMs[0] ?? 0);
    expect(spanMs).toBeGreaterThan((askedMs.length - 1) * 200 - 150);
  });

  it('lose nobody but its own when one of them is killed, and it comes back to the same devices', async () => {
    verifies('scale.machines.hub');
    const { redis, a, b } = yard;
    const far = read(b, '/devices/stairs/stream');
    await far.until(({ hello }) => hello !== undefined);
    for (let i = 1; i <= 3; i++) await a.picture(shot(i), 'stairs');
    await a.kill();
    const again = await startInstance({ WAYMARK_HUB_REDIS: redis.url });
    const late = read(again, '/devices/stairs/stream');
    await late.until(({ frames }) => frames.at(-1)?.seq === 3);
    expect((await again.picture(shot(4), 'stairs')).json).toEqual({ device: 'stairs', seq: 4 });
    for (const one of [far, late]) await one.until(({ frames }) => frames.at(-1)?.seq === 4);
    expect(far.frames.length + far.told).toBe(4);
    await expect.poll(() => b.row('stairs')).toMatchObject({ status: 'online' });
  });
});

describe.skipIf(inject('redis') === '')('instances with a Redis', () => {
  it('let a caller through as often as its rate limit says, together, and each by itself while Redis is away', async () => {
    verifies('scale.redis.rates');
    const { redis, a, b } = await startYard({ LIMITED: 'yes' });
    const passed = async (): Promise<number> => {
      const all = Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? a : b).ask('/_svc/tools'));
      return (await Promise.all(all)).filter(({ status }) => status === 200).length;
    };
    expect(await passed()).toBe(10);
    await redis.kill();
    // Health is not limited.
    for (const one of [a, b]) await expect.poll(() => one.troubles()).toContain('rate-redis-gone');
    expect(await passed()).toBe(20);
    await redis.start();
    for (const one of [a, b]) await expect.poll(() => one.troubles()).toEqual([]);
    expect(await passed()).toBe(10);
  });

  it('start without a Redis, say so with what helps, and not where it refuses them', async () => {
    verifies('scale.redis.credentials');
    const redis = await startRedis(inject('redis'));
    await redis.kill();
    const alone = await startInstance({ WAYMARK_HUB_REDIS: redis.url.replace('//', '//user:hidden@') });
    expect(await alone.troubles()).toEqual(['hub-redis-gone']);
    await expect.poll(() => alone.program.stdout()).toContain('start it, or correct its URL');
    expect(alone.program.stdout() + alone.program.stderr()).not.toContain('hidden');
    await redis.start();
    // It has no such user.
    const refused = startInstance({ WAYMARK_HUB_REDIS: redis.url.replace('//', '//user:hidden@') });
    const said = String(await refused.catch((error: unknown) => error));
    expect(said).toContain('WAYMARK_HUB_REDIS: its Redis refuses this service: WRONGPASS');
    expect(said).toContain('ended with 78');
    expect(said).not.toContain('hidden');
  });
});
