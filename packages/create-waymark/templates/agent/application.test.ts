import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testApplication } from '@waymark/server/testing';
import { application } from './application.ts';

await test('refunds once a human has agreed', async (t) => {
  const refund = { call: 'refund_order', with: { id: 1 } };
  const app = await testApplication(application, { model: [refund, 'Refunded.'] });
  t.after(app.close);
  const operator = app.as('operator');
  const asked = await operator.json('/agents/clerk', { json: { input: 'Refund order 1.' } });
  assert.equal(asked.status, 'awaiting_approval');
  const decided = await operator.approve('billed twice');
  assert.equal(decided.output, 'Refunded.');
  const [order] = await operator.call('list_orders');
  assert.equal(order.refunded, true);
});

await test('tells the model what a human declined', async (t) => {
  const refund = { call: 'refund_order', with: { id: 2 } };
  const app = await testApplication(application, { model: [refund, 'It stays paid.'] });
  t.after(app.close);
  const operator = app.as('operator');
  await operator.json('/agents/clerk', { json: { input: 'Refund order 2.' } });
  const decided = await operator.decline('too late');
  assert.equal(decided.output, 'It stays paid.');
});

await test('lets readers list, and nobody else', async (t) => {
  const app = await testApplication(application);
  t.after(app.close);
  assert.equal((await app.as('reader').request('/orders')).status, 200);
  assert.equal((await app.request('/orders')).status, 401);
});
