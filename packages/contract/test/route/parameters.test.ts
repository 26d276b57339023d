import Type from 'typebox';
import { describe, expect, it } from 'vitest';
import type { InputShape } from '../../src/route/handler.ts';
import { toRouteInput } from '../../src/route/parameters.ts';
import { from } from '../../src/route/place.ts';
import type { Method } from '../../src/route/route.ts';
import { toRoute } from '../../src/route/to-route.ts';
import { verifies } from '../../src/testing/index.ts';

const input = { id: Type.Integer(), style: Type.String() };

function places(method: Method, path: string, shape: InputShape): Record<string, string> {
  const { parameters } = toRouteInput(method, path, shape, true);
  return Object.fromEntries(parameters.map(({ name, place }) => [name, place]));
}

function required(shape: InputShape): unknown {
  return (toRouteInput('POST', '/a', shape, true).inputSchema as { required: unknown }).required;
}

function faults(path: string, shape: InputShape, method: Method = 'POST'): readonly string[] {
  return toRoute(method, path, { kind: 'handler' }, { input: shape }).problems.map(({ rule }) => rule);
}

describe('toRouteInput, places', () => {
  it.each<Method>(['GET', 'DELETE'])(
    'takes parameters of %s from the path, else from the query',
    (method) => {
      verifies('face.source.path', 'face.source.query');
      expect(places(method, '/tickets/{id}', input)).toEqual({ id: 'path', style: 'query' });
    },
  );

  it.each<Method>(['POST', 'PUT', 'PATCH'])(
    'takes parameters of %s from the path, else from the body',
    (method) => {
      verifies('face.source.path', 'face.source.body');
      expect(places(method, '/tickets/{id}', input)).toEqual({ id: 'path', style: 'body' });
    },
  );

  it('moves a parameter to where from() says', () => {
    verifies('face.source.from');
    expect(places('POST', '/tickets/{id}', { ...input, notify: from('query', Type.Boolean()) })).toEqual({
      id: 'path',
      style: 'body',
      notify: 'query',
    });
  });

  it('moves properties of a raw schema in the same way', () => {
    const shape = {
      type: 'object',
      properties: { id: { type: 'integer' }, a: from('query', { type: 'string' }), b: {} },
    } as const;
    expect(places('POST', '/tickets/{id}', shape)).toEqual({ id: 'path', a: 'query', b: 'body' });
  });

  it('takes the whole body as one parameter', () => {
    verifies('face.source.content');
    expect(places('POST', '/import', { rows: from('content', Type.Array(Type.Integer())) })).toEqual({
      rows: 'content',
    });
  });

  it('counts path parameters without a schema as strings, before the others', () => {
    expect(toRouteInput('GET', '/a/{x}/{rest*}', { style: Type.String() }, true).parameters).toEqual([
      { name: 'x', place: 'path', schema: { type: 'string' }, required: true },
      { name: 'rest', place: 'path', schema: { type: 'string' }, required: true },
      { name: 'style', place: 'query', schema: { type: 'string' }, required: true },
    ]);
  });

  it('knows parameters that are called like members of every object', () => {
    expect(places('GET', '/a/{constructor}', {})).toEqual({ constructor: 'path' });
    expect(faults('/a/{toString}', { type: 'object', properties: {} })).toEqual([
      'path parameter {toString} is not a property of the input schema',
    ]);
  });
});

describe('toRouteInput, required', () => {
  it('lists the parameters that are neither optional nor defaulted', () => {
    verifies('face.required', 'tool.input.required');
    expect(
      required({
        plain: Type.String(),
        defaulted: Type.String({ default: 'short' }),
        zero: Type.Integer({ default: 0 }),
        optional: Type.Optional(Type.String()),
        pair: Type.Tuple([Type.String()]),
        optionalPair: Type.Optional(Type.Tuple([Type.String()])),
        plainJson: { type: 'integer' },
        defaultedJson: { type: 'integer', default: 1 },
      }),
    ).toEqual(['plain', 'pair', 'plainJson']);
  });

  it('leaves the list of a raw schema as it is, and binds its defaulted parameters as not required', () => {
    const shape = {
      type: 'object',
      properties: { a: { type: 'string', default: 'x' }, b: { type: 'string' }, c: { type: 'string' } },
      required: ['a', 'b'],
    } as const;
    const { inputSchema, parameters } = toRouteInput('POST', '/a', shape, true);
    expect(inputSchema).toBe(shape);
    expect(parameters.map((one) => one.required)).toEqual([false, true, false]);
  });
});

describe('toRouteInput, input schema', () => {
  it('has one property for each parameter, with its default, and is closed', () => {
    verifies('tool.input.object', 'tool.input.properties', 'tool.input.default', 'tool.input.closed');
    const shape = { id: Type.Integer(), style: Type.String({ default: 'short' }) };
    expect(JSON.stringify(toRouteInput('GET', '/tickets/{id}', shape, true).inputSchema)).toBe(
      '{"type":"object","properties":{"id":{"type":"integer"},"style":{"type":"string","default":"short"}},"required":["id"],"additionalProperties":false}',
    );
  });

  it('is open where any object is input', () => {
    expect(toRouteInput('POST', '/a', {}, false).inputSchema).toEqual({
      type: 'object',
      properties: {},
      required: [],
      additionalProperties: true,
    });
  });

  it('is the raw schema itself, untouched', () => {
    verifies('face.signature.raw-schema');
    const raw = {
      type: 'object',
      properties: { pair: { items: [{ type: 'string' }] } },
      'x-note': 1,
    } as const;
    expect(faults('/a', raw)).toEqual([]);
    expect(toRouteInput('POST', '/a', raw, true).inputSchema).toBe(raw);
  });

  it('is a record of schemas when a parameter is called type', () => {
    expect(places('POST', '/a', { type: Type.String(), name: Type.String() })).toEqual({
      type: 'body',
      name: 'body',
    });
  });
});

describe('toRouteInput, faults', () => {
  it.each<[string, string, InputShape, Method, readonly string[]]>([
    ['a schema that is none', '/a', { id: 5 } as never, 'POST', ['input "id" is not a schema']],
    ['a schema that is null', '/a', { id: null } as never, 'POST', ['input "id" is not a schema']],
    ['input that is no record', '/a/{id}', 'id' as never, 'POST', ['input is not a record of schemas']],
    ['input that is a list', '/a', [Type.String()] as never, 'POST', ['input is not a record of schemas']],
    [
      'a type that JSON lacks',
      '/a',
      { n: Type.BigInt() },
      'POST',
      ['input "n" has the type "bigint", which JSON does not have'],
    ],
    [
      'a raw schema that is no object',
      '/a',
      { type: 'array' } as never,
      'POST',
      ['the input schema has the type "array", not "object"'],
    ],
    [
      'a raw schema without a path parameter',
      '/a/{id}',
      { type: 'object' },
      'POST',
      ['path parameter {id} is not a property of the input schema'],
    ],
    [
      'a place in a path that lacks it',
      '/a',
      { id: from('path', Type.String()) },
      'GET',
      ['input "id" travels in the path, which has no {id}'],
    ],
    [
      'a path parameter that is moved',
      '/a/{id}',
      { id: from('query', Type.String()) },
      'GET',
      ['input "id" is part of the path and cannot be moved'],
    ],
    [
      'an optional path parameter',
      '/a/{id}',
      { id: Type.Optional(Type.String()) },
      'GET',
      ['path parameter "id" is optional; a path has no room for that'],
    ],
    [
      'a defaulted path parameter',
      '/a/{id}',
      { id: Type.String({ default: 'x' }) },
      'GET',
      ['path parameter "id" is optional; a path has no room for that'],
    ],
    [
      'an object in the query',
      '/a',
      { f: Type.Object({}) },
      'GET',
      ['input "f" travels in the query, which holds text, numbers, booleans and lists of them'],
    ],
    [
      'a list of lists in the query',
      '/a',
      { f: Type.Array(Type.Array(Type.String())) },
      'GET',
      ['input "f" travels in the query, which holds text, numbers, booleans and lists of them'],
    ],
    [
      'an object among others in the path',
      '/a/{f}',
      { f: Type.Union([Type.String(), Type.Object({})]) },
      'GET',
      ['input "f" travels in the path, which holds text, numbers, booleans and lists of them'],
    ],
    [
      'two whole bodies',
      '/a',
      { a: from('content', Type.String()), b: from('content', Type.String()) },
      'POST',
      ['more than one input is the whole body'],
    ],
    [
      'a whole body and a part of it',
      '/a',
      { a: from('content', Type.String()), b: Type.String() },
      'POST',
      ['input "a" is the whole body, so no other can be part of it'],
    ],
  ])('finds %s', (_, path, shape, method, rules) => {
    expect(faults(path, shape, method)).toEqual(rules);
  });

  it('finds nothing wrong with lists, unions and schemas without a type in the query', () => {
    const shape = {
      tags: Type.Array(Type.String()),
      either: Type.Union([Type.String(), Type.Null()]),
      any: {},
    };
    expect(faults('/a', shape, 'GET')).toEqual([]);
  });

  it('takes a raw property that allows anything, or nothing readable', () => {
    const { parameters } = toRouteInput(
      'POST',
      '/a',
      { type: 'object', properties: { a: true, b: null } },
      true,
    );
    expect(parameters.map(({ schema }) => schema)).toEqual([{}, {}]);
  });
});

describe('definitions of parameters', () => {
  const leaf = { $defs: { leaf: { type: 'integer' } }, type: 'array', items: { $ref: '#/$defs/leaf' } };

  it('move to the root of the composed schema, from which references count', () => {
    const { inputSchema } = toRouteInput('POST', '/a', { ids: leaf }, true);
    expect(inputSchema).toMatchObject({ $defs: { leaf: { type: 'integer' } } });
  });

  it('may be shared by two inputs, and must not differ', () => {
    const other = { ...leaf, $defs: { leaf: { type: 'string' } } };
    expect(faults('/a', { ids: leaf, more: leaf })).toEqual([]);
    expect(faults('/a', { ids: leaf, names: other })).toEqual([
      'two inputs define "leaf" in their $defs, and differ',
    ]);
  });
});

describe('the form of the body', () => {
  it('refuses JSON parameters beside bytes', () => {
    const { problems } = toRoute(
      'POST',
      '/a',
      { kind: 'handler' },
      { body: 'bytes', input: { title: Type.String() } },
    );
    expect(problems.map(({ rule }) => rule)).toEqual([
      'input "title" travels in a JSON body, and the route takes its body as "bytes"',
    ]);
  });
});
