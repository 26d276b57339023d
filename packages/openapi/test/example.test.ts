import { validateValue } from '@waymark/contract/schema';
import { verifies } from '@waymark/contract/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exampleOf } from '../src/example.ts';

const exampleIn = (schema: object): unknown => exampleOf(schema)?.value;

describe('exampleOf', () => {
  it.each([
    ['its first example', { type: 'string', examples: ['b', 'a'], default: 'c' }, 'b'],
    ['its default', { type: 'string', default: 'c', enum: ['a', 'c'] }, 'c'],
    ['its only value', { const: 7 }, 7],
    ['the first of its values', { enum: ['open', 'closed'] }, 'open'],
    ['an example that is valid', { type: 'string', examples: [1, 'a'] }, 'a'],
  ])('gives what the schema says itself: %s', (_, schema, value) => {
    expect(exampleIn(schema)).toEqual(value);
  });

  it.each([
    ['a date', { type: 'string', format: 'date-time' }, '2026-01-31T12:00:00Z'],
    ['a long text', { type: 'string', minLength: 6 }, 'textxx'],
    ['a short text', { type: 'string', maxLength: 2 }, 'te'],
    ['a pattern', { type: 'string', pattern: '^[A-Z]+-\\d+$' }, 'ABC-123'],
    ['a number of steps', { type: 'integer', minimum: 7, multipleOf: 5 }, 10],
    ['a number of tenths', { type: 'number', minimum: 0.25, maximum: 0.39, multipleOf: 0.1 }, 0.3],
    ['a number below', { type: 'number', exclusiveMaximum: -2 }, -3],
    ['a list', { type: 'array', items: { type: 'boolean' }, minItems: 2 }, [true, true]],
    ['a tuple', { type: 'array', prefixItems: [{ type: 'null' }, { const: 1 }], items: false }, [null, 1]],
    ['a choice', { anyOf: [{ type: 'string', pattern: '(?!)' }, { type: 'null' }] }, null],
  ])('makes %s', (_, schema, value) => {
    expect(exampleIn(schema)).toEqual(value);
  });

  it('makes every member of an object, and of a schema in itself what must be there', () => {
    const node = {
      type: 'object',
      properties: {
        name: { type: 'string' },
        next: { $ref: '#' },
        list: { type: 'array', items: { $ref: '#' } },
      },
      required: ['name', 'list'],
    };
    expect(exampleIn(node)).toEqual({
      name: 'text',
      next: { name: 'text', list: [] },
      list: [{ name: 'text', list: [] }],
    });
  });

  it('has none for what nobody can be given', () => {
    expect(exampleOf({ type: 'string', pattern: '^zebra-[0-9]{9}$' })).toBeUndefined();
    expect(exampleOf({ type: 'object', properties: { a: { not: {} } }, required: ['a'] })).toBeUndefined();
    const endless = { type: 'object', properties: { next: { $ref: '#' } }, required: ['next'] };
    expect(exampleOf(endless)).toBeUndefined();
  });

  it('comes to an end with a schema that refers to itself a hundred times', () => {
    const properties = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`m${i}`, { $ref: '#' }]));
    expect(() => exampleOf({ type: 'object', properties })).not.toThrow();
  });

  it('gives a value that the schema allows, always the same, for schemas of every form', () => {
    verifies('openapi.examples');
    fc.assert(
      fc.property(schemas, (schema) => {
        const example = exampleOf(schema);
        expect(example, JSON.stringify(schema)).toBeDefined();
        expect(validateValue(schema, example?.value)).toEqual([]);
        expect(exampleOf(structuredClone(schema))).toEqual(example);
      }),
    );
  });
});

/** Schemas that something is valid under. */
const { schemas } = fc.letrec<{ schemas: object }>((tie) => ({
  schemas: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom({ type: 'boolean' }, { type: 'null' }, {}, { type: ['integer', 'null'] }),
    fc
      .constantFrom('date-time', 'date', 'email', 'uuid', 'uri', 'ipv4')
      .map((format) => ({ type: 'string', format })),
    fc.record({
      type: fc.constant('string'),
      minLength: fc.nat(40),
      maxLength: fc.integer({ min: 40, max: 80 }),
    }),
    fc.record({
      type: fc.constant('integer'),
      minimum: fc.integer({ min: -9, max: 9 }),
      maximum: fc.integer({ min: 20, max: 40 }),
      multipleOf: fc.constantFrom(1, 2, 5),
    }),
    fc.record({ type: fc.constant('number'), exclusiveMinimum: fc.integer({ min: -9, max: 9 }) }),
    fc
      .uniqueArray(fc.jsonValue({ maxDepth: 1 }), { minLength: 1, maxLength: 4 })
      .map((values) => ({ enum: JSON.parse(JSON.stringify(values)) as unknown[] })),
    fc.record({ type: fc.constant('array'), items: tie('schemas'), minItems: fc.nat(3) }),
    fc.array(tie('schemas'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
    fc
      .dictionary(fc.stringMatching(/^[a-z]{1,6}$/), tie('schemas'), { maxKeys: 4 })
      .chain((properties) =>
        fc
          .subarray(Object.keys(properties))
          .map((required) => ({ type: 'object', properties, required, additionalProperties: false })),
      ),
  ),
}));
