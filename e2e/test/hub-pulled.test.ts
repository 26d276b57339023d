import { createHash } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { createRouteTable } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { type CameraOptions, camera, deviceHub } from '@waymark/device-hub';
import { describe, expect, it } from 'vitest';
import { secrets, serveHub } from './hub-door.ts';
import { numberOf, type PulledCamera, picture, sendPicture, startCamera } from './pulled-camera.ts';

const latest = '/devices/door/latest';
const snapshot = '/devices/door/snapshot';
const stream = '/devices/door/stream.mjpeg';

/** A hub with one camera that is pulled. It has little patience unless a test has more. */
async function pulled(source: PulledCamera, options: CameraOptions = {}, pullTimeoutMs = 500) {
  const door = camera('door', { source: `${source.url}/still.png`, maxFps: 1_000, ...options });
  const hub = await serveHub([door], { pullTimeoutMs });
  const row = async () => (await hub.listing())[0];
  return { ...hub, row };
}

const still: RequestListener = (_, res) => sendPicture(res, 1);

describe('a camera that is pulled', () => {
  it('is asked when a frame is asked for, and never before', async () => {
    verifies('device.option.source', 'device.option.source.lazy', 'device.pull', 'hub.pull.fresh');
    const source = await startCamera();
    const { send, row, port } = await pulled(source);
    await row();
    await send('GET', '/devices/door/telemetry');
    await send('GET', '/devices/door/insights');
    await send('GET', '/devices/door/frames');
    expect(source.requests).toEqual([]);
    const first = await send('GET', latest);
    expect([first.status, first.headers.get('x-frame-seq'), await numberOf(first)]).toEqual([200, '1', 1]);
    await sleep(5);
    expect(await numberOf(await send('GET', latest))).toBe(2);
    await sleep(5);
    const { seq, frame, age_ms, status } = JSON.parse(await (await send('GET', snapshot)).text());
    expect([seq, status]).toEqual([3, 'online']);
    expect(Buffer.from(frame.$image.data, 'base64')).toEqual(picture(3));
    expect(age_ms).toBeLessThan(1_500);
    expect(source.requests).toHaveLength(3);
    expect(source.requests.map(({ method, url }) => `${method} ${url}`)[0]).toBe('GET /still.png');
    const reader = new WebSocket(`ws://127.0.0.1:${port}/devices/door/stream?access_token=both`);
    const heard: string[] = [];
    reader.onmessage = ({ data }) => typeof data === 'string' && heard.push(data);
    await expect.poll(() => heard.length).toBe(2);
    verifies('hub.pull.stream');
    expect(JSON.parse(heard[0] ?? '')).toMatchObject({ type: 'hello', seq: 3, device: { pulled: true } });
    expect(source.requests).toHaveLength(3);
    reader.close();
  });

  it('is asked once by two hundred who ask together', async () => {
    verifies('hub.pull.shared');
    let give = (): void => {};
    const source = await startCamera((_, res) => {
      give = () => sendPicture(res, 7);
    });
    const { send, row } = await pulled(source, {}, 10_000);
    const readers = Array.from({ length: 200 }, (_, i) => send('GET', i % 2 === 0 ? latest : snapshot));
    await expect.poll(() => source.requests.length).toBe(1);
    // All of them are in before the camera answers: what is asked behind them is answered, again and again.
    for (let i = 0; i < 20; i++) await row();
    await sleep(200);
    give();
    const answers = await Promise.all(readers);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(source.requests).toHaveLength(1);
  });

  it('is asked no more often than it may send', async () => {
    verifies('hub.pull.fresh');
    const source = await startCamera();
    const { send } = await pulled(source, { maxFps: 4 });
    const startMs = performance.now();
    while (performance.now() - startMs < 1_000) await send('GET', latest);
    const seconds = (performance.now() - startMs) / 1_000;
    expect(source.requests.length).toBeLessThanOrEqual(1 + 4 * seconds);
    expect(source.requests.length).toBeGreaterThan(1);
  });

  it('keeps the number of a picture that is the same, so that who has it is told so', async () => {
    verifies('hub.pull.unchanged');
    const source = await startCamera(still);
    const { send, url, row } = await pulled(source);
    const first = await send('GET', latest);
    await sleep(30);
    const headers = { 'x-api-key': 'both', 'if-none-match': first.headers.get('etag') ?? '' };
    const again = await fetch(url + latest, { headers });
    expect([again.status, again.headers.get('x-frame-seq')]).toEqual([304, '1']);
    expect(source.requests).toHaveLength(2);
    // It is the same picture, and it is new.
    expect(again.headers.get('x-frame-at')).toBe(first.headers.get('x-frame-at'));
    expect(Number(again.headers.get('x-frame-age'))).toBeLessThan(25);
    source.answer = (_, res) => sendPicture(res, 2);
    await sleep(5);
    expect((await fetch(url + latest, { headers })).status).toBe(200);
    expect(await row()).toMatchObject({ frames_in: 2, latest: { seq: 2 }, pulled: true });
  });

  it('is not asked by a HEAD', async () => {
    verifies('hub.pull.head');
    const source = await startCamera();
    const { send } = await pulled(source);
    for (const path of [latest, snapshot, stream]) expect((await send('HEAD', path)).status).toBe(404);
    await send('GET', latest);
    await sleep(5);
    const head = await send('HEAD', latest);
    expect([head.status, head.headers.get('x-frame-seq')]).toEqual([200, '1']);
    await send('HEAD', snapshot);
    expect((await send('HEAD', stream)).status).toBe(200);
    // Long enough for somebody who watches to be shown the next one.
    await sleep(50);
    expect(source.requests).toHaveLength(1);
  });

  it('fills no bucket, and drops nothing', async () => {
    verifies('hub.pull.no-bucket');
    const source = await startCamera();
    const { send, row } = await pulled(source, { maxFps: 50 });
    for (let i = 0; i < 5; i++) {
      expect((await send('GET', latest)).status).toBe(200);
      await sleep(25);
    }
    source.answer = (_, res) => res.end('no picture');
    await send('GET', latest);
    expect(await row()).toMatchObject({ frames_in: 5, frames_dropped: 0 });
    // What is pushed has the whole bucket for itself.
    expect((await send('POST', '/devices/door/frames', picture(9))).status).toBe(202);
  });

  it('is sent what its declaration says, and nothing by default', async () => {
    verifies(
      'device.option.headers',
      'device.option.headers.default',
      'device.option.bearer',
      'device.option.bearer.default',
    );
    const source = await startCamera();
    await (await pulled(source)).send('GET', latest);
    await (await pulled(source, { headers: { 'x-door': 'front' }, bearerEnv: 'CAMERA_TOKEN' })).send(
      'GET',
      latest,
    );
    const [plain = {}, told = {}] = source.requests.map(({ headers }) => headers);
    expect(Object.keys(plain).sort()).toEqual(['accept', 'connection', 'host']);
    expect([told['x-door'], told.authorization]).toEqual(['front', `Bearer ${secrets['CAMERA_TOKEN']}`]);
  });
});

describe('how new a picture is', () => {
  it('is as new as somebody wants, or there is none', async () => {
    verifies('hub.max-age');
    const source = await startCamera();
    const { send } = await pulled(source);
    await send('GET', latest);
    await sleep(60);
    // As new as that without asking.
    expect(await numberOf(await send('GET', `${latest}?max_age_ms=60000`))).toBe(1);
    expect(source.requests).toHaveLength(1);
    expect(await numberOf(await send('GET', `${latest}?max_age_ms=50`))).toBe(2);
    await sleep(5);
    expect(JSON.parse(await (await send('GET', `${snapshot}?max_age_ms=0`)).text())).toMatchObject({
      seq: 3,
    });
    source.answer = (_, res) => res.destroy();
    await sleep(5);
    const late = await send('GET', `${latest}?max_age_ms=4`);
    expect([late.status, JSON.parse(await late.text())]).toMatchObject([
      504,
      { detail: 'no picture of "door" is 4 ms old at most', code: 'camera_unreachable' },
    ]);
    expect((await send('GET', latest)).status).toBe(200);
    for (const wrong of ['-1', '1.5', 'new']) {
      expect((await send('GET', `${latest}?max_age_ms=${wrong}`)).status).toBe(422);
    }
  });

  it('holds for a camera that sends by itself, too', async () => {
    verifies('hub.max-age');
    const { send } = await serveHub([camera('door')]);
    expect((await send('GET', `${latest}?max_age_ms=1000`)).status).toBe(504);
    await send('POST', '/devices/door/frames', picture(1));
    expect((await send('GET', `${latest}?max_age_ms=60000`)).status).toBe(200);
    await sleep(50);
    const late = await send('GET', `${snapshot}?max_age_ms=20`);
    expect([late.status, JSON.parse(await late.text()).code]).toEqual([504, 'too_old']);
    expect((await send('GET', snapshot)).status).toBe(200);
  });
});

describe('a camera that fails', () => {
  const cases: Readonly<Record<string, readonly [RequestListener, number, string]>> = {
    'closes at once': [(_, res) => res.destroy(), 502, 'camera_unreachable'],
    'closes half-way': [
      (_, res) => {
        res.writeHead(200, { 'content-length': 10_000 }).write(picture(1));
        setTimeout(() => res.destroy(), 20);
      },
      ...([502, 'camera_unreachable'] as const),
    ],
    'closes half-way without having said how much there is': [
      (_, res) => {
        res.socket?.end(Buffer.concat([Buffer.from('HTTP/1.0 200 OK\r\n\r\n'), picture(1)]));
      },
      ...([502, 'camera_answer'] as const),
    ],
    'says nothing': [() => {}, 504, 'camera_timeout'],
    'drips a byte at a time': [
      (_, res) => {
        res.writeHead(200, { 'content-type': 'image/png' });
        const timer = setInterval(() => res.write('x'), 50);
        res.on('close', () => clearInterval(timer));
      },
      ...([504, 'camera_timeout'] as const),
    ],
    'drips a stream': [
      (_, res) => {
        res.writeHead(200, { 'content-type': 'multipart/x-mixed-replace; boundary=b' });
        res.write('--b\r\n\r\n');
        const timer = setInterval(() => res.write('x'), 50);
        res.on('close', () => clearInterval(timer));
      },
      ...([504, 'camera_timeout'] as const),
    ],
    'says that it has a gigabyte': [
      (_, res) => void res.writeHead(200, { 'content-length': 2 ** 30 }).write('x'),
      ...([502, 'camera_too_large'] as const),
    ],
    'sends without an end': [
      (_, res) => {
        const more = (): void => {
          while (!res.destroyed && res.write(Buffer.alloc(65_536)));
        };
        res.on('drain', more);
        more();
      },
      ...([502, 'camera_too_large'] as const),
    ],
    'sends a page': [
      (_, res) => res.setHeader('content-type', 'text/html').end('<h1>Log in</h1>'),
      ...([502, 'camera_answer'] as const),
    ],
    'sends nothing': [(_, res) => res.end(), 502, 'camera_answer'],
    'sends a stream without a picture': [
      (_, res) => res.setHeader('content-type', 'multipart/x-mixed-replace; boundary=b').end('--b--'),
      ...([502, 'camera_answer'] as const),
    ],
    'has another status': [(_, res) => res.writeHead(500).end('stack'), 502, 'camera_answer'],
    'has it elsewhere': [
      (_, res) => res.writeHead(302, { location: 'http://localhost:1/' }).end(),
      ...([502, 'camera_address'] as const),
    ],
    'sends us to the metadata of a cloud': [
      (_, res) => res.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data/' }).end(),
      ...([502, 'camera_address'] as const),
    ],
    'sends us round in circles': [
      (req, res) => res.writeHead(302, { location: `${req.url}x` }).end(),
      ...([502, 'camera_answer'] as const),
    ],
    'wants other credentials': [(_, res) => res.writeHead(401).end(), 502, 'camera_credentials'],
  };

  it.each(Object.entries(cases))('%s', async (_, [answer, status, code]) => {
    verifies('hub.pull.bounded', 'hub.pull.redirects', 'hub.pull.first', 'hub.pull.last-good');
    const source = await startCamera(still);
    const { send, row } = await pulled(source, { maxFrameBytes: 300_000 });
    expect((await send('GET', latest)).status).toBe(200);
    source.answer = answer;
    await sleep(5);
    const last = await send('GET', latest);
    expect([last.status, last.headers.get('x-frame-seq'), await numberOf(last)]).toEqual([200, '1', 1]);
    expect(Number(last.headers.get('x-frame-age'))).toBeGreaterThanOrEqual(5);
    expect(await row()).toMatchObject({ pull: { failures: 1, error: code }, frames_in: 1 });
    // At most those that are kept for the next time.
    await expect.poll(() => source.sockets).toBeLessThanOrEqual(2);

    // Of another, that never gave any.
    const other = await pulled(source, { maxFrameBytes: 300_000 });
    const first = await other.send('GET', latest);
    expect([first.status, JSON.parse(await first.text()).code]).toEqual([status, code]);
    expect(await other.row()).toMatchObject({ status: 'offline', latest: null });
  });

  it('is left alone for a while, and then asked again', async () => {
    verifies('hub.pull.pause', 'hub.pull.first', 'hub.pull.presence');
    const source = await startCamera((_, res) => res.destroy());
    const { send, row } = await pulled(source);
    expect((await send('GET', latest)).status).toBe(502);
    source.answer = still;
    const asked = source.requests.length;
    const paused = await send('GET', snapshot);
    expect([paused.status, paused.headers.get('retry-after')]).toEqual([502, '1']);
    expect(source.requests).toHaveLength(asked);
    await expect.poll(async () => (await send('GET', latest)).status, { timeout: 3_000 }).toBe(200);
    expect(await row()).toMatchObject({ status: 'online', pull: { failures: 0, error: null } });
    source.answer = (_, res) => res.destroy();
    await sleep(5);
    await send('GET', latest);
    await sleep(1_050);
    await send('GET', latest);
    expect(await row()).toMatchObject({ status: 'stale', pull: { failures: 2 } });
  });

  it('tells nobody where it is, nor what it is told', async () => {
    verifies('hub.pull.secrets');
    const lines: unknown[] = [];
    const source = await startCamera((req, res) => res.writeHead(500).end(req.rawHeaders.join()));
    const { host } = new URL(source.url);
    const hub = await serveHub(
      [
        camera('door', {
          source: `http://ada:url-hunter2@${host}/still?token=query-hunter2`,
          headers: { 'x-key': 'header-hunter2' },
        }),
        camera('yard', { source: `${source.url}/path-hunter2`, bearerEnv: 'CAMERA_TOKEN' }),
        camera('hall', { source: source.url, username: 'ada', passwordEnv: 'CAMERA_PASSWORD' }),
        // Nobody is there: the words of the system are not for callers.
        camera('shed', { source: 'http://127.0.0.1:1/path-hunter2', bearerEnv: 'CAMERA_TOKEN' }),
      ],
      {},
      {},
      (...line) => void lines.push(line),
    );
    const said: string[] = [];
    for (const name of ['door', 'yard', 'hall', 'shed']) {
      for (const path of ['latest', 'snapshot', 'latest?max_age_ms=0', 'stream.mjpeg', 'view', 'frames']) {
        const answer = await hub.send('GET', `/devices/${name}/${path}`);
        said.push(await answer.text(), JSON.stringify([...answer.headers]));
      }
    }
    said.push(JSON.stringify(await hub.listing()));
    for (const text of said) expect(text).not.toContain(new URL(source.url).port);
    expect(lines).toHaveLength(4);
    for (const text of [...said, inspect(lines, { depth: 9 })]) expect(text).not.toContain('hunter2');
  });

  it('is followed around its own house', async () => {
    verifies('hub.pull.redirects');
    const source = await startCamera((req, res) => {
      if (req.url === '/still.png') res.writeHead(307, { location: '/now/1.png?size=2' }).end();
      else sendPicture(res, 5);
    });
    const { send } = await pulled(source, { headers: { 'x-key': 'k' } });
    expect((await send('GET', latest)).status).toBe(200);
    expect(source.requests.map(({ url, headers }) => [url, headers['x-key']])).toEqual([
      ['/still.png', 'k'],
      ['/now/1.png?size=2', 'k'],
    ]);
  });

  it('is not looked for where clouds keep their secrets', async () => {
    verifies('hub.pull.metadata');
    const urls = [
      'http://169.254.169.254/',
      'http://[::ffff:169.254.169.254]/',
      'http://2852039166/',
      'http://[fd00:ec2::254]/',
      'http://[64:ff9b::a9fe:a9fe]/',
    ];
    for (const source of urls) {
      const hub = deviceHub([camera('door', { source })]);
      const table = createRouteTable(hub.routes).freeze();
      // The declaration is wrong: no server starts with it, and none of its routes gives a picture.
      expect(hub.check?.({ table, env: () => undefined })).toMatchObject([{ code: 'device-source' }]);
    }
  });
});

describe('a camera that asks who is there', () => {
  const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

  it('is answered by digest, without the password', async () => {
    verifies('hub.pull.login');
    let nonce = 'n1';
    const source = await startCamera((req, res) => {
      const sent = req.headers.authorization ?? '';
      const member = (name: string): string => new RegExp(`\\b${name}="?([^",]+)`).exec(sent)?.[1] ?? '';
      const first = md5(`ada:cameras:${secrets['CAMERA_PASSWORD']}`);
      const second = md5(`GET:${req.url}`);
      const between = `${nonce}:${member('nc')}:${member('cnonce')}:auth`;
      if (member('nonce') === nonce && member('response') === md5(`${first}:${between}:${second}`))
        sendPicture(res, 3);
      else
        res
          .writeHead(401, {
            'www-authenticate': `Basic realm="cameras", Digest realm="cameras", qop="auth", nonce="${nonce}"`,
          })
          .end();
    });
    const { send } = await pulled(source, { username: 'ada', passwordEnv: 'CAMERA_PASSWORD' });
    const ask = async (): Promise<number> => {
      await sleep(5);
      return (await send('GET', latest)).status;
    };
    expect(await ask()).toBe(200);
    expect(source.requests).toHaveLength(2);
    // It is known by now.
    expect(await ask()).toBe(200);
    expect(source.requests).toHaveLength(3);
    nonce = 'n2';
    expect(await ask()).toBe(200);
    expect(source.requests).toHaveLength(5);
    const sent = source.requests.map(({ rawHeaders }) => rawHeaders.join()).join();
    expect(sent).not.toContain(secrets['CAMERA_PASSWORD']);
    expect(sent).not.toContain('Basic');
  });

  it('is told in plain text where it wants nothing else', async () => {
    verifies('hub.pull.login');
    const basic = `Basic ${Buffer.from('ada:p@ss').toString('base64')}`;
    const source = await startCamera((req, res) => {
      if (req.headers.authorization === basic) sendPicture(res, 3);
      else res.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
    });
    const { host } = new URL(source.url);
    const { send } = await pulled(source, { source: `http://ada:p%40ss@${host}/a.png` });
    expect((await send('GET', latest)).status).toBe(200);
    expect(source.requests.map(({ headers }) => headers.authorization)).toEqual([undefined, basic]);
  });

  it('may refuse what it is told', async () => {
    verifies('hub.pull.login');
    const source = await startCamera((_, res) => {
      res.writeHead(401, { 'www-authenticate': 'Digest realm="x", nonce="1", qop="auth"' }).end();
    });
    const { send } = await pulled(source, { username: 'ada', passwordEnv: 'CAMERA_PASSWORD' });
    const answer = await send('GET', latest);
    expect(JSON.parse(await answer.text())).toMatchObject({
      status: 502,
      code: 'camera_credentials',
      detail: 'camera "door" refuses the credentials it is given',
    });
    expect(source.requests).toHaveLength(2);
  });
});

describe('a camera that answers with a stream', () => {
  /** Sends a new picture every so often. */
  const film =
    (everyMs: number): RequestListener =>
    (_, res) => {
      res.writeHead(200, { 'content-type': 'multipart/x-mixed-replace; boundary=--cut' });
      let n = 0;
      const send = (): void => {
        const bytes = picture(++n);
        res.write(`--cut\r\nContent-Type: image/png\r\nContent-Length: ${bytes.length}\r\n\r\n`);
        res.write(bytes);
        res.write('\r\n');
      };
      send();
      const timer = setInterval(send, everyMs);
      res.on('close', () => clearInterval(timer));
    };

  it('is read while somebody looks, and then let go', async () => {
    verifies('hub.pull.mjpeg-source');
    const source = await startCamera(film(20));
    const { send, row, port } = await pulled(source, { maxFps: 20 });
    const reader = new WebSocket(`ws://127.0.0.1:${port}/devices/door/stream?access_token=both&frames=meta`);
    let frames = 0;
    reader.onmessage = ({ data }) => {
      if (String(data).includes('"type":"frame"')) frames++;
    };
    const numbers: number[] = [];
    for (let i = 0; i < 5; i++) {
      numbers.push(await numberOf(await send('GET', latest)));
      await sleep(60);
    }
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
    expect(source.requests).toHaveLength(1);
    // Half of its pictures: it sends 50 a second, and may send 20.
    await expect.poll(() => frames).toBeGreaterThan(10);
    const { fps } = (await row()) as { readonly fps: number };
    expect(fps).toBeLessThan(23);
    await expect.poll(() => source.sockets, { timeout: 15_000 }).toBe(0);
    const { latest: last } = (await row()) as { readonly latest: { readonly seq: number } };
    await sleep(100);
    expect(await row()).toMatchObject({ latest: { seq: last.seq }, pull: { failures: 0 } });
    // And asked again by the next who looks.
    expect((await send('GET', latest)).status).toBe(200);
    expect(source.requests).toHaveLength(2);
    reader.close();
  });

  it('is asked again when it ends', async () => {
    verifies('hub.pull.mjpeg-source');
    const source = await startCamera((_, res) => {
      res.writeHead(200, { 'content-type': 'multipart/x-mixed-replace; boundary=cut' });
      res.end(Buffer.concat([Buffer.from('--cut\r\n\r\n'), picture(4), Buffer.from('\r\n--cut--')]));
    });
    const { send } = await pulled(source);
    for (let i = 1; i <= 3; i++) {
      expect(await numberOf(await send('GET', latest))).toBe(4);
      expect(source.requests).toHaveLength(i);
      await sleep(20);
    }
  });
});

describe('motion JPEG of a camera that is pulled', () => {
  it('has it asked while somebody watches', async () => {
    verifies('hub.pull.mjpeg');
    const source = await startCamera();
    const { url, row } = await pulled(source, { maxFps: 50 });
    const end = new AbortController();
    const headers = { 'x-api-key': 'both' };
    const response = await fetch(`${url}/devices/door/stream.mjpeg`, { headers, signal: end.signal });
    let text = '';
    for await (const piece of response.body ?? []) {
      text += Buffer.from(piece).toString('latin1');
      if (text.split('--frame').length > 5) break;
    }
    expect(source.requests.length).toBeGreaterThan(3);
    end.abort();
    await expect.poll(async () => (await row())?.['subscribers']).toBe(0);
    const asked = source.requests.length;
    await sleep(200);
    expect(source.requests.length - asked).toBeLessThanOrEqual(1);
  });
});

describe('frames that are kept', () => {
  it('can be listed and read', async () => {
    verifies('hub.frames.listed', 'hub.frames.one');
    const { send } = await serveHub([camera('door', { keep: 2, maxFps: 1_000 })]);
    expect(JSON.parse(await (await send('GET', '/devices/door/frames')).text())).toEqual({
      device: 'door',
      frames: [],
    });
    for (const n of [1, 2, 3]) {
      await send('POST', '/devices/door/frames', picture(n));
      await sleep(5);
    }
    const { frames } = JSON.parse(await (await send('GET', '/devices/door/frames')).text());
    expect(frames).toMatchObject([
      { seq: 2, media_type: 'image/png', bytes: 64 },
      { seq: 3, media_type: 'image/png', bytes: 64 },
    ]);
    const one = await send('GET', '/devices/door/frames/2');
    expect([one.status, one.headers.get('content-type'), await numberOf(one)]).toEqual([200, 'image/png', 2]);
    const gone = await send('GET', '/devices/door/frames/1');
    expect([gone.status, JSON.parse(await gone.text()).detail]).toEqual([
      404,
      'frame 1 of "door" is not kept',
    ]);
    expect((await send('GET', '/devices/door/frames/0')).status).toBe(422);
    expect((await send('GET', '/devices/door/frames', undefined, 'sender')).status).toBe(403);
  });
});
