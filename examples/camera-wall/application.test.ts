import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testApplication } from '@waymark/server/testing';
import { application } from './application.ts';

await test('shows every camera to whoever may look, and a way to sign in to everybody else', async (t) => {
  const app = await testApplication(application);
  t.after(app.close);
  const viewer = app.as('viewer');
  const page = await (await viewer.request('/')).text();
  const sources = [...page.matchAll(/<img src="([^"]+)"/g)].map(([, source = '']) => source);
  assert.equal(sources.length, 4);
  for (const source of sources) {
    const stop = new AbortController();
    const stream = await viewer.request(source, { signal: stop.signal });
    assert.match(stream.headers.get('content-type') ?? '', /^multipart\/x-mixed-replace/);
    const first = await stream.body?.getReader().read();
    assert.ok((first?.value?.length ?? 0) > 0);
    stop.abort();
  }
  const anonymous = await (await app.request('/')).text();
  assert.match(anonymous, /\/_svc\/sign-in\?to=\//);
  assert.doesNotMatch(anonymous, /<img/);
  assert.equal((await app.request('/devices/camera_1/latest')).status, 401);
});
