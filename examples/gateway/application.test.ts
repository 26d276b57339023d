import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testApplication } from '@waymark/server/testing';
import { application } from './application.ts';

await test('makes a route and a tool of each operation, with its own scopes and schemas', async (t) => {
  const app = await testApplication(application);
  t.after(app.close);
  const operator = app.as('operator');
  assert.deepEqual(await operator.call('list_items'), ['lamp']);
  assert.deepEqual(await operator.call('set_item', { item: 'chair', count: 2 }), { item: 'chair', count: 2 });
  assert.deepEqual(await operator.json('/stock/items/chair'), { item: 'chair', count: 2 });
  // What the document says is held before the service is asked, and what it answers passes as it is.
  const put = (count: unknown) => ({ method: 'PUT', json: { count } });
  assert.equal((await operator.request('/stock/items/chair', put('many'))).status, 422);
  assert.equal((await operator.request('/stock/items/table')).status, 404);
  assert.equal((await app.as('reader').request('/stock/items/chair', put(1))).status, 403);
  assert.equal((await app.request('/stock/items')).status, 401);
});
