import Type from 'typebox';
import { describe, expect, it } from 'vitest';
import { jsonTypes } from '../../src/schema/keyword-forms.ts';
import { enterSchema } from '../../src/schema/references.ts';
import { type SchemaValues, valuesOf } from '../../src/schema/values-of.ts';

/** The values as one line: types, the words in brackets, items in parentheses. */
function said(values: SchemaValues): string {
  const { types, open, words, ownItems, itemAt } = values;
  if (open) return 'anything';
  const told = jsonTypes
    .filter((type) => types.has(type))
    .map((type) => {
      if (type === 'string' && words) return `string[${[...words].join(' ')}]`;
      if (type !== 'array') return type;
      return `array(${Array.from({ length: ownItems + 1 }, (_, i) => said(itemAt(i))).join(', ')})`;
    });
  return told.length === 0 ? 'nothing' : told.join(' ');
}

const $defs = {
  Id: { type: 'integer', minimum: 1 },
  Alias: { $ref: '#/$defs/Id' },
  Word: { $anchor: 'word', enum: ['a', 'b'] },
  Tree: { type: 'object', properties: { kids: { type: 'array', items: { $ref: '#/$defs/Tree' } } } },
  List: { anyOf: [{ type: 'integer' }, { type: 'array', items: { $ref: '#/$defs/List' } }] },
  Self: { $ref: '#/$defs/Self' },
  Ping: { anyOf: [{ $ref: '#/$defs/Pong' }, { type: 'integer' }] },
  Pong: { oneOf: [{ $ref: '#/$defs/Ping' }, { type: 'boolean' }] },
  Both: { allOf: [{ $ref: '#/$defs/Both' }, { type: 'integer' }] },
};

describe('valuesOf', () => {
  it.each<[string, unknown, string]>([
    ['text', { type: 'string', minLength: 2 }, 'string'],
    ['an integer', { type: 'integer' }, 'integer'],
    ['a number, which may be whole', { type: 'number' }, 'integer number'],
    ['several types', { type: ['integer', 'null'] }, 'integer null'],
    ['a type that JSON lacks', { type: ['integer', 'sting'] }, 'anything'],
    ['nothing said', { description: 'Anything.' }, 'anything'],
    ['everything', true, 'anything'],
    ['no schema at all', undefined, 'anything'],
    ['nothing', false, 'nothing'],
    ['not everything', { not: {} }, 'nothing'],
    ['not everything, in short', { type: 'string', not: true }, 'nothing'],
    ['not something', { type: 'integer', not: { const: 1 } }, 'integer'],
    ['a word', { const: 'all' }, 'string[all]'],
    ['a word of its type', { type: 'string', const: 'all' }, 'string[all]'],
    ['a whole number', { const: 5 }, 'integer number'],
    ['another number', { const: 1.5 }, 'number'],
    ['values', { enum: ['a', 1, true, null, { b: 1 }] }, 'string[a] integer number boolean object null'],
    ['values of one type', { type: 'integer', enum: ['a', 1] }, 'integer'],
    ['a value of another type', { type: 'string', const: 1 }, 'nothing'],
    ['values of which one is meant', { enum: ['a', 'b'], const: 'b' }, 'string[b]'],
    ['lists as values', { enum: [['a', 1], ['b']] }, 'array(string[a b], integer number, nothing)'],
    ['a list', { type: 'array', items: { type: 'integer' } }, 'array(integer)'],
    ['a list of anything', { type: 'array' }, 'array(anything)'],
    ['a list of nothing', { type: 'array', items: false }, 'array(nothing)'],
    ['items alone', { items: { type: 'integer' } }, 'anything'],
    ['a list or null', { type: ['array', 'null'], items: { type: 'boolean' } }, 'array(boolean) null'],
    [
      'first items',
      { type: 'array', prefixItems: [{ type: 'integer' }, { const: 'x' }] },
      'array(integer, string[x], anything)',
    ],
    [
      'first items alone',
      { type: 'array', prefixItems: [{ type: 'integer' }], items: false },
      'array(integer, nothing)',
    ],
    [
      'a tuple as TypeBox writes it',
      Type.Tuple([Type.Integer(), Type.String()]),
      'array(integer, string, nothing)',
    ],
    ['a choice', { anyOf: [{ type: 'integer' }, { const: 'all' }] }, 'string[all] integer'],
    ['a choice of words', { oneOf: [{ const: 'a' }, { enum: ['b', 'c'] }] }, 'string[a b c]'],
    ['words or any text', { anyOf: [{ const: 'a' }, { type: 'string' }] }, 'string'],
    ['a choice of anything', { anyOf: [{ type: 'integer' }, {}] }, 'anything'],
    ['a choice of nothing', { anyOf: [{ type: 'integer' }, false] }, 'integer'],
    ['a choice beside its type', { type: 'object', anyOf: [{ required: ['a'] }] }, 'object'],
    [
      'a type that only some choices have',
      { type: ['integer', 'null'], anyOf: [{ type: 'number' }] },
      'integer',
    ],
    [
      'a choice of lists',
      {
        anyOf: [
          { type: 'integer' },
          { type: 'array', items: { type: 'integer' } },
          { type: 'array', prefixItems: [{ type: 'boolean' }], items: { type: 'null' } },
        ],
      },
      'integer array(integer boolean, integer null)',
    ],
    ['parts', { allOf: [{ type: ['integer', 'string'] }, { type: 'number' }] }, 'integer'],
    ['a part', { allOf: [{ type: 'integer' }], minimum: 1 }, 'integer'],
    ['parts that say nothing', { allOf: [{ minimum: 1 }, {}] }, 'anything'],
    ['parts that no value has', { allOf: [{ type: 'string' }, { type: 'null' }] }, 'nothing'],
    ['parts without a word in common', { allOf: [{ enum: ['a', 1] }, { enum: ['b', 1] }] }, 'integer number'],
    [
      'parts of a list',
      { allOf: [{ type: 'array' }, { items: { type: 'number' } }, { prefixItems: [{ type: 'integer' }] }] },
      'array(integer, integer number)',
    ],
    ['an intersection of a library', Type.Intersect([Type.Integer(), Type.Number()]), 'integer'],
    ['a reference', { $ref: '#/$defs/Id' }, 'integer'],
    ['a reference to a reference', { $ref: '#/$defs/Alias' }, 'integer'],
    ['an anchor', { $dynamicRef: '#word' }, 'string[a b]'],
    ['a bare name', { $ref: 'Word' }, 'string[a b]'],
    ['a reference to nothing', { $ref: '#/$defs/Nobody' }, 'anything'],
    ['a reference beside other words', { $ref: '#/$defs/Word', const: 'b' }, 'string[b]'],
    ['a choice of a reference', { anyOf: [{ $ref: '#/$defs/Id' }, { type: 'null' }] }, 'integer null'],
    ['a list of a reference', { type: 'array', items: { $ref: '#/$defs/Alias' } }, 'array(integer)'],
    ['an object that holds itself', { $ref: '#/$defs/Tree' }, 'object'],
    ['what is only itself', { $ref: '#/$defs/Self' }, 'anything'],
    ['choices that lead back', { $ref: '#/$defs/Ping' }, 'integer boolean'],
    ['the other one of them', { $ref: '#/$defs/Pong' }, 'integer boolean'],
    ['a part that leads back', { $ref: '#/$defs/Both' }, 'integer'],
  ])('reads %s', (_, schema, expected) => {
    expect(said(valuesOf(schema, enterSchema({ $defs })))).toBe(expected);
  });

  it('counts references of a schema that stands alone from itself', () => {
    expect(said(valuesOf({ $ref: '#/$defs/Id', $defs }))).toBe('integer');
    const inner = { $id: 'https://x.test/s', $ref: '#/$defs/Id', $defs: { Id: { type: 'boolean' } } };
    expect(said(valuesOf({ allOf: [inner], $defs }))).toBe('boolean');
  });

  it('reads lists in lists as deep as anybody asks', () => {
    const list = valuesOf({ $ref: '#/$defs/List', $defs });
    let inner = list;
    for (let i = 0; i < 50; i++) inner = inner.itemAt(i);
    expect([...inner.types]).toEqual(['integer', 'array']);
  });

  it('follows a chain of references as long as anybody writes', () => {
    const chain = (length: number): object => ({
      $ref: '#/$defs/0',
      $defs: Object.fromEntries(
        Array.from({ length }, (_, i) => [
          i,
          i === length - 1 ? { type: 'integer' } : { $ref: `#/$defs/${i + 1}` },
        ]),
      ),
    });
    expect(said(valuesOf(chain(400)))).toBe('integer');
    // Nothing is known of what lies further; nothing breaks.
    expect(said(valuesOf(chain(20_000)))).toBe('anything');
  });

  it.each([
    ['that end', { type: 'integer' }, 'integer'],
    ['that lead back', { anyOf: [{ $ref: '#/$defs/0' }, { type: 'integer' }] }, 'anything'],
  ])('ends where choices are of choices, more than anybody could look at, %s', (_, last, expected) => {
    const twice = (i: number): object => ({ anyOf: [{ $ref: `#/$defs/${i}` }, { $ref: `#/$defs/${i}` }] });
    const pairs = Object.fromEntries(
      Array.from({ length: 60 }, (_, i) => [i, i === 59 ? last : twice(i + 1)]),
    );
    expect(said(valuesOf({ $ref: '#/$defs/0', $defs: pairs }))).toBe(expected);
  });

  it('reads a choice of as many words as there may be', () => {
    const anyOf = Array.from({ length: 20_000 }, (_, i) => ({ const: `word ${i}` }));
    const { words, itemAt } = valuesOf({ anyOf: [...anyOf, { type: 'array' }] });
    expect(words?.size).toBe(20_000);
    expect(itemAt(0).open).toBe(true);
  });
});
