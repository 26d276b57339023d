import { describe, expect, it } from 'vitest';
import { exampleValues } from '../src/behaviour-run/example-values.ts';

describe('exampleValues', () => {
  it.each([
    [
      { type: 'object', properties: { a: { type: 'string' }, b: { type: 'integer', minimum: 3 } } },
      { a: '', b: 3 },
    ],
    [{ type: 'array', items: { type: 'boolean' } }, [false]],
    [{ type: 'array', prefixItems: [{ type: 'string', minLength: 2 }, { const: 7 }] }, ['xx', 7]],
    [{ type: ['null', 'string'] }, null],
    [{ type: 'string', format: 'email' }, 'ann@example.com'],
    [
      {
        allOf: [
          { type: 'object', properties: { a: { const: 1 } } },
          { type: 'object', properties: { b: {} } },
        ],
      },
      { a: 1, b: null },
    ],
    [{ $ref: '#/$defs/a~1b', $defs: { 'a/b': { type: 'number' } } }, 0],
    [{ $ref: '#/$defs/nowhere' }, null],
    [{ enum: ['x', 'y'] }, 'x'],
  ])('of %j is %j', (schema, value) => {
    expect(exampleValues(schema)).toEqual([value]);
  });

  it('has each alternative once, also those further down', () => {
    const schema = {
      type: 'object',
      properties: {
        a: { anyOf: [{ const: 1 }, { const: 2 }, { const: 3 }] },
        b: { oneOf: [{ const: 'x' }, { const: 'y' }] },
      },
    };
    expect(exampleValues(schema)).toEqual([
      { a: 1, b: 'x' },
      { a: 2, b: 'y' },
      { a: 3, b: 'x' },
    ]);
    expect(exampleValues({ anyOf: Array.from({ length: 99 }, (_, i) => ({ const: i })) })).toHaveLength(16);
  });

  it('leaves what holds itself out inside of itself', () => {
    const node = {
      type: 'object',
      properties: { left: { $ref: '#' }, all: { type: 'array', items: { $ref: '#/$defs/a' } } },
    };
    const a = {
      type: 'object',
      properties: { id: { const: 1 }, more: { type: 'array', items: { $ref: '#/$defs/a' } } },
    };
    expect(exampleValues({ ...node, $defs: { a } })).toEqual([{ all: [{ id: 1, more: [] }] }]);
  });
});
