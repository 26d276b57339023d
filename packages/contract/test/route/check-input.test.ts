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
    };
    expect(linesOf('/a', input, 'GET')).toEqual([]);
  });

  it('is nothing for a raw schema with everything it needs', () => {
    const input = { type: 'object', properties: { id: { type: 'integer' }, any: true }, required: ['id'] };
    expect(linesOf('/a/{id}', input)).toEqual([]);
  });
});
