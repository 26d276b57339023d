import Type from 'typebox';
import { describe, expect, it } from 'vitest';
import type { InputShape } from '../../src/route/handler.ts';
import { from } from '../../src/route/place.ts';
import type { Method } from '../../src/route/route.ts';
import { type EngineRouteOptions, toRoute } from '../../src/route/to-route.ts';

function linesOf(
  path: string,
  input: unknown,
  method: Method = 'POST',
  options: EngineRouteOptions = {},
): readonly string[] {
  const given = { ...options, input: input as InputShape };
  return toRoute(method, path, { kind: 'handler' }, given).problems.map(
    ({ code, rule, nearest, fix }) => `${code}: ${rule}; ${nearest ?? fix}`,
  );
}

/** A schema with definitions that it may refer to. */
function behind(schema: object): object {
  const $defs = {
    Color: { $anchor: 'color', type: 'object', properties: { r: { type: 'integer' } } },
    Alias: { $ref: '#/$defs/Color' },
    Row: { type: 'array', items: { type: 'integer' } },
    Matrix: { type: 'array', items: { $ref: '#/$defs/Row' } },
    Nothing: { type: 'null' },
  };
  return { ...schema, $defs };
}

describe('what is wrong with an input declaration', () => {
  it.each<[string, string, unknown, Method, string]>([
    [
      'input that is no record',
      '/a',
      'id',
      'POST',
      'input-form: input is not a record of schemas; write { name: Type.String() }',
    ],
    [
      'input that is a list',
      '/a',
      [Type.String()],
      'POST',
      'input-form: input is not a record of schemas; write { name: Type.String() }',
    ],
    [
      'the name of a type',
      '/a',
      { n: 'integer' },
      'POST',
      'input-form: input "n" is not a schema; write n: Type.Integer()',
    ],
    [
      'a constructor',
      '/a',
      { n: Boolean },
      'POST',
      'input-form: input "n" is not a schema; write n: Type.Boolean()',
    ],
    ['nothing', '/a', { n: null }, 'POST', 'input-form: input "n" is not a schema; write n: Type.String()'],
    [
      'a raw schema that is no object',
      '/a',
      { type: 'array' },
      'POST',
      `input-form: the input schema has the type "array", not "object"; write { body: from('content', schema) } for a body that is no object`,
    ],
    [
      'a raw schema without a path parameter',
      '/a/{id}',
      { type: 'object' },
      'POST',
      'parameter-undeclared: path parameter {id} is not a property of the input schema; declare it in properties',
    ],
    [
      'a place that is none',
      '/a',
      { id: from('header' as never, Type.String()) },
      'GET',
      'parameter-place: input "id" travels in "header"; write one of path, query, body, content',
    ],
    [
      'a place in a path that lacks it',
      '/a',
      { id: from('path', Type.String()) },
      'GET',
      'parameter-not-in-path: input "id" travels in the path, which has no {id}; write {id} in the path',
    ],
    [
      'a path parameter that is moved',
      '/a/{id}',
      { id: from('query', Type.String()) },
      'GET',
      'parameter-moved: input "id" is part of the path and cannot be moved; take from(…) away, or give one of them another name',
    ],
    [
      'an optional path parameter',
      '/a/{id}',
      { id: Type.Optional(Type.String()) },
      'GET',
      'parameter-optional: path parameter "id" is optional; a path has no room for that; declare a second route without it',
    ],
    ...(
      [
        ['an object in the query', '/a', Type.Object({}), 'query'],
        ['nothing but null in the query', '/a', Type.Null(), 'query'],
        ['null, optional', '/a', Type.Optional(Type.Union([Type.Null(), Type.Null()])), 'query'],
        ['null as a literal', '/a', { enum: [null] }, 'query'],
        ['null alone among types', '/a', { type: ['null'] }, 'query'],
        ['a list of nulls', '/a', Type.Array(Type.Null()), 'query'],
        ['what nothing can be', '/a', { not: {} }, 'query'],
        ['an object in a choice', '/a', { oneOf: [{ type: 'object' }, { type: 'object' }] }, 'query'],
        ['a list of lists in the query', '/a', Type.Array(Type.Array(Type.String())), 'query'],
        ['an object behind a reference', '/a', behind({ $ref: '#/$defs/Color' }), 'query'],
        ['an object behind two of them', '/a', behind({ $ref: '#/$defs/Alias' }), 'query'],
        ['an object in parts', '/a', { allOf: [{ type: 'object' }, { required: ['r'] }] }, 'query'],
        [
          'an object by its anchor, or null',
          '/a/{f}',
          behind({ anyOf: [{ $ref: '#color' }, { type: 'null' }] }),
          'path',
        ],
        ['a type beside what choices need', '/a', { type: 'object', anyOf: [{ required: ['r'] }] }, 'query'],
        ['an object among types', '/a', { type: ['string', 'object'] }, 'query'],
        [
          'a list of objects behind a reference',
          '/a',
          behind(Type.Array({ $ref: '#/$defs/Color' })),
          'query',
        ],
        ['a list in a list behind a reference', '/a', behind({ $ref: '#/$defs/Matrix' }), 'query'],
        ['an object as the first item', '/a', { type: 'array', prefixItems: [{ type: 'object' }] }, 'query'],
        ['null behind a reference', '/a', behind({ $ref: '#/$defs/Nothing' }), 'query'],
        ['parts that no value has', '/a', { allOf: [{ type: 'string' }, { type: 'integer' }] }, 'query'],
        [
          'an object among others in the path',
          '/a/{f}',
          Type.Union([Type.String(), Type.Object({})]),
          'path',
        ],
      ] as const
    ).map(([what, path, f, place]): [string, string, unknown, Method, string] => [
      what,
      path,
      { f },
      'GET',
      `parameter-not-flat: input "f" travels in the ${place}, which holds text, numbers, booleans and lists of them; take its members as parameters, or declare the route with POST`,
    ]),
    [
      'two whole bodies',
      '/a',
      { a: from('content', Type.String()), b: from('content', Type.String()) },
      'POST',
      "whole-body: more than one input is the whole body; take from('content', …) away from all but one",
    ],
    [
      'a whole body and parts of it',
      '/a',
      { a: from('content', Type.String()), b: Type.String(), c: Type.String() },
      'POST',
      `whole-body: input "a" is the whole body, so no other can be part of it; move "b", "c" with from('query', …)`,
    ],
  ])('%s', (_, path, input, method, line) => {
    expect(linesOf(path, input, method)).toEqual([line]);
  });

  it('JSON parameters beside bytes', () => {
    const input = { title: Type.String() };
    expect(linesOf('/a', input, 'POST', { body: 'bytes' })).toEqual([
      `body-form: input "title" travels in a JSON body, and the route takes its body as "bytes"; move it with from('query', …), or leave the option body out`,
    ]);
    expect(linesOf('/a', input, 'POST', { body: 'json' })).toEqual([]);
    expect(linesOf('/a', { title: from('query', Type.String()) }, 'POST', { body: 'bytes' })).toEqual([]);
  });

  it('definitions of one name that differ', () => {
    const leaf = (type: string): object => ({ $defs: { leaf: { type } }, $ref: '#/$defs/leaf' });
    expect(linesOf('/a', { a: leaf('string'), b: leaf('string') })).toEqual([]);
    expect(linesOf('/a', { a: leaf('string'), b: leaf('integer') })).toEqual([
      'definitions-differ: two inputs define "leaf" in their $defs, and differ; give one of them another name',
    ]);
  });

  it('a type that JSON lacks, once, under the name of its parameter', () => {
    expect(linesOf('/a', { n: Type.BigInt() })).toEqual([
      expect.stringMatching(/^schema-type: input "n" has/),
    ]);
  });

  it('is nothing for lists, unions and schemas without a type in the query', () => {
    const input = {
      tags: Type.Array(Type.String()),
      either: Type.Union([Type.String(), Type.Null()]),
      any: {},
      row: behind({ $ref: '#/$defs/Row' }),
      pair: { type: 'array', prefixItems: [{ type: 'integer' }, { type: 'string' }], items: false },
      oneOrMany: Type.Union([Type.Integer(), Type.Array(Type.Integer())]),
      both: Type.Intersect([Type.Integer(), Type.Number()]),
    };
    expect(linesOf('/a', input, 'GET')).toEqual([]);
  });

  it('an object of the definitions of a raw schema in the query', () => {
    const c = { $ref: '#/$defs/Color' };
    const input = { type: 'object', properties: { c }, $defs: { Color: { type: 'object' } } };
    expect(linesOf('/a', input, 'GET')).toEqual([expect.stringMatching(/^parameter-not-flat: input "c"/)]);
    expect(linesOf('/a', { ...input, $defs: { Color: { type: 'string' } } }, 'GET')).toEqual([]);
  });

  it('is nothing for a raw schema with everything it needs', () => {
    const input = { type: 'object', properties: { id: { type: 'integer' }, any: true }, required: ['id'] };
    expect(linesOf('/a/{id}', input)).toEqual([]);
  });
});
