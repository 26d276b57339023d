import { describe, expect, it } from 'vitest';
import { TypeWriter } from '../src/type-writer.ts';

/** What is declared for a type `T` of one schema, without the docstrings. */
function typeOf(schema: unknown, { loose = false, texts = [] as readonly string[] } = {}): string {
  const types = new TypeWriter();
  const options = { doc: 'A type.', loose, texts: new Set(texts) };
  types.declare(types.names.take('T'), [{ schema }], options);
  return types
    .toSource()
    .replaceAll(/^ *\/\*\*.*\*\/\n/gm, '')
    .trimEnd();
}

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });

describe('TypeWriter', () => {
  it.each([
    ['text', { type: 'string' }, 'string'],
    ['a number', { type: 'number' }, 'number'],
    ['an integer', { type: 'integer', minimum: 1 }, 'number'],
    ['a boolean', { type: 'boolean' }, 'boolean'],
    ['null', { type: 'null' }, 'null'],
    ['anything', {}, 'unknown'],
    ['anything, shorter', true, 'unknown'],
    ['nothing', false, 'never'],
    ['a constant', { const: 'a' }, "'a'"],
    ['a constant list', { const: ['a', 1, true] }, "readonly ['a', 1, true]"],
    ['a constant object', { const: { a: 1 } }, 'JsonObject'],
    ['a choice of values', { enum: ['a', 1, null] }, "'a' | 1 | null"],
    [
      'quotes',
      { enum: ["it's", 'say "x"', 'both \' and "', 'back\\slash', 'line\n'] },
      `"it's" | 'say "x"' | 'both \\' and "' | 'back\\\\slash' | 'line\\n'`,
    ],
    ['several types', { type: ['string', 'null'] }, 'string | null'],
    ['a list', { type: 'array', items: { type: 'string' } }, 'readonly string[]'],
    ['a list of anything', { type: 'array' }, 'readonly unknown[]'],
    [
      'a list of a choice',
      { type: 'array', items: { type: ['string', 'null'] } },
      'readonly (string | null)[]',
    ],
    [
      'a list of lists',
      { type: 'array', items: { type: 'array', items: { type: 'number' } } },
      'readonly (readonly number[])[]',
    ],
    ['a list without its type', { items: { type: 'string' } }, 'readonly string[]'],
    [
      'a closed tuple',
      { type: 'array', prefixItems: [{ type: 'number' }, { type: 'string' }], items: false, minItems: 2 },
      'readonly [number, string]',
    ],
    [
      'a tuple with optional ends',
      { type: 'array', prefixItems: [{ type: 'number' }, { type: 'string' }], maxItems: 2, minItems: 1 },
      'readonly [number, string?]',
    ],
    [
      'an open tuple',
      { type: 'array', prefixItems: [{ type: 'number' }], items: { type: 'string' }, minItems: 1 },
      'readonly [number, ...string[]]',
    ],
    ['a union', { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'string' }] }, 'string | number'],
    ['a choice of one', { oneOf: [{ type: 'string' }, { type: 'null' }] }, 'string | null'],
    ['a union with anything', { anyOf: [{ type: 'string' }, {}] }, 'unknown'],
    ['a union of conditions only', { type: 'string', anyOf: [{ minLength: 1 }, { pattern: 'x' }] }, 'string'],
    ['an object of any members', { type: 'object' }, 'JsonObject'],
    ['an object of none', object({}, { additionalProperties: false }), 'NoInput'],
    ['bytes', { contentMediaType: 'image/png', contentEncoding: 'binary' }, 'Uint8Array'],
    ['text that is not JSON', { contentMediaType: 'text/html', contentEncoding: 'binary' }, 'string'],
    [
      'JSON by another name',
      { contentMediaType: 'application/ld+json', contentEncoding: 'binary' },
      'unknown',
    ],
    [
      'what no type can say',
      { type: 'string', pattern: '^a', not: { const: 'b' }, if: { const: 'c' } },
      'string',
    ],
  ])('writes %s', (_, schema, expected) => {
    expect(typeOf(schema)).toBe(`export type T = ${expected};`);
  });

  it('writes an object as an interface: required members, optional ones, names that need quotes', () => {
    const schema = object(
      { id: { type: 'integer' }, note: { type: 'string' }, 'due-date': {}, "it's": {} },
      { required: ['id', 'undescribed'] },
    );
    expect(typeOf(schema)).toBe(`export interface T {
  readonly id: number;
  readonly note?: string;
  readonly 'due-date'?: unknown;
  readonly "it's"?: unknown;
  readonly undescribed: unknown;
}`);
  });

  it('lets callers pass undefined for what they may leave out of an input', () => {
    const schema = object({ a: { type: 'string' }, b: { type: 'string' }, c: {} }, { required: ['a'] });
    expect(typeOf(schema, { loose: true })).toBe(`export interface T {
  readonly a: string;
  readonly b?: string | undefined;
  readonly c?: unknown;
}`);
  });

  it.each([
    ['one of two types', { type: ['string', 'null'] }, 'string'],
    ['a choice', { anyOf: [{ type: 'integer' }, { const: 'all' }, { type: 'null' }] }, "number | 'all'"],
    ['another choice', { oneOf: [{ type: 'string' }, { const: null }] }, 'string'],
    ['a value', { enum: ['open', null, 'closed'] }, "'open' | 'closed'"],
    ['a list', { type: 'array', items: { type: ['string', 'null'] } }, 'readonly string[]'],
    [
      'a list or none',
      { anyOf: [{ type: 'array', items: { enum: ['a', null] } }, { type: 'null' }] },
      "readonly 'a'[]",
    ],
    ['a part', { allOf: [{ type: ['string', 'null'] }] }, 'string'],
    ['nothing else', { type: 'null' }, 'never'],
    ['a definition', { $ref: '#/$defs/Name' }, 'NonNullable<Name>'],
    ['a definition of a definition', { $ref: '#/$defs/Alias' }, 'NonNullable<Alias>'],
    ['a definition of parts', { $ref: '#/$defs/Parts' }, 'NonNullable<Parts>'],
    ['a choice of a definition', { anyOf: [{ $ref: '#/$defs/Word' }, { type: 'null' }] }, 'Word'],
  ])('leaves null out of what travels as text, and nowhere else: %s', (_, q, expected) => {
    const $defs = {
      Name: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      Alias: { $ref: '#/$defs/Name' },
      Word: { type: 'string' },
      Parts: { allOf: [{ $ref: '#/$defs/Name' }, { maxLength: 9 }] },
    };
    const written = typeOf(object({ q, body: q }, { $defs, required: ['q', 'body'] }), { texts: ['q'] });
    expect(written).toContain(`  readonly q: ${expected};\n`);
    expect(written).not.toContain(`  readonly body: ${expected};\n`);
  });

  it('writes members without a name as an index signature, wide enough for the named ones', () => {
    expect(typeOf({ type: 'object', additionalProperties: { type: 'number' } })).toBe(
      'export interface T {\n  readonly [name: string]: number;\n}',
    );
    expect(
      typeOf({
        type: 'object',
        patternProperties: { '^a': { type: 'number' }, '^b': { type: 'string' } },
        additionalProperties: false,
      }),
    ).toBe('export interface T {\n  readonly [name: string]: number | string;\n}');
    expect(typeOf(object({ a: { type: 'string' } }, { additionalProperties: { type: 'number' } }))).toBe(
      'export interface T {\n  readonly a?: string;\n  readonly [name: string]: unknown;\n}',
    );
  });

  const letters = { type: 'string', enum: ['a', 'b'] };
  it.each([
    [
      'each of a few names',
      { propertyNames: letters, additionalProperties: { type: 'integer' }, required: ['a', 'b'] },
      ['a: number', 'b: number'],
    ],
    [
      'some of a few names',
      { propertyNames: letters, additionalProperties: { type: 'integer' }, required: ['b'] },
      ['b: number', 'a?: number'],
    ],
    [
      'a constant name',
      { propertyNames: { const: 'a' }, additionalProperties: { type: 'string' } },
      ['a?: string'],
    ],
    [
      'a choice of names',
      { propertyNames: { anyOf: [{ const: 'a' }, letters] }, additionalProperties: { type: 'string' } },
      ['a?: string', 'b?: string'],
    ],
    [
      'names that are defined elsewhere',
      {
        propertyNames: { $ref: '#/$defs/Letter' },
        additionalProperties: { type: 'integer' },
        $defs: { Letter: letters },
      },
      ['a?: number', 'b?: number'],
    ],
    [
      'a few names, one of them described',
      {
        propertyNames: letters,
        properties: { a: { type: 'string' } },
        additionalProperties: { type: 'integer' },
      },
      ['a?: string', 'b?: number'],
    ],
    [
      'names of which one may be any text',
      {
        propertyNames: { anyOf: [{ const: 'a' }, { type: 'string', pattern: '^x' }] },
        additionalProperties: { type: 'string' },
      },
      ['[name: string]: string'],
    ],
    [
      'a name that is only required',
      { additionalProperties: { type: 'integer' }, required: ['a'] },
      ['a: number', '[name: string]: number'],
    ],
    [
      'required names that have patterns',
      {
        patternProperties: { '^a': { type: 'number' }, '^b': { type: 'string' }, b$: { enum: ['x'] } },
        additionalProperties: { type: 'boolean' },
        required: ['a1', 'bob', 'c'],
      },
      ['a1: number', "bob: string & 'x'", 'c: boolean', "[name: string]: number | string | 'x' | boolean"],
    ],
    [
      'a required name that there cannot be',
      { patternProperties: { '^a': { type: 'number' } }, additionalProperties: false, required: ['b'] },
      ['b: never', '[name: string]: number'],
    ],
    [
      'a required name of which nothing is said',
      { patternProperties: { '^a': { type: 'number' } }, required: ['b'] },
      ['b: unknown', '[name: string]: unknown'],
    ],
  ])('gives members that no property describes the type of the others: %s', (_, schema, members) => {
    const lines = members.map((member) => `  readonly ${member};\n`);
    expect(typeOf({ type: 'object', ...schema })).toBe(`export interface T {\n${lines.join('')}}`);
  });

  it('writes the type of the others once', () => {
    const value = object({ n: { type: 'integer' } }, { required: ['n'] });
    const schema = { type: 'object', additionalProperties: value, required: ['a', 'b'] };
    expect(typeOf(schema)).toBe(`export interface T {
  readonly a: TValue;
  readonly b: TValue;
  readonly [name: string]: TValue;
}

export interface TValue {
  readonly n: number;
}`);
  });

  it('names objects inside others by the way to them', () => {
    expect(
      typeOf(object({ lines: { type: 'array', items: object({ sku: { type: 'string' } }) } })),
    ).toBe(`export interface T {
  readonly lines?: readonly TLinesItem[];
}

export interface TLinesItem {
  readonly sku?: string;
}`);
  });

  it('writes allOf as an intersection, with what stands beside it', () => {
    const part = (name: string) => object({ [name]: { type: 'string' } });
    expect(typeOf({ ...part('own'), allOf: [part('a'), part('b')] })).toContain(
      'export type T = TOwn & TAll1 & TAll2;',
    );
    expect(typeOf({ allOf: [part('a')] })).toContain('export type T = TAll1;');
    expect(typeOf({ anyOf: [{ allOf: [part('a'), part('b')] }, { type: 'null' }] })).toMatch(
      /export type T = TOption1 \| null;[\s\S]*export type TOption1 = /,
    );
  });

  it('writes a schema with a title once, under its title', () => {
    const ticket = object({ id: { type: 'integer' } }, { title: 'Ticket' });
    const types = new TypeWriter();
    for (const name of ['A', 'B'])
      types.declare(types.names.take(name), [{ schema: ticket }], { doc: 'A type.' });
    expect(types.toSource().match(/export .*/g)).toEqual([
      'export type A = Ticket;',
      'export interface Ticket {',
      'export type B = Ticket;',
    ]);
  });

  it('keeps different schemas of one title apart, and titles away from names that mean something', () => {
    const types = new TypeWriter();
    for (const [i, title] of ['Ticket', 'Ticket', 'Uint8Array', 'not a name'].entries()) {
      const schema = object({ [`p${i}`]: {} }, { title });
      types.declare(types.names.take(`T${i}`), [{ schema }], { doc: 'A type.' });
    }
    expect(types.toSource().match(/(?<=export interface )\w+/g)).toEqual([
      'Ticket',
      'Ticket2',
      'Uint8Array2',
      'T3',
    ]);
  });

  it.each([
    [
      'TypeBox writes them',
      { $defs: { Node: { $id: 'Node', ...object({ next: { $ref: 'Node' } }) } }, $ref: 'Node' },
    ],
    [
      'JSON Schema writes them',
      { $defs: { Node: object({ next: { $ref: '#/$defs/Node' } }) }, $ref: '#/$defs/Node' },
    ],
  ])('follows references as %s, into themselves', (_, schema) => {
    expect(typeOf(schema)).toBe(
      'export type T = Node;\n\nexport interface Node {\n  readonly next?: Node;\n}',
    );
  });

  it('follows a reference to the whole', () => {
    expect(typeOf(object({ child: { $ref: '#' } }))).toBe('export interface T {\n  readonly child?: T;\n}');
  });

  it('reports a reference to nothing', () => {
    const types = new TypeWriter();
    types.declare('T', [{ schema: { $ref: '#/$defs/Lost' } }], { doc: 'A type.' });
    expect(types.faults).toEqual(['the reference "#/$defs/Lost" points to nothing in the schema']);
  });

  it('writes one of several schemas as a union, named by status', () => {
    const types = new TypeWriter();
    types.declare(
      'T',
      [
        { schema: object({ a: {} }), status: '200' },
        { schema: { type: 'string' }, status: '201' },
      ],
      { doc: 'A type.' },
    );
    expect(types.toSource()).toContain('export type T = T200 | string;');
  });

  it('gives every type and member the words it has', () => {
    const types = new TypeWriter();
    const schema = object(
      {
        limit: { type: 'integer', description: 'How many. */', default: 50, deprecated: true },
        deep: object({ x: {} }),
      },
      { description: 'A question\n\nof someone.' },
    );
    types.declare('T', [{ schema }], { doc: 'A type.' });
    expect(types.toSource()).toBe(`/**
 * A question.
 *
 * of someone.
 */
export interface T {
  /**
   * How many. *\\/
   * Default: \`50\`.
   * @deprecated
   */
  readonly limit?: number;
  readonly deep?: TDeep;
}

/** Part of \`T\`. */
export interface TDeep {
  readonly x?: unknown;
}
`);
  });

  it('gives a long type a name where it would not fit the line', () => {
    const values = [
      'completed',
      'max_tokens',
      'step_limit',
      'budget_exhausted',
      'awaiting_approval',
      'failed',
      'cancelled',
    ];
    expect(typeOf(object({ status: { enum: values } }))).toBe(`export interface T {
  readonly status?: TStatus;
}

export type TStatus =
${values.map((value) => `  | '${value}'`).join('\n')};`);
  });
});
