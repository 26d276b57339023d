import Type from 'typebox';
import { Value } from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { from, placeOf } from '../../src/route/place.ts';
import { toPlainSchema } from '../../src/schema/json-schema.ts';

/** A schema as it is sent: without hidden marks. */
function sent(schema: object): unknown {
  return JSON.parse(JSON.stringify(toPlainSchema(schema).schema));
}

describe('toPlainSchema', () => {
  it('returns a schema that is plain already as it is', () => {
    const schema = Type.Object({ id: Type.Integer(), tags: Type.Array(Type.String()) });
    expect(toPlainSchema(schema)).toEqual({ schema, faults: [] });
    expect(toPlainSchema(schema).schema).toBe(schema);
  });

  it('writes tuples with prefixItems, closed ones with items false', () => {
    expect(sent(Type.Tuple([Type.String(), Type.Integer()]))).toEqual({
      type: 'array',
      minItems: 2,
      prefixItems: [{ type: 'string' }, { type: 'integer' }],
      items: false,
    });
  });

  it('leaves a tuple that validators understand, TypeBox too', () => {
    const { schema } = toPlainSchema(Type.Tuple([Type.String(), Type.Integer()]));
    expect('~kind' in schema).toBe(false);
    expect(Value.Check(schema, ['a', 1])).toBe(true);
    expect(Value.Check(schema, ['a', 'b'])).toBe(false);
    expect(Value.Check(schema, ['a', 1, 2])).toBe(false);
  });

  it('keeps what further items of a tuple may be', () => {
    expect(
      sent({ type: 'array', items: [{ type: 'string' }], additionalItems: { type: 'integer' } }),
    ).toEqual({
      type: 'array',
      prefixItems: [{ type: 'string' }],
      items: { type: 'integer' },
    });
  });

  it('finds tuples at any depth, in tuples too, and changes nothing beside them', () => {
    const point = Type.Tuple([Type.Number(), Type.Number()]);
    const schema = Type.Object({ line: Type.Array(Type.Tuple([point])), name: Type.String() });
    const before = JSON.stringify(schema);
    expect(sent(schema)).toMatchObject({
      properties: {
        line: {
          items: { prefixItems: [{ prefixItems: [{ type: 'number' }, { type: 'number' }], items: false }] },
        },
        name: { type: 'string' },
      },
    });
    expect(JSON.stringify(schema)).toBe(before);
  });

  it('keeps a changed schema optional and in its place', () => {
    const { schema } = toPlainSchema(from('query', Type.Optional(Type.Tuple([Type.String()]))));
    expect('~optional' in schema).toBe(true);
    expect(placeOf(schema)).toBe('query');
  });

  it('changes a frozen schema in a copy', () => {
    const frozen = Object.freeze({
      type: 'object',
      properties: Object.freeze({ at: Type.Tuple([Type.Number()]) }),
    });
    expect(sent(frozen)).toMatchObject({ properties: { at: { prefixItems: [{ type: 'number' }] } } });
  });

  it('leaves values alone that look like schemas', () => {
    const value = { items: [1, 2], type: 'function' };
    const schema = { type: 'object', default: value, examples: [value], enum: [value], const: value };
    expect(toPlainSchema(schema)).toEqual({ schema, faults: [] });
    expect(toPlainSchema(schema).schema).toBe(schema);
  });

  it('reads properties that are called like keywords', () => {
    const schema = Type.Object({ default: Type.Tuple([Type.String()]), items: Type.Array(Type.BigInt()) });
    expect(sent(schema)).toMatchObject({ properties: { default: { prefixItems: [{ type: 'string' }] } } });
    expect(toPlainSchema(schema).faults).toEqual([
      '/properties/items/items has the type bigint, which JSON does not have',
    ]);
  });

  it.each([
    ['bigint', Type.BigInt()],
    ['undefined', Type.Undefined()],
    ['void', Type.Void()],
    ['symbol', Type.Symbol()],
    ['function', Type.Function([], Type.String())],
  ])('finds fault with the type %s', (type, schema) => {
    expect(toPlainSchema(schema).faults).toEqual([
      `the schema has the type ${type}, which JSON does not have`,
    ]);
  });

  it('says where in the schema each fault is', () => {
    const schema = Type.Object({
      big: Type.BigInt(),
      list: Type.Array(Type.Union([Type.String(), Type.Undefined()])),
    });
    expect(toPlainSchema(schema).faults).toEqual([
      '/properties/big has the type bigint, which JSON does not have',
      '/properties/list/items/anyOf/1 has the type undefined, which JSON does not have',
    ]);
  });
});
