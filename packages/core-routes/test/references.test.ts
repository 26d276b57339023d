import { callTool, createRouteTable, defineRoute, type InputShape, type Values } from '@waymark/contract';
import { anonymous } from '@waymark/contract/principal';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { createDispatcher } from '../src/index.ts';

const caller = { principal: anonymous(), via: 'mcp', requestId: 'r1' } as const;
const Whole = { type: 'integer' };
const Text = { type: 'string' };
const raw = (schema: object): InputShape => ({ type: 'object', ...schema });

const route = (input: InputShape) => defineRoute('POST', '/p', { input, tool: true }, () => 'taken');

describe('references in a schema that is served', () => {
  it.each<[string, InputShape, Values, Values]>([
    [
      'an anchor',
      raw({ properties: { o: { $ref: '#x' } }, $defs: { d: { $anchor: 'x', ...Whole } } }),
      { o: 1 },
      { o: 'x' },
    ],
    [
      'an $id',
      raw({ properties: { o: { $ref: 'p' } }, $defs: { d: { $id: 'p', ...Whole } } }),
      { o: 1 },
      { o: 'x' },
    ],
    [
      'the root',
      raw({ properties: { v: Whole, next: { $ref: '#' } } }),
      { next: { v: 1 } },
      { next: { v: 'x' } },
    ],
    [
      'an anchor inside of a schema with an $id',
      raw({
        properties: { o: { $id: 'in', $ref: '#x', $defs: { d: { $anchor: 'x', ...Whole } } } },
        $defs: { d: { $anchor: 'x', ...Text } },
      }),
      { o: 1 },
      { o: 'x' },
    ],
    [
      'the root of a parameter',
      { a: { type: 'object', properties: { v: Whole, next: { $ref: '#' } } } },
      { a: { v: 1, next: { v: 1, next: { v: 1 } } } },
      { a: { v: 1, next: { v: 1, next: { v: 'x' } } } },
    ],
    [
      'a pointer from the root of a parameter, in a definition of it',
      {
        'a b': {
          type: 'object',
          properties: { v: Whole, w: { $ref: '#/$defs/a_b' } },
          $defs: { a_b: { type: 'array', items: { $ref: '#/properties/v' } } },
        },
      },
      { 'a b': { w: [1] } },
      { 'a b': { w: ['x'] } },
    ],
    [
      'the root of a parameter with an $id',
      { a: { $id: 'T', type: 'object', properties: { v: Whole, next: { $ref: '#' } } } },
      { a: { next: { v: 1 } } },
      { a: { next: { v: 'x' } } },
    ],
    ['the root of a list', { a: { type: 'array', items: { $ref: '#' } } }, { a: [[], [[]]] }, { a: [[1]] }],
  ])('mean the same when a value comes: %s', async (_, input, taken, refused) => {
    verifies('face.references');
    const one = route(input);
    expect(one.problems).toEqual([]);
    const dispatcher = createDispatcher(createRouteTable([one]).freeze());
    const call = (values: Values) => callTool(dispatcher, { route: one, arguments: values, ...caller });
    expect(await call(taken)).toMatchObject({ ok: true });
    expect(await call(refused)).toMatchObject({ ok: false, status: 422 });
  });

  it.each<[string, InputShape, string]>([
    [
      'an anchor that is no definition',
      raw({ properties: { p: { $anchor: 'x' }, o: { $ref: '#x' } } }),
      '"#x" points to nothing',
    ],
    [
      'the $id of a sibling',
      raw({ properties: { p: { $id: 'q' }, o: { $ref: 'q' } } }),
      '"q" points to nothing',
    ],
    [
      'what is outside of an $id',
      raw({ properties: { o: { $id: 'in', $ref: '#/$defs/d' } }, $defs: { d: Whole } }),
      '"#/$defs/d" points to nothing',
    ],
    [
      'one anchor of two parameters',
      {
        a: { $ref: '#x', $defs: { d: { $anchor: 'x', ...Whole } } },
        b: { $ref: '#x', $defs: { e: { $anchor: 'x', ...Text } } },
      },
      'another schema has the $anchor "x" as well, and differs',
    ],
    [
      'one $id of two parameters',
      {
        a: { $ref: 'T', $defs: { T: { $id: 'T', ...Whole } } },
        b: { $ref: 'T', $defs: { U: { $id: 'T', ...Text } } },
      },
      'another schema has the $id "T" as well, and differs',
    ],
    ['another parameter', { a: { $ref: '#/properties/b' }, b: Whole }, 'points to nothing'],
  ])('are told at boot where they would mean something else: %s', (_, input, rule) => {
    verifies('face.references');
    expect(route(input).problems[0]?.rule).toContain(rule);
  });
});
