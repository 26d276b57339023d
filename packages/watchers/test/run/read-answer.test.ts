import { jsonResponse, problemResponse } from '@waymark/contract/engine';
import { describe, expect, it } from 'vitest';
import { readAnswer } from '../../src/run/read-answer.ts';

const usage = { tree_tokens: 42, cost_usd: 0.001_234 };

describe('readAnswer', () => {
  it('reads how a run ended, and what it cost', () => {
    expect(readAnswer(jsonResponse({ status: 'completed', output: 'All is well.', usage }))).toEqual({
      ...{ status: 'completed', output: 'All is well.', error: null, code: undefined },
      ...{ tokens: 42, costMicros: 1_234 },
    });
  });

  it('reads what a run waits for', () => {
    const waiting = jsonResponse({ status: 'awaiting_approval', output: '', usage }, 202);
    expect(readAnswer(waiting)).toMatchObject({ status: 'awaiting_approval', error: null, tokens: 42 });
  });

  it('reads why a run failed', () => {
    const run = { status: 'failed', output: '', usage: { tree_tokens: 7, cost_usd: null } };
    expect(readAnswer(problemResponse(502, 'the provider is out', { code: 'provider', run }))).toEqual({
      ...{ status: 'failed', output: '', error: 'the provider is out', code: 'provider' },
      ...{ tokens: 7, costMicros: null },
    });
    expect(readAnswer(problemResponse(422, '/images must be smaller'))).toMatchObject({
      status: 'failed',
      error: '/images must be smaller',
      costMicros: null,
    });
  });

  it('reads nothing while a run goes on', () => {
    expect(readAnswer(jsonResponse({ run_id: 'a', status: 'running' }, 202))).toBeUndefined();
    const later = problemResponse(503, 'the run goes on', { run: { run_id: 'a', status: 'running' } });
    expect(readAnswer(later)).toBeUndefined();
  });

  it('gives a structured answer as JSON', () => {
    const read = (output: unknown) => readAnswer(jsonResponse({ status: 'completed', output }))?.output;
    expect([read({ a: [1] }), read(null), read(undefined), read(7)]).toEqual(['{"a":[1]}', '', '', '7']);
  });
});
