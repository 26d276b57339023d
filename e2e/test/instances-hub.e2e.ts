/** Several instances of one service that share their devices over a Redis. */

import { createServer } from 'node:http';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
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

async function startYard(
  env: Readonly<Record<string, string>> = {},
): Promise<{ redis: RedisServer; a: Instance; b: Instance }> {
  const redis = await startRedis(inject('redis'));
  const all = { WAYMARK_HUB_REDIS: redis.url, ...env };
  const [a, b] = await Promise.all([startInstance(all), startInstance(all)]);
  return { redis, a, b };
}

function read({ url }: Instance, target = '/devices/door/stream'): HubReader {
  const reader = openReader({ port: Number(new URL(url).port), target: `${target}?access_token=${key}` });
  onTestFinished(() => reader.vanish());
  return reader;
}

/** Sends it again until it is taken, as a device does that is told to come again. */
async function untilTaken(instance: Instance, number: number): Promise<number> {
  let seq = 0;
  await expect
    .poll(async () => {
      const { status, json } = await instance.picture(shot(number));
      if (status === 202) seq = (json as { seq: number }).seq;
      return status;
    })
    .toBe(202);
  return seq;
}

describe.skipIf(inject('redis') === '')('instances that share a hub over Redis', () => {
  it('show what a device sends to one of them, wherever it is asked for', async () => {
    verifies('scale.machines.hub');
    const { a, b } = await startYard();
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
    const { redis, a, b } = await startYard();
    const [near, far] = [read(a), read(b)];
    for (const one of [near, far]) await one.until(({ hello }) => hello !== undefined);
    for (let i = 1; i <= 5; i++) await a.picture(shot(i));
    for (const one of [near, far]) await one.until(({ frames }) => frames.length === 5);

    await redis.kill();
    const goneMs = performance.now();
    for (const one of [a, b]) await expect.poll(() => one.troubles()).toEqual(['hub-redis-gone']);
    expect(performance.now() - goneMs).toBeLessThan(5_000);
    expect((await a.ask('/_svc/health')).json).toMatchObject({ status: 'degraded' });
    const refused = await a.picture(shot(6));
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1']);
    expect(refused.json).toMatchObject({ code: 'redis_unreachable' });
    expect(await a.row('door')).toMatchObject({ name: 'door', frames_in: 5, frames_dropped: 1 });
    expect((await b.ask('/devices/door/latest')).status).toBe(503);

    await redis.start();
    const backMs = performance.now();
    for (const one of [a, b]) await expect.poll(() => one.troubles()).toEqual([]);
    expect(performance.now() - backMs).toBeLessThan(5_000);
    expect(await untilTaken(a, 6)).toBe(6);
    expect(await untilTaken(b, 7)).toBe(7);
    for (const one of [near, far]) {
      await one.until(({ frames }) => frames.at(-1)?.seq === 7);
      expect([one.gone, one.frames.length + one.told]).toEqual([false, 7]);
    }
    for (const { program } of [a, b]) expect(program.child.exitCode).toBe(null);
  });

  it('lose nobody but its own when one of them is killed, and it comes back to the same devices', async () => {
    verifies('scale.machines.hub');
    const { redis, a, b } = await startYard();
    const far = read(b);
    await far.until(({ hello }) => hello !== undefined);
    for (let i = 1; i <= 3; i++) await a.picture(shot(i));
    await a.kill();
    const again = await startInstance({ WAYMARK_HUB_REDIS: redis.url });
    const late = read(again);
    await late.until(({ frames }) => frames.at(-1)?.seq === 3);
    expect((await again.picture(shot(4))).json).toEqual({ device: 'door', seq: 4 });
    for (const one of [far, late]) await one.until(({ frames }) => frames.at(-1)?.seq === 4);
    expect(far.frames.length + far.told).toBe(4);
    await expect.poll(() => b.row('door')).toMatchObject({ status: 'online' });
  });

  it('ask a camera one at a time, and no more often than one of them would', async () => {
    verifies('scale.redis.pulls');
    let now = 0;
    let most = 0;
    const askedMs: number[] = [];
    const camera = createServer((_, res) => {
      most = Math.max(most, ++now);
      askedMs.push(performance.now());
      setTimeout(() => {
        now--;
        res.setHeader('content-type', 'image/png').end(shot(askedMs.length));
      }, 30);
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void camera.close());
    await expect.poll(() => camera.listening).toBe(true);
    const address = camera.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const { a, b } = await startYard({ CAMERA: `http://127.0.0.1:${address.port}/` });
    const endMs = performance.now() + 2_000;
    const look = async ({ ask }: Instance): Promise<number> => {
      let answers = 0;
      while (performance.now() < endMs) {
        expect((await ask('/devices/gate/latest')).status).toBe(200);
        answers++;
      }
      return answers;
    };
    const answers = await Promise.all([look(a), look(b), look(a), look(b)]);
    for (const count of answers) expect(count).toBeGreaterThan(2);
    expect(most).toBe(1);
    // Five a second; what the first and the last took on their way is of the machine.
    const spanMs = (askedMs.at(-1) ?? 0) - (askedMs[0] ?? 0);
    expect(askedMs.length).toBeGreaterThan(2);
    expect(spanMs).toBeGreaterThan((askedMs.length - 1) * 200 - 150);
  });

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
