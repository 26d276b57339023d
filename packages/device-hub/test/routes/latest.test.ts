import { describe, expect, it } from 'vitest';
import { camera } from '../../src/index.ts';
import { jpeg, png } from '../pictures.ts';
import { serveHub } from '../serve-hub.ts';

describe('GET latest', () => {
  it('gives the bytes of the newest frame, and says which it is', async () => {
    const { ask, host } = await serveHub([camera('door')]);
    await ask('POST', '/devices/door/frames', { body: png() });
    await ask('POST', '/devices/door/frames', { body: jpeg() });
    const atMs = host.now();
    await host.clock.advance(5_000);
    const { status, body, headers } = await ask('GET', '/devices/door/latest');
    expect([status, body]).toEqual([200, { kind: 'bytes', bytes: jpeg(), mediaType: 'image/jpeg' }]);
    expect(headers).toEqual({
      // The first id that the host gave.
      etag: '"00000000000000000000000001-2"',
      'x-frame-seq': '2',
      'x-frame-at': String(atMs),
      'x-frame-age': '5000',
      'last-modified': new Date(atMs).toUTCString(),
      'cache-control': 'no-cache',
      'content-disposition': 'inline; filename="door-2.jpeg"',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    });
  });

  it('is 404 before the first', async () => {
    const { ask } = await serveHub([camera('door')]);
    expect(await ask('GET', '/devices/door/latest')).toMatchObject({
      status: 404,
      detail: 'no frame has come from "door" yet',
    });
  });
});
