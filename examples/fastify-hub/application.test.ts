import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { start } from './application.ts';

const dot = Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=', 'base64');

await test('shows what a device sends to whoever is signed in, live', async (t) => {
  const { url, close } = await start(0);
  t.after(close);
  const send = () =>
    fetch(`${url}/devices/door/frames`, {
      method: 'POST',
      headers: { 'x-api-key': 'a-key-for-the-door' },
      body: dot,
    });
  assert.equal((await send()).status, 202);
  const ann = { cookie: 'user=ann' };
  const latest = await fetch(`${url}/devices/door/latest`, { headers: ann });
  assert.deepEqual(Buffer.from(await latest.arrayBuffer()), dot);
  assert.equal((await fetch(`${url}/devices/door/latest`)).status, 401);
  assert.equal(await (await fetch(url)).text(), 'A page of the application.');
  // A socket of Node takes headers, as a page sends its cookie.
  const socket = new WebSocket(`${url.replace('http', 'ws')}/devices/door/stream`, {
    headers: ann,
  });
  socket.binaryType = 'arraybuffer';
  t.after(() => socket.close());
  const [hello] = (await once(socket, 'message')) as [MessageEvent];
  assert.equal(JSON.parse(String(hello.data)).type, 'hello');
});
