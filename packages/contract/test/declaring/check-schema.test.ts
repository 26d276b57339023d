import fc from 'fast-check';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { describe, expect, it } from 'vitest';
import { checkSchema, inputTitleOf, titleOf } from '../../src/declaring/check-schema.ts';
import { holdsItself } from '../../src/schema/each-schema.ts';
import { verifies } from '../../src/testing/index.ts';

const linesOf = (schema: object): readonly string[] =>
  checkSchema(schema, titleOf('it')).map(
    ({ code, rule, nearest, fix }) => `${code}: ${rule}; ${nearest ?? fix}`,
  );

const closed = { type: 'object', additionalProperties: false } as const;

describe('checkSchema', () => {
  it.each<object>([
    {},
    { type: ['string', 'null'] },
    { type: 'string', minLength: 0, maxLength: 0, pattern: '^a$', format: 'made-up' },
    { enum: [null] },
    { const: { type: 'sting' }, default: { type: 'sting' } },
    { properties: { type: { type: 'string' }, default: { type: 'integer' } } },
    { $defs: { a: {} }, $ref: '#/$defs/a' },
    { $defs: { a: { $anchor: 'b' } }, properties: { c: { $ref: '#b' } } },
    { $dynamicAnchor: 'node', items: { $dynamicRef: '#node' } },
    { $id: 'https://example.com/a', $defs: { b: {} }, items: { $ref: 'https://example.com/a#/$defs/b' } },
    { $id: 'https://example.com/a', items: { $ref: 'https://example.com/a' } },
    { items: true, additionalProperties: false, not: {} },
    { 'x-own': 5, nullable: true, example: 1 },
    Type.Tuple([]),
    Type.Union([Type.String(), Type.Null()]),
    Type.Record(Type.String(), Type.Integer()),
    Type.Object({ a: Type.Optional(Type.String()), b: Type.Array(Type.Integer(), { default: [1] }) }),
    // Defaults of members are filled in before anything is checked.
    Type.Object({ a: Type.Integer({ default: 1 }) }, { default: {} }),
    { $defs: { a: { type: 'string' } }, properties: { b: { $ref: '#/$defs/a', default: 'x' } } },
    { ...closed, patternProperties: { '^x-': {} }, required: ['x-a'] },
    { type: 'object', properties: {}, required: ['a'] },
  ])('finds nothing wrong with %j', (schema) => {
    expect(linesOf(schema)).toEqual([]);
  });

  it.each<[object, string]>([
    [{ type: 'sting' }, 'schema-type: it has the type "sting", which JSON does not have; string'],
    [
      { type: 'map' },
      'schema-type: it has the type "map", which JSON does not have; write one of string, integer, number, boolean, object, array, null',
    ],
    [{ type: ['string', 'nul'] }, 'schema-type: it has the type "nul", which JSON does not have; null'],
    [{ type: [] }, expect.stringContaining('it has the type "<object>"') as string],
    [{ type: 5 }, expect.stringContaining('it has the type "<number>"') as string],
    [
      Type.BigInt(),
      'schema-type: it has the type "bigint", which JSON does not have; use Type.Integer(), or Type.String() for what is larger than 2^53',
    ],
    [Type.Undefined(), expect.stringContaining('use Type.Optional(…)') as string],
    [
      { minLength: -1 },
      'schema-keyword: it: minLength is not a whole number from 0; write a whole number from 0',
    ],
    [{ maxItems: 1.5 }, expect.stringContaining('maxItems is not a whole number') as string],
    [{ minimum: '1' }, expect.stringContaining('minimum is not a number') as string],
    [{ multipleOf: 0 }, expect.stringContaining('multipleOf is not a number above 0') as string],
    [{ enum: [] }, expect.stringContaining('enum is not a list of one or more values') as string],
    [{ anyOf: [] }, expect.stringContaining('anyOf is not a list of one or more schemas') as string],
    [{ anyOf: [null] }, expect.stringContaining('anyOf is not a list') as string],
    [{ items: 5 }, expect.stringContaining('items is not a schema or a list of schemas') as string],
    [{ properties: 5 }, expect.stringContaining('properties is not an object of schemas') as string],
    [{ properties: { a: null } }, expect.stringContaining('properties is not an object') as string],
    [{ required: 'a' }, expect.stringContaining('required is not a list of texts') as string],
    [{ uniqueItems: 'yes' }, expect.stringContaining('uniqueItems is not true or false') as string],
    [
      { 'x-own': () => 1 },
      'schema-keyword: it: x-own is a function, which JSON does not have; take it out, or write a value',
    ],
    [
      { 'x-own': { at: [1n] } },
      'schema-keyword: it: x-own holds a bigint, which JSON does not have; take it out, or write a value',
    ],
    [{ examples: 1n }, expect.stringContaining('examples is a bigint') as string],
    [{ pattern: /^\d+$/ }, 'schema-keyword: it: pattern is not a text; write "^\\\\d+$"'],
    [
      { minimum: 2, maximum: 1 },
      'schema-range: it: no value has minimum 2 and maximum 1; let maximum be 2 or more',
    ],
    [{ minLength: 2, maxLength: 1 }, expect.stringContaining('no value has minLength 2') as string],
    [{ minItems: 2, maxItems: 1 }, expect.stringContaining('no value has minItems 2') as string],
    [
      { pattern: '(' },
      'schema-pattern: it: the pattern "(" is no regular expression: unterminated group; correct it; it is read with the flag u',
    ],
    [{ pattern: '\\-' }, expect.stringContaining('invalid escape') as string],
    [{ patternProperties: { '[': {} } }, expect.stringContaining('the pattern "[" is no') as string],
    [
      { $ref: '#/$defs/a' },
      'schema-reference: it: the reference "#/$defs/a" points to nothing in the schema; define it in $defs, or write the schema itself',
    ],
    [{ $defs: { Sheet: {} }, $ref: '#/$defs/Shet' }, expect.stringMatching(/; #\/\$defs\/Sheet$/) as string],
    [
      { $defs: { '50%': {} }, $ref: '#/$defs/50%' },
      expect.stringContaining('"#/$defs/50%" points to nothing') as string,
    ],
    [{ $defs: { a: { $anchor: 'b' } }, $ref: '#c' }, expect.stringContaining('"#c" points to') as string],
    [{ $ref: '#/%ff' }, expect.stringContaining('"#/%ff" points to nothing') as string],
    [{ $id: 'a', $ref: 'b#/$defs/c' }, expect.stringContaining('"b#/$defs/c" points to') as string],
    [
      Type.String({ maxlenght: 5 }),
      'keyword-unknown: it: "maxlenght" is no keyword of JSON Schema, and no value is held to it; maxLength',
    ],
    [
      { type: 'integer', unit: 'm' },
      'keyword-unknown: it: "unit" is no keyword of JSON Schema, and no value is held to it; take it out, or let its name begin with "x-"',
    ],
    [
      { enum: [1n] },
      'schema-keyword: it: enum holds a bigint, which JSON does not have; take it out, or write a value',
    ],
    [{ $defs: { Sheet: {} }, $ref: 'Shet' }, expect.stringMatching(/; Sheet$/) as string],
    [
      { ...closed, properties: { title: {} }, required: ['titel'] },
      'schema-required: it requires "titel" and has no such property; title',
    ],
    [
      { ...closed, required: ['a'] },
      'schema-required: it requires "a" and has no such property; declare it in properties, or take it out of required',
    ],
    [
      Type.Integer({ default: '5' }),
      'schema-default: it: the default "5" is not what the schema takes; write 5',
    ],
    [
      Type.String({ default: 5 }),
      'schema-default: it: the default 5 is not what the schema takes; write a value that it takes',
    ],
    [
      { type: 'number', multipleOf: 0.01, default: 0.010000000001 },
      'schema-default: it: the default 0.010000000001 is not what the schema takes; write a value that it takes',
    ],
    [{ type: 'integer', default: 1n }, expect.stringContaining('the default bigint is not') as string],
    [
      { type: 'string', enum: ['a'], default: 'b' },
      expect.stringContaining('the default "b" is not') as string,
    ],
  ])('finds %o', (schema, line) => {
    verifies('face.schema.keywords');
    expect(linesOf(schema)).toEqual([line]);
  });

  it('finds mistakes wherever a schema holds another, and says where', () => {
    const wrong = { type: 'sting' };
    const holders: Readonly<Record<string, object>> = {
      '/properties/a': { properties: { a: wrong } },
      '/patternProperties/^a': { patternProperties: { '^a': wrong } },
      '/$defs/a': { $defs: { a: wrong } },
      '/items': { items: wrong },
      '/items/0': { items: [wrong] },
      '/prefixItems/1': { prefixItems: [{}, wrong] },
      '/anyOf/0': { anyOf: [wrong] },
      '/not/allOf/0': { not: { allOf: [wrong] } },
      '/if': { if: wrong },
      '/additionalProperties/contains': { additionalProperties: { contains: wrong } },
    };
    for (const [at, schema] of Object.entries(holders))
      expect(linesOf(schema)).toEqual([
        `schema-type: it at ${at} has the type "sting", which JSON does not have; string`,
      ]);
  });

  it('lets nothing pass that a validator could not compile', () => {
    verifies('boot.nothing-waits');
    const word = fc.constantFrom(
      ...[
        'type',
        'pattern',
        'patternProperties',
        'properties',
        'items',
        'anyOf',
        'required',
        'enum',
        'minimum',
      ],
      ...['not', 'additionalProperties', 'default', '$ref', 'format', 'a'],
    );
    const { schema } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom<unknown>('string', 'object', '(', '^a$', '#', 5, -1, null, true, []),
        fc.array(tie('schema'), { maxLength: 2 }),
        tie('schema'),
      ),
      schema: fc.dictionary(word, tie('value'), { maxKeys: 4 }),
    }));
    fc.assert(
      fc.property(schema, (made) => {
        const given = made as object;
        if (checkSchema(given, titleOf('it')).length === 0) expect(() => Compile(given)).not.toThrow();
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('inputTitleOf', () => {
  it.each([
    ['', 'the input'],
    ['/$defs/a', 'the input at /$defs/a'],
    ['/properties/limit', 'input "limit"'],
    ['/properties/lines/items/properties/count', 'input "lines" at /items/properties/count'],
  ])('names %j', (at, title) => {
    expect(inputTitleOf(at)).toBe(title);
  });
});

describe('holdsItself', () => {
  it('tells a circle from what is merely there twice', () => {
    const leaf = { type: 'string' };
    const circle: { a?: unknown } = {};
    circle.a = [{ deep: circle }];
    expect(holdsItself({ a: leaf, b: [leaf, leaf] })).toBe(false);
    expect(holdsItself(circle)).toBe(true);
    expect(holdsItself({ x: circle })).toBe(true);
    expect(holdsItself(null)).toBe(false);
  });

  it('takes what repeats its parts without end for what it is', () => {
    const doubled = (depth: number): object =>
      depth === 0 ? {} : ((part: object) => ({ a: part, b: part }))(doubled(depth - 1));
    expect(holdsItself(doubled(15))).toBe(false);
    expect(holdsItself(doubled(16))).toBe(true);
    expect(holdsItself(doubled(100))).toBe(true);
  });

  it('takes what is nested deep for what it is', () => {
    const nest = (depth: number): object => (depth === 0 ? {} : { items: nest(depth - 1) });
    expect(holdsItself(nest(99))).toBe(false);
    expect(holdsItself(nest(100))).toBe(false);
    expect(holdsItself(nest(101))).toBe(true);
  });
});
