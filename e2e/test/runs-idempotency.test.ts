import { verifies } from '@waymark/contract/testing';
import { expect, it } from 'vitest';
import { type Caller, thinking } from './agents-application.ts';

it('an idempotency key stands for one run and for what it was started with', async () => {
  verifies('run.idempotency');
  const desk = await thinking((app) =>
    app.agent('desk', { scopes: ['read'], description: 'Answers.' }).agent('other', {
      ...{ scopes: ['read'], description: 'Answers, too.' },
    }),
  );
  const ask = (input: object, { agent = 'desk', caller }: { agent?: string; caller?: Caller } = {}) =>
    desk.send(`/agents/${agent}`, input, caller, { 'idempotency-key': 'k' });

  const first = await ask({ input: '[[say Yes.]]' });
  expect(first.value).toMatchObject({ status: 'completed', output: 'Yes.' });
  expect((await ask({ input: '[[say Yes.]]' })).value.run_id).toBe(first.value.run_id);
  const changed = await ask({ input: '[[say No.]]' });
  expect([changed.status, changed.value.detail]).toEqual([
    422,
    'this idempotency-key was used before, with another input',
  ]);
  for (const elsewhere of [{ agent: 'other' }, { caller: 'BEN_KEY' }] as const)
    expect((await ask({ input: '[[say No.]]' }, elsewhere)).value.output).toBe('No.');
  expect(desk.simulator.requests).toHaveLength(3);
});

it.each([
  ['is empty', '', 422],
  ['has one character', 'k', 200],
  ['has 255 characters', 'k'.repeat(255), 200],
  ['has 256 characters', 'k'.repeat(256), 422],
])('an idempotency key that %s', async (_, key, status) => {
  const desk = await thinking((app) => app.agent('desk', { scopes: ['read'], description: 'Answers.' }));
  const answer = await desk.send('/agents/desk', { input: '[[say Yes.]]' }, undefined, {
    'idempotency-key': key,
  });
  expect(answer.status).toBe(status);
  if (status === 422) expect(answer.value.detail).toBe('an idempotency key must have 1 to 255 characters');
});
