import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { camera, sensor } from '../../src/index.ts';
import { gif, jpeg, png, pngOf, webp } from '../pictures.ts';
import { ada, bodyOf, chunked, declared, recordsOf, serveHub } from '../serve-hub.ts';

const frames = '/devices/door/frames';

describe('POST frames', () => {
  it('takes each of the four types, and counts them from 1', async () => {
    const { ask, host } = await serveHub([camera('door')]);
    const pictures = [png(), jpeg(), gif(), webp('VP8 ')];
    const answers = [];
    for (const body of pictures) {
      answers.push(await ask('POST', frames, { body }));
      await host.clock.advance(100);
    }
    expect(answers.map(({ status, value }) => [status, value])).toEqual(
      [1, 2, 3, 4].map((seq) => [202, { device: 'door', seq }]),
    );
  });

  it('tells the type from the bytes, whatever the content type says', async () => {
    const { ask } = await serveHub([camera('door')]);
    await ask('POST', frames, { body: { ...bodyOf(gif()), contentType: 'image/png' } });
    expect((await ask('GET', '/devices/door/latest')).body).toMatchObject({ mediaType: 'image/gif' });
  });

  it('refuses other bytes with 415, and takes the next picture all the same', async () => {
    const { ask, listing, host } = await serveHub([camera('door')]);
    for (const body of ['<svg/>', '%PDF-1.7', 'RIFF....WAVEfmt ', 'GIF88a', 'BM']) {
      expect(await ask('POST', frames, { body })).toMatchObject({
        status: 415,
        detail: 'a frame is a PNG, JPEG, GIF or WebP, and these bytes are none',
      });
      await host.clock.advance(100);
    }
    expect(await ask('POST', frames, { body: png() })).toMatchObject({ status: 202 });
    expect(await listing()).toMatchObject([{ frames_in: 1, frames_dropped: 5 }]);
  });

  it.each([
    { name: 'the frames of a second at a time', arriving: 3, status: 202 },
    { name: 'no more, whatever time they take', arriving: 4, status: 429 },
  ])('lets $name arrive', async ({ arriving, status }) => {
    const { ask, host, listing } = await serveHub([camera('door', { maxFps: 4 })]);
    let arrive = (): void => {};
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const slow = Array.from({ length: arriving }, () => {
      const body = bodyOf(png());
      return { ...body, read: (limit: number) => arrived.then(() => body.read(limit)) };
    });
    const answers = [];
    for (const body of slow) {
      answers.push(ask('POST', frames, { body }));
      await host.clock.advance(60_000);
    }
    const next = bodyOf(png());
    const answer = await ask('POST', frames, { body: next });
    expect([answer.status, next.asked]).toEqual([status, status === 202]);
    if (status === 429)
      expect(answer).toMatchObject({
        detail: 'a device sends 4 frames at a time',
        headers: { 'retry-after': '1', 'x-ratelimit-limit': '4' },
      });
    arrive();
    for (const one of answers) expect((await one).status).toBe(202);
    await host.clock.advance(60_000);
    expect((await ask('POST', frames, { body: png() })).status).toBe(202);
    expect(await listing()).toMatchObject([{ frames_dropped: status === 429 ? 1 : 0 }]);
  });

  it('refuses an empty frame with 422, whether its length is told or not', async () => {
    const { ask } = await serveHub([camera('door')]);
    for (const body of [bodyOf(''), chunked('')])
      expect(await ask('POST', frames, { body })).toMatchObject({
        status: 422,
        detail: 'the frame is empty',
      });
  });

  it('takes a frame of max_frame_bytes, and not one byte more', async () => {
    const { ask, host } = await serveHub([camera('door', { maxFrameBytes: 1_000 })]);
    expect((await ask('POST', frames, { body: pngOf(999) })).status).toBe(202);
    expect((await ask('POST', frames, { body: pngOf(1_000) })).status).toBe(202);
    await host.clock.advance(1_000);
    const large = bodyOf(pngOf(1_001));
    expect(await ask('POST', frames, { body: large })).toMatchObject({
      status: 413,
      detail: 'a frame has 1000 bytes at most',
    });
    expect(large.asked).toBe(false);
    const untold = chunked(pngOf(1_001));
    expect((await ask('POST', frames, { body: untold })).status).toBe(413);
    expect(untold.asked).toBe(true);
  });

  it('takes 5 MB by default, counted as 5,242,880 bytes', async () => {
    const { ask } = await serveHub([camera('door')]);
    expect((await ask('POST', frames, { body: pngOf(5_242_880) })).status).toBe(202);
    expect((await ask('POST', frames, { body: declared(5_242_881) })).status).toBe(413);
  });

  it('takes 30 frames within a second by default, two of them at once, and refuses the next before it is read', async () => {
    verifies('limit.max-fps', 'device.option.max-fps.default', 'hub.frames.before-body');
    const { ask, host } = await serveHub([camera('door')]);
    expect((await ask('POST', frames, { body: png() })).status).toBe(202);
    for (let i = 0; i < 29; i++) {
      expect((await ask('POST', frames, { body: png() })).status).toBe(202);
      await host.clock.advance(1_000 / 30);
    }
    expect((await ask('POST', frames, { body: png() })).status).toBe(202);
    const next = bodyOf(png());
    const refused = await ask('POST', frames, { body: next });
    expect(refused).toMatchObject({
      status: 429,
      detail: 'a device takes 30 frames a second',
      headers: {
        'retry-after': '1',
        'x-ratelimit-limit': '30',
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': '1',
      },
    });
    expect(next.asked).toBe(false);
    await host.clock.advance(34);
    expect((await ask('POST', frames, { body: png() })).status).toBe(202);
    expect((await ask('POST', frames, { body: png() })).status).toBe(429);
  });

  it('keeps to max_fps in the long run', async () => {
    const { ask, host } = await serveHub([camera('door', { maxFps: 5 })]);
    let taken = 0;
    for (let i = 0; i < 200; i++) {
      if ((await ask('POST', frames, { body: png() })).status === 202) taken++;
      await host.clock.advance(50);
    }
    // Ten seconds, three of a hundred for timers that count whole milliseconds, and what may come at once.
    expect(taken).toBeGreaterThanOrEqual(50);
    expect(taken).toBeLessThanOrEqual(52);
  });

  it('never refuses a camera whose frames come a little early or late', async () => {
    const { ask, host } = await serveHub([camera('door', { maxFps: 1 })]);
    for (let i = 0; i < 20; i++) {
      expect((await ask('POST', frames, { body: png() })).status).toBe(202);
      await host.clock.advance(i % 2 === 0 ? 800 : 1_200);
    }
  });

  it('says for how long to wait where frames are rare', async () => {
    const { ask, host } = await serveHub([camera('door', { maxFps: 0.1 })]);
    await ask('POST', frames, { body: png() });
    for (const seconds of [8, 4]) {
      expect(await ask('POST', frames, { body: png() })).toMatchObject({
        status: 429,
        headers: { 'retry-after': String(seconds), 'x-ratelimit-reset': String(seconds) },
      });
      await host.clock.advance(4_000);
    }
  });

  it.each([
    ['PNG', png(), 8],
    ['PNG', png(), 23],
    ['JPEG', jpeg(), 3],
    ['GIF', gif(), 6],
    ['WebP', webp('VP8 '), 20],
  ])('refuses a %s that does not say its size with 422', async (_, whole, length) => {
    verifies('hub.frames.size-told');
    const { ask } = await serveHub([camera('door')]);
    expect(await ask('POST', frames, { body: whole.subarray(0, length) })).toMatchObject({
      status: 422,
      detail: 'the header of the picture is cut off: it does not say its size',
    });
    expect((await ask('GET', '/devices/door/latest')).status).toBe(404);
    expect((await ask('POST', frames, { body: whole })).status).toBe(202);
  });

  it.each([
    ['PNG', png(0, 480), 422],
    ['PNG', png(640, 0), 422],
    ['JPEG', jpeg(0, 480), 422],
    ['WebP', webp('VP8 ', 640, 0), 422],
    ['JPEG whose height stands behind its rows', jpeg(640, 0), 202],
    ['GIF whose screen has no size', gif(0, 0), 202],
  ])('refuses a picture without a width or height: %s', async (_, body, status) => {
    verifies('hub.frames.size-told');
    const { ask } = await serveHub([camera('door')]);
    expect((await ask('POST', frames, { body })).status).toBe(status);
  });

  it('takes 64 megapixels and no more, whatever the file is large', async () => {
    const { ask } = await serveHub([camera('door')]);
    expect((await ask('POST', frames, { body: png(8_000, 8_000) })).status).toBe(202);
    expect(await ask('POST', frames, { body: png(8_001, 8_000) })).toMatchObject({
      status: 422,
      detail: 'a frame has 64000000 pixels at most',
    });
  });

  it('takes the ingest scopes, every one of them, and no others', async () => {
    const { ask } = await serveHub([camera('door', { ingestScopes: ['a', 'b'] })]);
    const as = (...scopes: readonly string[]) => ({ body: png(), principal: { ...ada, scopes } });
    expect((await ask('POST', frames, as('a', 'b'))).status).toBe(202);
    expect((await ask('POST', frames, as('a'))).status).toBe(403);
    expect((await ask('POST', frames, as('devices:ingest', 'devices:read'))).status).toBe(403);
  });

  it('does not count a frame whose upload broke off as taken', async () => {
    const { ask, listing } = await serveHub([camera('door')]);
    const broken = { ...bodyOf(png()), read: () => Promise.reject(new Error('gone')) };
    await expect(ask('POST', frames, { body: broken })).rejects.toThrow('gone');
    expect(await listing()).toMatchObject([{ frames_in: 0, frames_dropped: 1, latest: null }]);
  });

  it('is not there for sensors', async () => {
    const { ask } = await serveHub([sensor('thermo')]);
    for (const path of ['frames', 'latest', 'stream.mjpeg'])
      for (const method of ['GET', 'POST'])
        expect((await ask(method, `/devices/thermo/${path}`)).status).toBe(404);
  });

  it('gives a copy to whoever watches, with its size in pixels', async () => {
    const { ask, open, host } = await serveHub([camera('door')]);
    const peer = await open('/devices/door/stream');
    const body = png(320, 200);
    await ask('POST', frames, { body });
    expect(recordsOf(peer, 'frame')).toEqual([
      {
        ...{ type: 'frame', seq: 1, media_type: 'image/png', bytes: body.length },
        ...{ at_ms: host.now(), width: 320, height: 200 },
      },
    ]);
    const types = peer.records.map((record) => (record instanceof Uint8Array ? record : Object(record).type));
    expect(types).toEqual(['hello', 'frame', body, 'status']);
  });
});
