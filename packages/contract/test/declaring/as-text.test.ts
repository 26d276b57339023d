import { describe, expect, it } from 'vitest';
import { asText } from '../../src/declaring/as-text.ts';

describe('asText', () => {
  it('leaves texts, and names the kind of anything else', () => {
    const values = ['desk', '', Symbol('desk'), Object.create(null) as object, undefined, 5n];
    expect(values.map(asText)).toEqual(['desk', '', '<symbol>', '<object>', '<undefined>', '<bigint>']);
  });
});
