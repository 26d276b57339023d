import { describe, expect, it } from 'vitest';
import { readFields, toFields } from '../browser/form/schema-fields.ts';
import { beginTurn, failed, outputOf, statusOf, told } from '../browser/pages/playground/turn.ts';

const schema = {
  type: 'object',
  properties: {
    customer: { type: 'integer' },
    share: { type: 'number' },
    urgent: { type: 'boolean', default: true },
    how: { enum: ['short', 'long'], default: 'short' },
    reason: { type: 'string', maxLength: 1_000, description: 'Why.' },
    tags: { type: 'array' },
  },
  required: ['customer'],
};

describe('a form', () => {
  it('has a field for each property, filled in with its default', () => {
    expect(toFields(schema).map(({ name, kind, initial }) => [name, kind, initial])).toEqual([
      ['customer', 'integer', ''],
      ['share', 'number', ''],
      ['urgent', 'boolean', 'true'],
      ['how', 'choice', 'short'],
      ['reason', 'long', ''],
      ['tags', 'json', ''],
    ]);
    expect(toFields(null)).toEqual([]);
  });

  it('takes unions for what they are: choices, something or nothing, else JSON', () => {
    const fields = toFields({
      properties: {
        status: { anyOf: [{ const: 'open', type: 'string' }, { const: 'closed' }], default: 'open' },
        owner: { anyOf: [{ type: 'integer' }, { type: 'null' }], default: null },
        either: { anyOf: [{ type: 'integer' }, { type: 'string' }], default: 'a' },
      },
    });
    expect(fields.map(({ kind, initial, choices }) => [kind, initial, choices])).toEqual([
      ['choice', 'open', ['open', 'closed']],
      ['integer', '', []],
      ['json', '"a"', []],
    ]);
    // As it stands it can be sent.
    expect(readFields(fields, {})).toEqual({ ok: true, input: { status: 'open', either: 'a' } });
  });

  it('gives what was filled in, and leaves out what was not', () => {
    expect(readFields(toFields(schema), { customer: '7', tags: '["a"]' })).toEqual({
      ok: true,
      input: { customer: 7, urgent: true, how: 'short', tags: ['a'] },
    });
  });

  it('says what is wrong with each field', () => {
    expect(readFields(toFields(schema), { customer: '7.5', share: 'much', tags: 'a' })).toEqual({
      ok: false,
      wrong: {
        customer: 'This is a whole number.',
        share: 'This is a number.',
        tags: 'This is JSON: a text stands in quotes.',
      },
    });
    const another = 'JavaScript does not keep this number: a text, in quotes, keeps it.';
    const great = {
      customer: '1234567890123456789',
      share: '1234567890123456789',
      tags: '[1234567890123456789]',
    };
    expect(readFields(toFields(schema), great)).toEqual({
      ok: false,
      wrong: { customer: another, share: another, tags: another },
    });
    expect(readFields(toFields(schema), { customer: '9007199254740991', share: '0.1' })).toMatchObject({
      ok: true,
    });
    expect(readFields(toFields(schema), {})).toEqual({ ok: false, wrong: { customer: 'This is needed.' } });
  });
});

describe('a turn', () => {
  const step = (seq: number, kind: 'model' | 'tool_call' | 'approval_decided', more = {}) => ({
    ...{ type: 'step' as const, run_id: 'r', agent: 'a' },
    step: { seq, kind, run_id: 'r', agent: 'a', at_ms: 0, duration_ms: 0, ...more },
  });
  const delta = (text: string, restart?: true) => ({
    ...{ type: 'delta' as const, run_id: 'r', agent: 'a', text },
    ...(restart && { restart }),
  });
  const begun = told(beginTurn('k', { input: 'hi' }), { type: 'run', run_id: 'r' });

  it('collects text until its step, and takes back what begins anew', () => {
    const writing = [delta('a'), delta('b')].reduce(told, begun);
    expect(writing).toMatchObject({ text: 'ab', runId: 'r', state: 'running' });
    expect(told(writing, delta('c', true)).text).toBe('c');
    expect(told(writing, step(1, 'model'))).toMatchObject({ text: '', lastSeq: 1 });
  });

  it('takes each step once', () => {
    const twice = [step(1, 'model'), step(2, 'tool_call'), step(2, 'tool_call')].reduce(told, begun);
    expect(twice.steps.map(({ seq }) => seq)).toEqual([1, 2]);
  });

  it('waits for its questions, and goes on when they are decided', () => {
    const asked = told(begun, {
      type: 'result',
      result: {
        ...{ run_id: 'r', status: 'awaiting_approval' },
        pending_approvals: [{ approval_id: 'q', tool: 't', arguments: {} }],
      },
    });
    expect(asked).toMatchObject({ state: 'waiting', questions: [{ approval_id: 'q' }] });
    const decided = told(asked, step(1, 'approval_decided', { approval_id: 'q' }));
    expect(decided).toMatchObject({ state: 'running', questions: [] });
    const result = { run_id: 'r', status: 'completed', output: 'done' };
    const ended = told(decided, { type: 'result', result });
    expect([ended.state, outputOf(ended), statusOf(ended.result)]).toEqual(['ended', 'done', 'completed']);
  });

  it('takes the bare value of a behaviour for its output', () => {
    const ended = told(begun, { type: 'result', result: { read: 3 } });
    expect([outputOf(ended), statusOf(ended.result)]).toEqual([{ read: 3 }, 'completed']);
  });

  it('ends with a problem where its stream broke', () => {
    expect(failed(begun, new TypeError('network'))).toMatchObject({ state: 'failed', text: '' });
    expect(failed(begun, new TypeError('network')).problem).toContain('connection');
  });
});
