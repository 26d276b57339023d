import type { Progress } from '@waymark/contract';
import { describe, expect, it } from 'vitest';
import { progressNotifier, progressTokenOf } from '../src/tools/progress.ts';

const tell = (...events: readonly unknown[]): readonly unknown[] => {
  const told: unknown[] = [];
  const observe = progressNotifier(7, (message) => told.push(JSON.parse(message).params));
  for (const event of events) observe(event as Progress);
  return told;
};
const of = (done: unknown, more: object = {}) => ({ event: 'progress', data: { done, ...more } });

describe('progressTokenOf', () => {
  const tokenOf = (progressToken: unknown) => progressTokenOf({ params: { _meta: { progressToken } } });

  it.each([0, 1.5, '', 'x'.repeat(127), 'x'.repeat(128)])('reads %j', (token) => {
    expect(tokenOf(token)).toBe(token);
  });

  it('passes over one of 129 characters, which each notification would repeat, and what is none', () => {
    expect(['x'.repeat(129), null, true, {}, Number.POSITIVE_INFINITY].map(tokenOf)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect(progressTokenOf({})).toBeUndefined();
  });
});

describe('progressNotifier', () => {
  it('says how far a call is, of how much, and in which words', () => {
    expect(tell(of(0), of(1, { total: 3 }), of(1.5, { total: 3, message: 'half' }))).toEqual([
      { progressToken: 7, progress: 0 },
      { progressToken: 7, progress: 1, total: 3 },
      { progressToken: 7, progress: 1.5, total: 3, message: 'half' },
    ]);
  });

  it('leaves out what is not further than before', () => {
    expect(tell(of(5), of(5), of(3), of(-1), of(6))).toMatchObject([{ progress: 5 }, { progress: 6 }]);
  });

  it('counts the steps of a run, and says which tool they use', () => {
    const step = (data: unknown) => ({ event: 'step', data });
    expect(tell(step({ kind: 'model' }), step({ kind: 'tool_call', tool: 'ring' }), step(null))).toEqual([
      { progressToken: 7, progress: 1, message: 'model' },
      { progressToken: 7, progress: 2, message: 'tool_call ring' },
      { progressToken: 7, progress: 3 },
    ]);
  });

  it.each([
    ['a piece of text', { event: 'delta', data: 'He' }],
    ['the result', { event: 'result', data: {} }],
    ['nothing', undefined],
    ['a bare number', 50],
    ['progress that is no number', of('half')],
    ['progress without an end', of(Number.POSITIVE_INFINITY)],
    ['progress that JSON has no word for', of(Number.NaN)],
    ['progress without data', { event: 'progress', data: null }],
  ])('says nothing of %s', (_case, event) => {
    expect(tell(event)).toEqual([]);
  });

  it('leaves out a total or a message of the wrong kind', () => {
    expect(tell(of(1, { total: 'ten', message: 5 }))).toEqual([{ progressToken: 7, progress: 1 }]);
  });
});
