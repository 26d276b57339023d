// Starts a program that serves the camera `door`, sends it a frame, looks at it, and stops the program:
// `hub-visitor.ts <node> [flags] <program>`.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { visitCamera } from './visit-camera.ts';
import { visit } from './visited.ts';

await visit(process.argv.slice(2), async ({ port, stop }) => {
  const url = `http://127.0.0.1:${port}`;
  const stream = await visitCamera(`${url}/devices/door`, {
    camera: { 'x-api-key': 'door-key' },
    viewer: { 'x-api-key': 'viewer-key' },
  });

  // Other paths are the program's own.
  assert.equal(await (await fetch(`${url}/hello`)).text(), 'a page of the server: /hello');

  const closed = once(stream, 'close') as Promise<[CloseEvent]>;
  assert.equal((await stop()).code, 0);
  assert.equal((await closed)[0].code, 1001);
});
