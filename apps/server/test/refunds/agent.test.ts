import { testApplication } from '@waymark/server/testing';
import { expect, it } from 'vitest';
import { application } from './application.ts';

it('asks a human before it refunds', async () => {
  const refund = { call: 'refund_customer', with: { id: 1, euros: 49 } };
  await using app = await testApplication(application, { model: [refund, 'Refunded.'] });
  const operator = app.as('operator');
  const asked = await operator.json('/agents/biller', { json: { input: 'Refund Ada.' } });
  expect(asked.status).toBe('awaiting_approval');
  expect(await operator.approve('billed twice')).toMatchObject({ output: 'Refunded.' });
});
