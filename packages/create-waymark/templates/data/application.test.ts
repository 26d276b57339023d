import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testApplication } from '@waymark/server/testing';
import { application } from './application.ts';

await test('keeps notes, and shows those that are open', async (t) => {
  // With a database in memory.
  const app = await testApplication(application);
  t.after(app.close);
  const editor = app.as('editor');
  const { id } = await editor.call('create_notes', { text: 'Water <the> plants' });
  await editor.json('/notes', { json: { text: 'Sleep', done: true } });
  assert.deepEqual(await editor.call('count_notes'), { notes: 2, open: 1 });
  const page = await (await app.request('/')).text();
  assert.match(page, /Water &lt;the&gt; plants/);
  assert.doesNotMatch(page, /Sleep/);
  await editor.call('update_notes', { id, done: true });
  assert.match(await (await app.request('/')).text(), /nothing to do/);
});

await test('lets readers read, and not write', async (t) => {
  const app = await testApplication(application);
  t.after(app.close);
  const reader = app.as('reader');
  assert.equal((await reader.request('/notes')).status, 200);
  assert.equal((await reader.request('/notes', { json: { text: 'Mine' } })).status, 403);
});
