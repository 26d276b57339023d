import { type Json, Type } from '@waymark/contract';
import { valuesOf } from '@waymark/contract/schema';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { toTextPlan } from '../src/input/text-plan.ts';

const numberOrList = Type.Union([Type.Integer(), Type.Array(Type.Integer())]);
const wordOrList = Type.Union([Type.Literal('all'), Type.Array(Type.Integer())]);
const textOrList = Type.Union([Type.String(), Type.Array(Type.Integer())]);

describe('toTextPlan', () => {
  it.each<[string, object, string, Json]>([
    ['a list', Type.Array(Type.Integer()), '5', [5]],
    ['a list of nobody knows what', { type: 'array' }, '5', ['5']],
    ['a list or null', { type: ['array', 'null'], items: { type: 'integer' } }, '5', [5]],
    ['a list or null, as a choice', Type.Union([Type.Array(Type.Integer()), Type.Null()]), '5', [5]],
    ['the first of several items', Type.Tuple([Type.Integer(), Type.String()]), '5', [5]],
    ['a number that may be a list', numberOrList, '5', 5],
    ['no number where one or a list is asked for', numberOrList, 'x', ['x']],
    ['a word that may be a list', wordOrList, 'all', 'all'],
    ['another word than that', wordOrList, '5', [5]],
    ['text that may be a list', textOrList, '5', '5'],
    ['a boolean that may be a list', Type.Union([Type.Boolean(), Type.Array(Type.String())]), 'true', true],
    ['what is no boolean', Type.Union([Type.Boolean(), Type.Array(Type.String())]), 'yes', ['yes']],
    ['a schema that does not say', {}, '5', '5'],
    ['a scalar', Type.Integer(), '5', 5],
  ])('reads %s, given once', (_, schema, text, value) => {
    verifies('http.coerce.path-and-query');
    expect(toTextPlan(valuesOf(schema)).once(text)).toEqual(value);
  });

  it.each<[string, object, readonly string[], readonly unknown[] | undefined]>([
    ['a list', Type.Array(Type.Integer()), ['1', 'x', '2'], [1, 'x', 2]],
    [
      'items each by its place',
      Type.Tuple([Type.Integer(), Type.String(), Type.Boolean()]),
      ['1', '2', 'true'],
      [1, '2', true],
    ],
    ['more items than it has', { type: 'array', prefixItems: [{ type: 'integer' }] }, ['1', '2'], [1, '2']],
    ['a number that may be a list', numberOrList, ['1', '2'], [1, 2]],
    ['a word that may be a list', wordOrList, ['all', '2'], ['all', 2]],
    ['text that may be a list', textOrList, ['1', '2'], [1, 2]],
    [
      'items of two kinds',
      Type.Array(Type.Union([Type.Integer(), Type.Boolean()])),
      ['1', 'true'],
      [1, true],
    ],
    ['no scalar', Type.Integer(), ['1', '2'], undefined],
    ['nothing where the schema does not say', {}, ['1', '2'], undefined],
  ])('reads %s, given several times', (_, schema, texts, values) => {
    const { item } = toTextPlan(valuesOf(schema));
    expect(item && texts.map(item)).toEqual(values);
  });
});
