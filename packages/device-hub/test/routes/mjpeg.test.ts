import { describe, expect, it } from 'vitest';
import { camera } from '../../src/index.ts';
import { jpeg, png, pngOf } from '../pictures.ts';
import { type Answer, ada, type ServedHub, serveHub } from '../serve-hub.ts';

const mjpeg = '/devices/door/stream.mjpeg';

/** Reads whole parts: a head and a picture. */
function partsOf({ body }: Answer) {
  if (body.kind !== 'stream') throw new Error('no stream');
  const reader = body.stream.getReader();
  let first = true;
  return {
    cancel: () => reader.cancel(),
    async next(): Promise<readonly [head: string, picture: Uint8Array] | undefined> {
      const take = async (): Promise<Uint8Array | undefined> => (await reader.read()).value;
      if (first) expect(Buffer.from((await take()) ?? []).toString()).toBe('--frame\r\n');
      first = false;
      const head = await take();
      const picture = await take();
      if (!head || !picture) return undefined;
      expect(Buffer.from((await take()) ?? []).toString()).toBe('\r\n--frame\r\n');
      return [Buffer.from(head).toString(), picture];
    },
  };
}

/** One after the other, as fast as they may. */
async function post({ ask, host }: ServedHub, ...pictures: readonly Uint8Array[]): Promise<void> {
  for (const body of pictures) {
    await ask('POST', '/devices/door/frames', { body });
    if (pictures.length > 1) await host.clock.advance(100);
  }
}

describe('GET stream.mjpeg', () => {
  it('begins with the newest frame and goes on with each that comes', async () => {
    const hub = await serveHub([camera('door')]);
    await post(hub, jpeg());
    const answer = await hub.ask('GET', mjpeg);
    expect(answer.body).toMatchObject({ mediaType: 'multipart/x-mixed-replace; boundary=frame' });
    expect(answer.headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    const parts = partsOf(answer);
    expect(await parts.next()).toEqual([
      `content-type: image/jpeg\r\ncontent-length: ${jpeg().length}\r\n\r\n`,
      jpeg(),
    ]);
    const next = parts.next();
    await post(hub, png());
    expect((await next)?.[1]).toEqual(png());
    await parts.cancel();
  });

  it('skips to the newest for a reader that is slow', async () => {
    const hub = await serveHub([camera('door')]);
    await post(hub, png(1, 1));
    const parts = partsOf(await hub.ask('GET', mjpeg));
    await parts.next();
    await post(hub, png(2, 2), png(3, 3), png(4, 4));
    expect((await parts.next())?.[1]).toEqual(png(4, 4));
    await parts.cancel();
  });

  it('shows the last frame again when nothing new comes, so that nobody takes it for dead', async () => {
    const hub = await serveHub([camera('door')]);
    await post(hub, png());
    const parts = partsOf(await hub.ask('GET', mjpeg));
    await parts.next();
    const again = parts.next();
    await hub.host.clock.advance(10_000);
    expect((await again)?.[1]).toEqual(png());
    await parts.cancel();
  });

  it('is 404 before the first frame', async () => {
    const hub = await serveHub([camera('door')]);
    expect((await hub.ask('GET', mjpeg)).status).toBe(404);
  });

  it('is counted among the subscribers as long as it is read', async () => {
    const hub = await serveHub([camera('door')], { maxViewersPerDevice: 1 });
    await post(hub, png());
    const parts = partsOf(await hub.ask('GET', mjpeg));
    expect(await hub.listing()).toMatchObject([{ subscribers: 1 }]);
    expect((await hub.ask('GET', mjpeg)).status).toBe(429);
    await parts.cancel();
    expect(await hub.listing()).toMatchObject([{ subscribers: 0 }]);
    expect((await hub.ask('GET', mjpeg)).status).toBe(200);
  });

  it('ends when shutdown begins, and leaves no timer behind', async () => {
    const hub = await serveHub([camera('door')]);
    await post(hub, png());
    const before = hub.host.clock.pending;
    const parts = partsOf(await hub.ask('GET', mjpeg));
    await parts.next();
    const next = parts.next();
    hub.host.shutdown();
    expect(await next).toBeUndefined();
    expect(hub.host.clock.pending).toBe(before);
  });

  it('ends when the credential of its reader does', async () => {
    const hub = await serveHub([camera('door')]);
    await post(hub, png());
    const { clock } = hub.host;
    const before = clock.pending;
    const principal = { ...ada, expiresAtMs: clock.now() + 5_000 };
    const parts = partsOf(await hub.ask('GET', mjpeg, { principal }));
    await parts.next();
    const next = parts.next();
    await clock.advance(4_999);
    expect(await hub.listing()).toMatchObject([{ subscribers: 1 }]);
    await clock.advance(1);
    expect(await next).toBeUndefined();
    expect(await hub.listing()).toMatchObject([{ subscribers: 0 }]);
    expect(clock.pending).toBe(before);
  });

  it('counts nobody whose call was over before the newest frame was found', async () => {
    const hub = await serveHub([camera('door')]);
    await post(hub, png());
    await expect(hub.ask('GET', mjpeg, { signal: AbortSignal.abort(new Error('too late')) })).rejects.toThrow(
      'too late',
    );
    expect(await hub.listing()).toMatchObject([{ subscribers: 0 }]);
  });

  it.each([
    { name: 'is kept for 15 s and the time of its part', ms: 34_999, subscribers: 1 },
    { name: 'is given up after that', ms: 35_000, subscribers: 0 },
  ])('a reader that stops reading $name', async ({ ms, subscribers }) => {
    const hub = await serveHub([camera('door')]);
    await post(hub, pngOf(1_000_000));
    const before = hub.host.clock.pending;
    const parts = partsOf(await hub.ask('GET', mjpeg));
    await parts.next();
    await hub.host.clock.advance(ms);
    expect(await hub.listing()).toMatchObject([{ subscribers }]);
    if (subscribers === 0) {
      await expect(parts.next()).rejects.toThrow('too slow');
      expect(hub.host.clock.pending).toBe(before);
    } else await parts.cancel();
  });

  it('takes the read scopes', async () => {
    const hub = await serveHub([camera('door')]);
    expect((await hub.ask('GET', mjpeg, { principal: { ...ada, scopes: ['devices:ingest'] } })).status).toBe(
      403,
    );
  });
});
