import assert from 'node:assert/strict';
import { once } from 'node:events';
import { refusalOf } from './visited.ts';

/** Headers of who sends, and of who looks. */
export interface CameraCallers {
  readonly camera: Readonly<Record<string, string>>;
  readonly viewer: Readonly<Record<string, string>>;
}

const gif = Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=', 'base64');

/** Sends a frame to the camera at a URL, looks at it, is refused with wrong keys; gives the stream that stays open. */
export async function visitCamera(url: string, { camera, viewer }: CameraCallers): Promise<WebSocket> {
  const send = (headers: Readonly<Record<string, string>>, body = gif): Promise<Response> =>
    fetch(`${url}/frames`, { method: 'POST', body, headers: { 'content-type': 'image/gif', ...headers } });
  const look = (headers: Readonly<Record<string, string>>): Promise<Response> =>
    fetch(`${url}/latest`, { headers });

  // Without a key, with a wrong one, and with one that is for something else.
  assert.deepEqual([(await send({})).status, (await look({})).status], [401, 401]);
  assert.equal((await send({ 'x-api-key': 'wrong-key' })).status, 401);
  assert.deepEqual([(await send(viewer)).status, (await look(camera)).status], [403, 403]);
  assert.deepEqual(
    [await refusalOf(`${url}/stream`, {}), await refusalOf(`${url}/stream`, camera)],
    [401, 403],
  );
  assert.deepEqual([await refusalOf(`${url}/ws`, {}), await refusalOf(`${url}/ws`, viewer)], [401, 403]);

  const stream = new WebSocket(`${url.replace('http', 'ws')}/stream`, { headers: viewer });
  stream.binaryType = 'arraybuffer';
  const told: unknown[] = [];
  const frame = new Promise<void>((resolve) => {
    stream.onmessage = ({ data }) => {
      told.push(typeof data === 'string' ? (JSON.parse(data) as { type: string }).type : Buffer.from(data));
      if (typeof data !== 'string') resolve();
    };
  });
  await once(stream, 'message');
  const answer = await send(camera);
  assert.deepEqual([answer.status, await answer.json()], [202, { device: 'door', seq: 1 }]);
  await frame;
  assert.deepEqual(
    told.filter((type) => type !== 'status'),
    ['hello', 'frame', gif],
  );
  const latest = await look(viewer);
  assert.deepEqual([latest.status, latest.headers.get('content-type')], [200, 'image/gif']);
  assert.deepEqual(Buffer.from(await latest.arrayBuffer()), gif);

  // A large one, and one that is too large.
  const large = Buffer.concat([gif], 4_000_000);
  assert.equal((await send(camera, large)).status, 202);
  // Read to its end: a server waits for readers when it stops.
  assert.equal((await (await look(viewer)).arrayBuffer()).byteLength, large.length);
  assert.equal((await send(camera, Buffer.concat([gif], 40_000_000))).status, 413);
  return stream;
}
