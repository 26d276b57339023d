import { Type } from '@waymark/contract';
import { describe, expect, it } from 'vitest';
import { isFieldType, toField } from '../../src/fields/field.ts';

describe('toField', () => {
  it.each([
    ['integer', 'integer'],
    ['number', 'number'],
    ['string', 'string'],
    ['boolean', 'boolean'],
    ['json', 'json'],
    [Type.Integer(), 'integer'],
    [Type.Union([Type.Integer(), Type.Number()]), 'number'],
    [{ enum: ['a', 'b'] }, 'string'],
    [{ enum: [1, 2.5] }, 'number'],
    [{ const: true }, 'boolean'],
    [{ type: ['string', 'null'] }, 'string'],
    [Type.Union([Type.String(), Type.Integer()]), 'json'],
    [Type.Array(Type.String()), 'json'],
    [Type.Object({}), 'json'],
    [{ anyOf: [{ type: 'string' }, {}] }, 'json'],
    [{ anyOf: [true] }, 'json'],
    [{}, 'json'],
  ] as const)('stores %j as %s', (type, kind) => {
    expect(toField('a', type as object).kind).toBe(kind);
  });

  it('may be null where it may be left out, or where its schema says so', () => {
    expect(toField('a', Type.String())).toMatchObject({ nullable: false, optional: false });
    expect(toField('a', Type.Optional(Type.String()))).toMatchObject({
      nullable: true,
      optional: true,
      schema: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    });
    const given = Type.Union([Type.String(), Type.Null()]);
    expect(toField('a', given)).toMatchObject({ nullable: true, optional: false, schema: given });
  });

  it('takes the default out of the schema', () => {
    const field = toField('a', Type.String({ default: 'x', minLength: 1 }));
    expect(field).toMatchObject({ default: 'x', schema: { type: 'string', minLength: 1 } });
    expect(field.schema).not.toHaveProperty('default');
    expect('default' in toField('a', 'string')).toBe(false);
  });

  it('ends with a schema that holds itself', () => {
    const circle: { anyOf: unknown[] } = { anyOf: [] };
    circle.anyOf.push(circle);
    expect(toField('a', circle).kind).toBe('json');
  });
});

describe('isFieldType', () => {
  it('knows the words and schemas, and nothing else', () => {
    expect(['integer', 'json', {}, Type.String()].every(isFieldType)).toBe(true);
    expect(['text', 'constructor', null, [], 7, undefined].some(isFieldType)).toBe(false);
  });
});
