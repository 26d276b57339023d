import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testApplication } from '@waymark/server/testing';
import { application } from './application.ts';

await test('keeps what is to be done, for whoever has signed in', async (t) => {
  const app = await testApplication(application);
  t.after(app.close);
  const editor = app.as('editor');
  assert.deepEqual(await editor.json('/todos', { json: { text: 'Sweep.' } }), {
    id: 1,
    text: 'Sweep.',
    done: false,
  });
  await editor.call('update_todos', { id: 1, done: true });
  assert.deepEqual(await editor.json('/todos'), [{ id: 1, text: 'Sweep.', done: true }]);
  assert.match(await (await editor.request('/')).text(), /src="\/assets\/main\.js"/);
  const anonymous = await (await app.request('/')).text();
  assert.doesNotMatch(anonymous, /main\.js/);
  assert.equal((await app.request('/todos')).status, 401);
});
