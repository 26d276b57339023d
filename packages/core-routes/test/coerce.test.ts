import { Type } from '@waymark/contract';
import { valuesOf } from '@waymark/contract/schema';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { coerceFor } from '../src/input/coerce.ts';

const coerce = (schema: object, text: string): unknown => coerceFor(valuesOf(schema))(text);

/** Each text stays itself when it does not fit, and is refused by validation then. */
const integers: readonly (readonly [string, unknown])[] = [
  ['0', 0],
  ['7', 7],
  ['-7', -7],
  ['-0', -0],
  ['007', '007'],
  ['1e1', '1e1'],
  ['0x10', '0x10'],
  ['0b1', '0b1'],
  ['+1', '+1'],
  ['1.0', '1.0'],
  ['1_000', '1_000'],
  ['--1', '--1'],
  [' 1', ' 1'],
  ['1 ', '1 '],
  ['1\n', '1\n'],
  ['', ''],
  ['-', '-'],
  ['NaN', 'NaN'],
  ['Infinity', 'Infinity'],
  ['١', '١'],
  ['9007199254740991', 9_007_199_254_740_991],
  ['9007199254740992', 2 ** 53],
  ['-9007199254740992', -(2 ** 53)],
  // Refused by their size.
  ['9007199254740994', 9_007_199_254_740_994],
  ['9007199254740993', Number.POSITIVE_INFINITY],
  ['-9007199254740993', Number.POSITIVE_INFINITY],
  ['9'.repeat(400), Number.POSITIVE_INFINITY],
];

describe('coerceFor', () => {
  it.each(integers)('reads %j for an integer as %j', (text, value) => {
    verifies('http.coerce.path-and-query', 'http.coerce.integers', 'http.coerce.safe-integers');
    expect(coerce(Type.Integer(), text)).toBe(value);
  });

  it.each([
    ['1.5', 1.5],
    ['-0.25', -0.25],
    ['3', 3],
    ['1.0', 1],
    ['.5', '.5'],
    ['1.', '1.'],
    ['1e3', 1000],
    ['1e-7', 1e-7],
    ['2.5E+1', 25],
    ['1e', '1e'],
    ['1e999', Number.POSITIVE_INFINITY],
    ['01.5', '01.5'],
    ['1,5', '1,5'],
    ['1e16', 1e16],
    ['-1E+21', -1e21],
    ['1.7976931348623157e308', Number.MAX_VALUE],
    ['1.8e308', Number.POSITIVE_INFINITY],
    ['9'.repeat(309), Number.POSITIVE_INFINITY],
    ['9007199254740992', 9_007_199_254_740_992],
    ['9007199254740993', Number.POSITIVE_INFINITY],
    ['9007199254740993.0', Number.POSITIVE_INFINITY],
    ['0.1234567890123456789', 0.123_456_789_012_345_68],
    ['0x1.8', '0x1.8'],
  ])('reads %j for a number as %j', (text, value) => {
    verifies('http.coerce.numbers');
    expect(coerce(Type.Number(), text)).toBe(value);
  });

  it.each([
    ['true', true],
    ['false', false],
    ['True', 'True'],
    ['1', '1'],
    ['0', '0'],
    ['yes', 'yes'],
    ['', ''],
  ])('reads %j for a boolean as %j', (text, value) => {
    expect(coerce(Type.Boolean(), text)).toBe(value);
  });

  it.each([
    ['text', Type.String(), '5', '5'],
    ['text before a number', Type.Union([Type.String(), Type.Integer()]), '5', '5'],
    ['a number or a word', Type.Union([Type.Integer(), Type.Literal('all')]), '5', 5],
    ['the word of it', Type.Union([Type.Integer(), Type.Literal('all')]), 'all', 'all'],
    ['a literal number', Type.Literal(5), '5', 5],
    ['literal numbers', Type.Union([Type.Literal(1), Type.Literal(2)]), '2', 2],
    ['an enumeration of numbers', { enum: [1, 2] }, '2', 2],
    ['an enumeration of words', { enum: ['1', '2'] }, '2', '2'],
    ['an enumeration of both', { enum: ['all', 1] }, '1', 1],
    ['a constant', { const: true }, 'true', true],
    ['an integer or null', Type.Union([Type.Integer(), Type.Null()]), '5', 5],
    ['null, which a query cannot say', Type.Union([Type.Integer(), Type.Null()]), 'null', 'null'],
    ['a list of types', { type: ['integer', 'null'] }, '5', 5],
    ['a number or a boolean', Type.Union([Type.Number(), Type.Boolean()]), 'true', true],
    ['a boolean or a number', Type.Union([Type.Boolean(), Type.Number()]), '1.5', 1.5],
    ['one of', { oneOf: [{ type: 'integer' }, { type: 'boolean' }] }, '5', 5],
    ['a union inside a union', Type.Union([Type.Union([Type.Integer()]), Type.Boolean()]), '5', 5],
    ['a schema that does not say', {}, '5', '5'],
  ])('reads %s', (_, schema, text, value) => {
    expect(coerce(schema, text)).toBe(value);
  });

  it('takes time in proportion to the text', () => {
    const text = `${'1'.repeat(1_000_000)}x`;
    const startedMs = performance.now();
    expect(coerce(Type.Number(), text)).toBe(text);
    expect(performance.now() - startedMs).toBeLessThan(500);
  });
});
