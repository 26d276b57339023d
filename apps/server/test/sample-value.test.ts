import { describe, expect, it } from 'vitest';
import { sampleArguments, sampleValue } from '../src/cli/tour/sample-value.ts';

describe('sampleValue', () => {
  it.each([
    [{ type: 'integer' }, 1],
    [{ type: 'integer', minimum: 5 }, 5],
    [{ type: 'boolean' }, true],
    [{ type: 'string' }, 'text'],
    [{ type: 'string', format: 'date' }, '2026-01-31'],
    [{ type: ['string', 'null'] }, 'text'],
    [{ type: 'array', items: {} }, []],
    [{ enum: ['open', 'closed'] }, 'open'],
    [{ const: 0 }, 0],
    [{ type: 'string', default: 'short' }, 'short'],
    [{ type: 'string', examples: ['Printer'] }, 'Printer'],
    [{ anyOf: [{ type: 'number' }, { type: 'null' }] }, 1],
    [{ type: 'object', properties: { a: { type: 'integer' }, b: {} }, required: ['a'] }, { a: 1 }],
    [undefined, 'text'],
  ])('of %j is %j', (schema, value) => {
    expect(sampleValue(schema)).toEqual(value);
  });

  it('gives a tool what it asks for, and nothing else', () => {
    expect(sampleArguments({ properties: { id: { type: 'integer' }, style: {} }, required: ['id'] })).toEqual(
      {
        id: 1,
      },
    );
    expect(sampleArguments({})).toEqual({});
  });
});
