import { describe, expect, it } from 'vitest';
import { Type } from '../../src/index.ts';
import { validateValue } from '../../src/schema/validate-value.ts';

describe('validateValue', () => {
  it.each([
    ['TypeBox', Type.Object({ n: Type.Integer() })],
    ['raw', { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }],
  ])('finds what is wrong under a %s schema, and where', (_kind, schema) => {
    expect(validateValue(schema, { n: 1 })).toEqual([]);
    expect(validateValue(schema, { n: 'x' })).toEqual([{ path: '/n', message: 'must be integer' }]);
    expect(validateValue(schema, 7)).toHaveLength(1);
  });

  it('follows references', () => {
    const schema = { anyOf: [{ $ref: '#/$defs/N' }], $defs: { N: { type: 'integer' } } };
    expect(validateValue(schema, 7)).toEqual([]);
    expect(validateValue(schema, 'x').length).toBeGreaterThan(0);
  });

  it('takes no value for valid under a schema that cannot be read', () => {
    const schema = { type: 'object', properties: { a: { type: 'string', pattern: '(' } } };
    expect(validateValue(schema, { a: 'x' })).toEqual([{ path: '', message: 'is not valid' }]);
  });

  it('tells of a few errors, however many there are', () => {
    const schema = Type.Array(Type.Integer());
    expect(
      validateValue(
        schema,
        Array.from({ length: 1000 }, () => 'x'),
      ),
    ).toHaveLength(8);
  });
});
