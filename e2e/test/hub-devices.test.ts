import { verifies } from '@waymark/contract/testing';
import { camera, sensor } from '@waymark/device-hub';
import { describe, expect, it } from 'vitest';
import { serveHub } from './hub-door.ts';
import { picture, pixels } from './hub-pictures.ts';
import { openSocket } from './hub-socket.ts';

const frames = '/devices/door/frames';

describe('frames over HTTP', () => {
  it('are taken in each of the four types, told from their bytes', async () => {
    verifies('hub.frames.accepted', 'device.frames', 'device.frames.types', 'device.frames.sniffed');
    verifies('device.camera', 'device.latest', 'hub.latest.headers');
    const { send, url } = await serveHub([camera('door', { maxFps: 1_000 })]);
    let seq = 0;
    for (const [mediaType, base64] of Object.entries(pixels)) {
      const body = Buffer.from(base64, 'base64');
      const posted = await fetch(url + frames, {
        method: 'POST',
        headers: { 'x-api-key': 'sender', 'content-type': 'image/bmp' },
        body,
      });
      expect([posted.status, await posted.json()]).toEqual([202, { device: 'door', seq: ++seq }]);
      const latest = await send('GET', '/devices/door/latest');
      expect(Buffer.from(await latest.arrayBuffer())).toEqual(body);
      expect(Object.fromEntries(latest.headers)).toMatchObject({
        'content-type': mediaType,
        'x-frame-seq': String(seq),
        'cache-control': 'no-cache',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
      });
    }
  });

  it('are refused with 413, 415 and 422, each with a problem that says why', async () => {
    verifies('hub.frames.refused', 'error.frame.too-large', 'device.option.max-frame-bytes');
    const { send, listing } = await serveHub([camera('door', { maxFrameBytes: 1_000 })]);
    const refusal = async (body: string | Uint8Array) => {
      const response = await send('POST', frames, body);
      expect(response.headers.get('content-type')).toBe('application/problem+json');
      const { status, detail } = JSON.parse(await response.text());
      return [status, detail];
    };
    expect((await send('POST', frames, picture(1_000))).status).toBe(202);
    expect(await refusal(picture(1_001))).toEqual([413, 'a frame has 1000 bytes at most']);
    expect(await refusal('<svg/>')).toEqual([
      415,
      'a frame is a PNG, JPEG, GIF or WebP, and these bytes are none',
    ]);
    expect(await refusal('')).toEqual([422, 'the frame is empty']);
    expect(await listing()).toMatchObject([{ frames_in: 1, frames_dropped: 3 }]);
  });

  it('may have 5 MB, counted as 5 times 1,048,576 bytes, and not one more', async () => {
    verifies('limit.max-frame-bytes', 'device.option.max-frame-bytes.default', 'http.units');
    const { send } = await serveHub([camera('door')]);
    expect((await send('POST', frames, picture(5 * 1_048_576 - 1))).status).toBe(202);
    expect((await send('POST', frames, picture(5 * 1_048_576))).status).toBe(202);
    expect((await send('POST', frames, picture(5 * 1_048_576 + 1))).status).toBe(413);
  });

  it('are refused with 429 and the time to wait when they come too fast', async () => {
    verifies('hub.frames.retry-after', 'device.frames.too-fast', 'error.frame.http-too-fast');
    verifies('device.option.max-fps');
    const { send } = await serveHub([camera('door', { maxFps: 0.2 })]);
    expect((await send('POST', frames, picture())).status).toBe(202);
    const second = await send('POST', frames, picture());
    expect([second.status, second.headers.get('retry-after')]).toEqual([
      429,
      expect.stringMatching(/^[1-4]$/),
    ]);
    expect(second.headers.get('x-ratelimit-limit')).toBe('0.2');
  });
});

describe('readings over HTTP', () => {
  it('become the newest telemetry, with its age', async () => {
    verifies('hub.telemetry.accepted', 'hub.telemetry.get', 'device.telemetry.post', 'device.telemetry.get');
    verifies('device.sensor');
    const { send } = await serveHub([sensor('thermo')]);
    const read = async () => JSON.parse(await (await send('GET', '/devices/thermo/telemetry')).text());
    expect(await read()).toEqual({ device: 'thermo', telemetry: null, age_ms: null });
    expect((await send('POST', '/devices/thermo/telemetry', '{"celsius":20}')).status).toBe(202);
    expect((await send('POST', '/devices/thermo/telemetry', '{"celsius":21.5}')).status).toBe(202);
    const { age_ms, ...newest } = await read();
    expect(newest).toEqual({ device: 'thermo', telemetry: { celsius: 21.5 } });
    expect(age_ms).toBeGreaterThanOrEqual(0);
  });

  it('may have 64 KB and not one byte more, and are JSON', async () => {
    verifies('hub.telemetry.refused', 'device.telemetry.size', 'limit.telemetry', 'hub.telemetry.value');
    const { send } = await serveHub([sensor('thermo')]);
    const statusOf = async (body: string) => (await send('POST', '/devices/thermo/telemetry', body)).status;
    const reading = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`;
    expect(await statusOf(reading(65_535))).toBe(202);
    expect(await statusOf(reading(65_536))).toBe(202);
    expect(await statusOf(reading(65_537))).toBe(413);
    expect(await statusOf('{"celsius":')).toBe(400);
    expect(await statusOf(`{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`)).toBe(400);
    expect(await statusOf('21.5')).toBe(202);
    const newest = await send('GET', '/devices/thermo/telemetry');
    expect(JSON.parse(await newest.text())).toMatchObject({ telemetry: { value: 21.5 } });
  });
});

describe('what can be read back', () => {
  it('is a snapshot of frame, reading, ages and status', async () => {
    verifies('hub.snapshot.members', 'hub.snapshot.nothing', 'device.snapshot', 'purpose.hub.ingest');
    verifies('device.option.description.default');
    const { send } = await serveHub([camera('door')]);
    const snapshot = () => send('GET', '/devices/door/snapshot');
    expect((await snapshot()).status).toBe(404);
    const body = picture();
    await send('POST', frames, body);
    await send('POST', '/devices/door/telemetry', '{"lux":3}');
    const { age_ms, telemetry_age_ms, ...rest } = JSON.parse(await (await snapshot()).text());
    expect(rest).toEqual({
      ...{ device: 'door', description: null, seq: 1, telemetry: { lux: 3 }, status: 'online' },
      frame: { $image: { media_type: 'image/png', data: body.toString('base64') } },
    });
    expect([age_ms >= 0, telemetry_age_ms >= 0]).toEqual([true, true]);
  });

  it('is not sent twice to whoever names the frame it has', async () => {
    verifies('hub.latest.etag');
    const { send, url } = await serveHub([camera('door')]);
    await send('POST', frames, picture(50_000));
    const etag = (await send('GET', '/devices/door/latest')).headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[0-9A-Z]{26}-1"$/);
    const again = () =>
      fetch(`${url}/devices/door/latest`, { headers: { 'x-api-key': 'reader', 'if-none-match': etag } });
    const unchanged = await again();
    expect([unchanged.status, (await unchanged.arrayBuffer()).byteLength]).toEqual([304, 0]);
    expect(unchanged.headers.get('etag')).toBe(etag);
    await send('POST', frames, picture(50_000));
    expect((await again()).status).toBe(200);
  });

  it('has head and no body for HEAD, and leaves no viewer behind', async () => {
    const { send, listing } = await serveHub([camera('door')]);
    await send('POST', frames, picture());
    const latest = await send('HEAD', '/devices/door/latest');
    expect([latest.status, latest.headers.get('content-length')]).toEqual([200, '33']);
    const live = await send('HEAD', '/devices/door/stream.mjpeg');
    expect(live.headers.get('content-type')).toBe('multipart/x-mixed-replace; boundary=frame');
    expect(await listing()).toMatchObject([{ subscribers: 0 }]);
  });

  it('is a stream of pictures for whoever knows nothing but HTTP', async () => {
    const { send, listing } = await serveHub([camera('door')]);
    await send('POST', frames, picture(40));
    const live = await send('GET', '/devices/door/stream.mjpeg');
    const reader = (live.body ?? new ReadableStream<Uint8Array>()).getReader();
    let text = '';
    const readUntil = async (wanted: string) => {
      while (!text.includes(wanted))
        text += Buffer.from((await reader.read()).value ?? []).toString('latin1');
    };
    await readUntil('content-length: 40');
    await send('POST', frames, picture(41));
    await readUntil('content-length: 41');
    expect(await listing()).toMatchObject([{ subscribers: 1 }]);
    await reader.cancel();
    await expect.poll(listing).toMatchObject([{ subscribers: 0 }]);
  });

  it('has no frames where the device is a sensor', async () => {
    verifies('hub.sensor.no-frames');
    const { send } = await serveHub([sensor('thermo')]);
    expect((await send('POST', '/devices/thermo/frames', picture())).status).toBe(404);
    for (const path of ['frames', 'latest', 'stream.mjpeg'])
      expect((await send('GET', `/devices/thermo/${path}`)).status).toBe(404);
    expect((await send('GET', '/devices/nobody/telemetry')).status).toBe(404);
  });
});

describe('who may do what', () => {
  it('is said by the scopes of the device: a key that may only send cannot read', async () => {
    verifies('auth.device.ingest', 'auth.device.read', 'auth.device.ingest-only');
    verifies('device.option.ingest-scopes.default', 'device.option.read-scopes.default');
    const { send, url } = await serveHub([camera('door')]);
    const sending = ['POST /frames', 'POST /telemetry'];
    const reading = ['snapshot', 'latest', 'telemetry', 'insights', 'stream.mjpeg'].map(
      (path) => `GET /${path}`,
    );
    const statusOf = async (route: string, key: string) => {
      const [method = '', path = ''] = route.split(' ');
      const body = path === '/frames' ? picture() : method === 'POST' ? '{}' : undefined;
      const response = await send(method, `/devices/door${path}`, body, key);
      await response.body?.cancel();
      return response.status;
    };
    for (const route of sending) {
      expect([route, await statusOf(route, 'sender')]).toEqual([route, 202]);
      expect([route, await statusOf(route, 'reader')]).toEqual([route, 403]);
      expect([route, await statusOf(route, 'nobody')]).toEqual([route, 401]);
    }
    for (const route of reading) {
      expect([route, await statusOf(route, 'reader')]).toEqual([route, 200]);
      expect([route, await statusOf(route, 'sender')]).toEqual([route, 403]);
      expect([route, await statusOf(route, 'nobody')]).toEqual([route, 401]);
    }
    (await openSocket(url, '/devices/door/ws', 'sender')).close();
    (await openSocket(url, '/devices/door/stream', 'reader')).close();
    await expect(openSocket(url, '/devices/door/ws', 'reader')).rejects.toThrow('refused');
    await expect(openSocket(url, '/devices/door/stream', 'sender')).rejects.toThrow('refused');
  });

  it('takes every scope that the device names', async () => {
    verifies('device.option.ingest-scopes', 'device.option.read-scopes');
    const { send } = await serveHub([
      camera('door', { ingestScopes: ['devices:ingest', 'devices:read'], readScopes: ['svc:admin'] }),
    ]);
    expect((await send('POST', frames, picture(), 'sender')).status).toBe(403);
    expect((await send('POST', frames, picture(), 'both')).status).toBe(202);
    expect((await send('GET', '/devices/door/latest', undefined, 'both')).status).toBe(403);
    expect((await send('GET', '/devices/door/latest', undefined, 'admin')).status).toBe(200);
  });
});

describe('the listing of devices', () => {
  it('shows what came in, what was dropped, who watches, and the newest frame', async () => {
    verifies('control.devices', 'hub.listing.members', 'hub.listing.latest', 'hub.presence');
    verifies('device.option.source.default');
    verifies('hub.listing.watchers');
    const { send, listing, url, devices } = await serveHub([
      camera('door', { description: 'the front door', maxFps: 0.1 }),
      sensor('thermo'),
    ]);
    for (let i = 0; i < 3; i++) await send('POST', frames, picture());
    await openSocket(url, '/devices/door/stream');
    devices.nameWatcher('door', 'calm');
    const [door, thermo] = await listing();
    expect(door).toEqual({
      ...{ name: 'door', kind: 'camera', description: 'the front door', status: 'online', pulled: false },
      pull: null,
      latest: { seq: 1, media_type: 'image/png', bytes: 33, at_ms: expect.any(Number) },
      ...{ telemetry_at_ms: null, frames_in: 1, frames_dropped: 2, bytes_in: 33, fps: expect.any(Number) },
      ...{ subscribers: 1, watchers: ['calm'], insights: 0, max_fps: 0.1, readings: {} },
    });
    expect(thermo).toMatchObject({ name: 'thermo', status: 'offline', latest: null });
    expect((await send('GET', '/_svc/devices', undefined, 'both')).status).toBe(403);
  });

  it('shows a camera as stale once nothing has come for a while', async () => {
    verifies('hub.presence');
    const hub = await serveHub([camera('door')], { cameraPresence: { staleAfterMs: 200 } });
    const stream = await openSocket(hub.url, '/devices/door/stream');
    await hub.send('POST', frames, picture());
    expect(await stream.until('status')).toMatchObject({ status: 'online' });
    expect(await stream.until('status')).toMatchObject({ status: 'stale' });
    expect(await hub.listing()).toMatchObject([{ status: 'stale' }]);
  });
});
