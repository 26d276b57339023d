import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testApplication } from '@waymark/server/testing';
import { application, approver } from './application.ts';

const refund = (id: number, euros: number) => ({ call: 'refund_order', with: { id, euros } });

await test('lets a program agree to little, and leaves the rest to a human', {
  timeout: 30_000,
}, async (t) => {
  const model = [refund(1, 49), 'Refunded.', refund(2, 98), 'It stays paid.'];
  const app = await testApplication(application, { model });
  t.after(app.close);
  approver.url = app.url;
  const operator = app.as('operator');
  const ask = (input: string) => operator.json('/agents/clerk', { json: { input } });
  const { run_id: small } = await ask('Refund order 1.');
  // The program is told by a webhook, a moment later.
  const end = async (): Promise<{ status: string }> => operator.json(`/agents/clerk/runs/${small}`);
  while ((await end()).status !== 'completed' && !t.signal.aborted);
  const { approvals } = await operator.json('/_svc/approvals?status=decided');
  assert.equal(approvals[0].decided_by, 'approver');
  assert.equal((await ask('Refund order 2.')).status, 'awaiting_approval');
  const { output } = await operator.decline('too much');
  assert.equal(output, 'It stays paid.');
  const refunded = await operator.call('list_orders');
  assert.deepEqual(
    refunded.map((order: { refunded: boolean }) => order.refunded),
    [true, false],
  );
});

await test('believes nobody who cannot sign', async () => {
  const answer = await fetch(approver.hook, { method: 'POST', body: '{"type":"approval_requested"}' });
  assert.equal(answer.status, 400);
});
