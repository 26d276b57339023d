import { HTTPError } from '@waymark/contract';
import { Partner } from '@waymark/contract/engine';
import type { OutboundRequest, OutboundResponse } from '@waymark/contract/http';
import { testHost, verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { CameraRequest } from '../../src/pull/camera-request.ts';
import { Puller } from '../../src/pull/puller.ts';

/** A puller of a camera that does what is told, on a clock that stands still. */
function stage(respond: (signal: AbortSignal) => Promise<OutboundResponse>, maxFps = 30) {
  const host = testHost();
  let requests = 0;
  let missed = 0;
  const taken: Uint8Array[] = [];
  const partner = new Partner(() => host.monotonic());
  const outbound = {
    request: ({ signal }: OutboundRequest) => {
      requests++;
      return respond(signal);
    },
  };
  const request = new CameraRequest({
    ...{ device: 'door', url: 'http://camera.lan/', outbound, timeoutMs: 10_000 },
    credentials: { headers: {}, login: undefined },
  });
  const puller = new Puller({
    ...{ device: 'door', request, host, partner, maxFps, maxFrameBytes: 1_000, timeoutMs: 10_000 },
    take: async (bytes) => void taken.push(bytes),
    missed: () => void missed++,
    turn: { take: async () => true, end: () => {} },
  });
  return {
    host,
    puller,
    taken,
    partner,
    get requests() {
      return requests;
    },
    get missed() {
      return missed;
    },
  };
}

const good = async (): Promise<OutboundResponse> => ({
  status: 200,
  headers: {},
  body: new Blob(['x']).stream(),
});
const bad = async (): Promise<OutboundResponse> => {
  throw new HTTPError(502, 'http://camera.lan did not answer');
};

describe('a camera that is pulled', () => {
  it('is left alone for longer each time that it fails, up to 30 s', async () => {
    verifies('hub.pull.pause');
    const at = stage(bad);
    const pauses: number[] = [];
    for (let i = 0; i < 9; i++) {
      const before = at.requests;
      const startMs = at.host.monotonic();
      await expect(at.puller.fresh()).rejects.toMatchObject({ status: 502 });
      expect(at.requests).toBe(before + 1);
      for (;;) {
        await at.host.clock.advance(50);
        const refusal = await at.puller.fresh().catch((error: HTTPError) => error);
        if (at.requests > before + 1) break;
        expect(Number((refusal as HTTPError).headers['retry-after'])).toBeGreaterThan(0);
      }
      // The one that was just made failed, too.
      i++;
      pauses.push(at.host.monotonic() - startMs);
      await at.host.clock.advance(30_000);
    }
    expect(pauses[0]).toBeLessThanOrEqual(1_050);
    expect(pauses[0]).toBeGreaterThanOrEqual(750);
    for (const pause of pauses) expect(pause).toBeLessThanOrEqual(30_050);
    expect(pauses.at(-1)).toBeGreaterThanOrEqual(22_500);
    // One line when it began.
    expect(at.host.logs.map(({ message }) => message)).toEqual(['a camera gives no picture']);
  });

  it.each([
    ['does not answer', bad],
    [
      'refuses connections',
      async () => {
        const cause = Object.assign(new Error('10.0.0.7'), { code: 'ECONNREFUSED' });
        throw new HTTPError(502, 'http://camera.lan did not answer', { cause });
      },
    ],
    ['answers with something that is no picture', async () => ({ ...(await good()), status: 500 })],
    ['refuses the credentials it is given', async () => ({ ...(await good()), status: 401 })],
  ])('fails for whoever asks for health until it gives a picture: %s', async (fault, failing) => {
    verifies('health.outside');
    let respond: () => Promise<OutboundResponse> = failing;
    const at = stage(() => respond());
    await at.puller.fresh().catch(() => {});
    expect(at.partner.failure).toEqual({ fault, forMs: 0 });
    respond = good;
    await at.host.clock.advance(4_000);
    await at.puller.fresh();
    expect(at.partner.failure).toBeUndefined();
  });

  it('does not fail because the hub stops', async () => {
    verifies('health.outside.fault');
    const at = stage(
      (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    );
    const asked = at.puller.fresh().catch((error: unknown) => error);
    await at.host.clock.advance(1);
    at.puller.stop();
    expect(await asked).toMatchObject({ status: 503 });
    expect(at.partner.failure).toBeUndefined();
  });

  it('is asked no more often than it may send when it fails, either', async () => {
    verifies('hub.pull.fresh', 'hub.pull.pause');
    const at = stage(bad, 0.1);
    for (let ms = 0; ms < 30_000; ms += 100) {
      await at.puller.fresh().catch(() => {});
      await at.host.clock.advance(100);
    }
    expect(at.requests).toBe(3);
  });

  it('grows nothing by ten thousand failures, and is asked as before when it is well', async () => {
    verifies('hub.pull.pause');
    let respond = bad;
    const at = stage(() => respond());
    for (let i = 0; i < 10_000; i++) {
      await at.puller.fresh().catch(() => {});
      await at.host.clock.advance(30_000);
    }
    expect([at.requests, at.missed]).toEqual([10_000, 10_000]);
    expect(at.host.clock.pending).toBe(0);
    expect(at.host.logs).toHaveLength(1);
    expect(at.puller.facts).toEqual({ lastAtMs: null, failures: 10_000, error: 'camera_unreachable' });
    respond = good;
    await at.puller.fresh();
    expect(at.puller.facts).toMatchObject({ failures: 0, error: null });
    await at.host.clock.advance(34);
    await at.puller.fresh();
    expect(at.taken).toHaveLength(2);
    expect(at.host.clock.pending).toBe(0);
  });

  it('has so long for a picture', async () => {
    verifies('hub.pull.bounded');
    const at = stage(
      (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    );
    const asked = at.puller.fresh().catch((error: unknown) => error);
    await at.host.clock.advance(9_999);
    expect(at.missed).toBe(0);
    await at.host.clock.advance(1);
    expect(await asked).toMatchObject({ status: 504, members: { code: 'camera_timeout' } });
    expect(at.missed).toBe(1);
    expect(at.host.clock.pending).toBe(0);
  });

  it('is asked for as long as somebody watches, and by one who watches at a time', async () => {
    verifies('hub.pull.mjpeg');
    const at = stage(good, 10);
    const leave = [at.puller.watch(), at.puller.watch()];
    for (let i = 0; i < 100; i++) await at.host.clock.advance(10);
    expect(at.requests).toBe(11);
    leave[0]?.();
    leave[0]?.();
    for (let i = 0; i < 100; i++) await at.host.clock.advance(10);
    expect(at.requests).toBe(21);
    leave[1]?.();
    expect(at.host.clock.pending).toBe(0);
    const again = at.puller.watch();
    for (let i = 0; i < 100; i++) await at.host.clock.advance(10);
    expect(at.requests).toBe(31);
    again();
    at.puller.stop();
    await expect(at.puller.fresh()).rejects.toMatchObject({ status: 503 });
  });

  it('keeps its last good picture when its stream breaks off in the middle of the next one', async () => {
    verifies('hub.pull.last-good');
    const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0xff, 0xd9]);
    const head = Buffer.from('--cut\r\ncontent-type: image/jpeg\r\n\r\n');
    const half = jpeg.subarray(0, 4);
    let pieces = [head, jpeg, Buffer.from('\r\n'), head, half];
    const at = stage(async () => ({
      status: 200,
      headers: { 'content-type': 'multipart/x-mixed-replace; boundary=cut' },
      body: ReadableStream.from(pieces),
    }));
    await at.puller.fresh();
    await expect.poll(() => at.puller.facts).toMatchObject({ failures: 1, error: 'camera_answer' });
    expect(at.taken.map((one) => one.length)).toEqual([6]);
    pieces = [head, jpeg];
    await at.host.clock.advance(30_000);
    await at.puller.fresh();
    expect(at.taken.map((one) => one.length)).toEqual([6, 6]);
    expect(at.puller.facts).toMatchObject({ failures: 0, error: null });
  });
});
