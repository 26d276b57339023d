// Starts a program that serves the camera `door`, sends it a frame, looks at it, and stops the program:
// `hub-visitor.ts <where the devices are> <the header of who looks> <its value> <node> [flags] <program>`.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';

const [mount = '', name = '', value = '', node = '', ...program] = process.argv.slice(2);
const camera = { 'x-api-key': 'door-key' };
const viewer = { [name]: value };
const gif = Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=', 'base64');
const handshake = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

const env = { PATH: process.env['PATH'], PORT: '0' };
const child = spawn(node, program, { env, stdio: ['ignore', 'pipe', 'inherit'] });
const exit = once(child, 'exit');
const giveUp = setTimeout(() => child.kill('SIGKILL'), 30_000);
try {
  const url = `http://127.0.0.1:${await portOf()}${mount}/devices/door`;
  const send = (headers: Record<string, string>): Promise<Response> =>
    fetch(`${url}/frames`, {
      method: 'POST',
      body: gif,
      headers: { 'content-type': 'image/gif', ...headers },
    });
  const look = (headers: Record<string, string>): Promise<Response> => fetch(`${url}/latest`, { headers });

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

  // Other paths are the program's own.
  assert.match(await (await fetch(new URL('/hello', url))).text(), /^a page of the \w+: \/hello$/);

  const closed = once(stream, 'close') as Promise<[CloseEvent]>;
  child.kill('SIGTERM');
  assert.equal((await closed)[0].code, 1001);
  assert.equal((await exit)[0], 0);
} finally {
  clearTimeout(giveUp);
  child.kill('SIGKILL');
}

async function portOf(): Promise<string> {
  let said = '';
  for await (const chunk of child.stdout) {
    said += String(chunk);
    const [, port] = /listening on port (\d+)/.exec(said) ?? [];
    if (port !== undefined) return port;
  }
  throw new Error(`${program.join(' ')} ended before it listened: ${said}`);
}

/** The status of an upgrade that is refused. */
async function refusalOf(url: string, headers: Record<string, string>): Promise<number | undefined> {
  const upgrade: ClientRequest = request(url, { headers: { ...handshake, ...headers } }).end();
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    upgrade.once('response', resolve).once('upgrade', resolve).once('error', reject);
  });
  response.destroy();
  return response.statusCode;
}
