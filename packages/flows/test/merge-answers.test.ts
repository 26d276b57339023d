import { image } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { mergeAnswers } from '../src/run/merge-answers.ts';

const answers = [
  { tool: 'one', value: { a: 1, shared: 'first' } },
  { tool: 'two', value: 'text' },
  { tool: 'three', value: [1, 2] },
  { tool: 'four', value: { shared: 'later' } },
  { tool: 'five', value: null },
];

describe('mergeAnswers', () => {
  it('collects a list in the order of the steps', () => {
    expect(mergeAnswers(answers, 'collect')).toEqual([
      { a: 1, shared: 'first' },
      'text',
      [1, 2],
      { shared: 'later' },
      null,
    ]);
  });

  it('folds objects, of which the later win, and puts the rest under the names of the tools', () => {
    verifies('flow.merge.folds');
    expect(mergeAnswers(answers, 'merge')).toEqual({
      ...{ a: 1, shared: 'later' },
      ...{ two: 'text', three: [1, 2], five: null },
    });
  });

  it('puts a picture under the name of its tool, so that it stays one', () => {
    const [left, right] = ['474946383961', '474946383761'].map((bytes) => image(Buffer.from(bytes, 'hex')));
    const seen = [
      { tool: 'left', value: left! },
      { tool: 'right', value: right! },
      { tool: 'both', value: { door: left!, n: 2 } },
    ];
    expect(mergeAnswers(seen, 'merge')).toEqual({ left, right, door: left, n: 2 });
  });

  it('makes members of hostile names, and no prototypes', () => {
    const hostile = JSON.parse('{"__proto__": {"admin": true}}') as never;
    const merged = mergeAnswers([{ tool: 'one', value: hostile }], 'merge') as object;
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
    expect(Object.keys(merged)).toEqual(['__proto__']);
  });
});
