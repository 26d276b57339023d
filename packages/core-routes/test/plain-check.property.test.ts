import { byTier } from '@waymark/contract/testing';
import fc from 'fast-check';
import { Compile } from 'typebox/compile';
import { describe, expect, it } from 'vitest';
import { toPlainCheck } from '../src/input/plain-check.ts';
import { compileSchema } from '../src/input/validator.ts';

const names = ['a', 'b', 'é', 'a.b', 'a b', ''];
const texts = [
  '',
  'a',
  'ab',
  'abc',
  'ÄÖÜ',
  '👍',
  '👍👍',
  'a👍b',
  '\ud83d',
  '2026-01-01',
  'x@example.com',
  '12',
  '\n',
];
const numbers = [0, -0, 1, -1, 2.5, 3, 7, 1e21, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY];
const types = ['object', 'array', 'string', 'integer', 'number', 'boolean', 'null'];

/** All plain keywords, on any type, and now and then one that is left to the validator. */
const schemas = fc.letrec<{ schema: unknown }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { weight: 1, arbitrary: fc.boolean() },
    {
      weight: 12,
      arbitrary: fc.record(
        {
          type: fc.oneof(
            fc.constantFrom(...types),
            fc.uniqueArray(fc.constantFrom(...types), { minLength: 1 }),
          ),
          properties: fc.dictionary(fc.constantFrom(...names), tie('schema'), { maxKeys: 3 }),
          required: fc.uniqueArray(fc.constantFrom(...names), { maxLength: 3 }),
          additionalProperties: fc.constantFrom<unknown>(false, false, true, {}),
          items: tie('schema'),
          minItems: fc.nat(2),
          maxItems: fc.nat(3),
          minLength: fc.nat(3),
          maxLength: fc.nat(3),
          pattern: fc.constantFrom('^a', 'b$', '^.$', '^[^@ ]+@[^@ ]+$', '\\d+'),
          format: fc.constantFrom('date', 'email', 'uuid', 'nobody-knows-it'),
          minimum: fc.constantFrom(-1, 0, 1, 2.5),
          maximum: fc.constantFrom(0, 1, 3, 2 ** 53),
          exclusiveMinimum: fc.constantFrom(-1, 0, 2.5),
          exclusiveMaximum: fc.constantFrom(1, 3, 7),
          const: fc.constantFrom<unknown>('a', 1, true, null, ''),
          enum: fc.uniqueArray(fc.constantFrom<unknown>('a', 'abc', 1, 2.5, false, null), { minLength: 1 }),
          anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }),
          title: fc.constant('Told to people.'),
          default: fc.constant(1),
          'x-ours': fc.constant(true),
        },
        { requiredKeys: [] },
      ),
    },
  ),
})).schema;

const values = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<unknown>(...texts, ...numbers, true, false, null, undefined, 1n),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 4 }),
    // Nothing at index 1.
    fc.constant(Object.assign([1], { 2: 'a' })),
  ),
})).value;

describe('toPlainCheck', () => {
  it('says what the compiled check says, whatever the schema and the value', () => {
    let plain = 0;
    fc.assert(
      fc.property(schemas, fc.array(values, { minLength: 5, maxLength: 12 }), (schema, some) => {
        const check = toPlainCheck(schema);
        if (!check) return;
        plain++;
        // TypeBox takes booleans for schemas, and does not say so in its types.
        const compiled = Compile(schema as object);
        for (const value of some) expect(check(value)).toBe(compiled.Check(value));
      }),
      { numRuns: byTier({ quick: 300, slow: 400, drill: 2_000 }) },
    );
    expect(plain).toBeGreaterThan(byTier({ quick: 200, slow: 300, drill: 1_600 }));
  });

  const one = { properties: { a: { type: 'string' } } };
  it.each<readonly [string, object, unknown, boolean]>([
    ['a member that is undefined', one, { a: undefined }, true],
    ['one that is required', { ...one, required: ['a'] }, { a: undefined }, false],
    ['more than all', { ...one, required: ['a'], additionalProperties: false }, { a: '', b: 1 }, false],
    ['less than all', { ...one, required: ['a'], additionalProperties: false }, {}, false],
    ['more than some', { ...one, additionalProperties: false }, { b: 1 }, false],
    ['an item that is not there', { items: { type: 'integer' } }, Object.assign([1], { 2: 2 }), true],
    ['an item that is undefined', { items: { type: 'integer' } }, [1, undefined], false],
    ['one character of two halves', { maxLength: 1, minLength: 1 }, '👍', true],
    ['too few of those', { minLength: 2 }, '👍', false],
    ['a bound that is not reached', { exclusiveMaximum: 3 }, 3, false],
    ['a number that is none', { type: 'number' }, Number.NaN, false],
    ['a list where objects are', { type: 'object' }, [], false],
    ['a word of both lists', { enum: ['a', 1], const: 1 }, 1, true],
    ['a word of one list', { enum: ['a', 1], const: 1 }, 'a', false],
  ])('says what the compiled check says: %s', (_, schema, value, expected) => {
    expect([toPlainCheck(schema)?.(value), Compile(schema).Check(value)]).toEqual([expected, expected]);
  });

  it.each([
    ['a reference', { $ref: '#/$defs/a', $defs: { a: { type: 'string' } } }],
    ['one of several', { oneOf: [{ type: 'string' }] }],
    ['all of several', { allOf: [{ type: 'string' }] }],
    ['patterns of names', { patternProperties: { a: {} } }],
    ['a schema for other names', { additionalProperties: { type: 'string' } }],
    ['a list of places', { prefixItems: [{}] }],
    ['items that differ', { type: 'array', uniqueItems: true }],
    ['a keyword nobody knows', { type: 'string', shorterThan: 3 }],
    ['a type nobody knows', { type: 'text' }],
    ['a bound that is no number', { maxLength: '3' }],
    ['a word that is an object', { enum: [{}] }],
    ['a name that every object has', { properties: { toString: {} } }],
    ['such a name that is required', { required: ['constructor'] }],
    ['any of those far inside', { type: 'array', items: { properties: { a: { not: {} } } } }],
  ])('leaves to the validator: %s', (_, schema) => {
    expect(toPlainCheck(schema)).toBeUndefined();
  });
});

describe('compileSchema', () => {
  const ticket = {
    type: 'object',
    required: ['title', 'tags'],
    additionalProperties: false,
    properties: {
      title: { type: 'string', minLength: 1, maxLength: 3, pattern: '^a' },
      tags: { type: 'array', items: { enum: ['x', 'y'] }, maxItems: 2 },
      many: { type: 'integer', multipleOf: 3 },
    },
  };
  const told: readonly unknown[] = [
    { title: 'abc', tags: ['x'] },
    { title: '', tags: 'x', more: 1 },
    { tags: ['x', 'z', 'y'], many: 2 ** 53 },
    [],
    null,
  ];

  it.each([
    ['plain keywords', ticket],
    ['some that are not', { ...ticket, properties: { ...ticket.properties, not: { not: {} } } }],
  ])('says the same, word for word, before and after it is compiled: %s', (_, schema) => {
    const { check, errors } = compileSchema(schema);
    const say = () => told.map((value) => [check(value), errors(value)]);
    const first = say();
    for (let i = 0; i < 1_200; i++) check(told[i % told.length]);
    expect(say()).toEqual(first);
    expect(first.map(([holds]) => holds)).toEqual([true, false, false, false, false]);
  });
});
