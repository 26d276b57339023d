/** Values in path and query, which are text: each library says in its own way what they mean. */
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { toClient } from '@waymark/client-gen';
import type { RawSchema } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { toOpenApi } from '@waymark/openapi';
import { Type } from '@waymark/server';
import { type } from 'arktype';
import { Schema } from 'effect';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { checkDocument } from '../openapi-checks.ts';
import { withCompiledClient } from './compiled-client.ts';
import { application, serve } from './served.ts';
import { clientOf } from './sql-served.ts';

const effect = <
  S extends Schema.Top & { readonly DecodingServices: never; readonly EncodingServices: never },
>(
  schema: S,
) => Schema.toStandardJSONSchemaV1(Schema.toStandardSchemaV1(Schema.toCodecJson(schema)));

const zodId = z.int().meta({ id: 'TicketId' });
const valibotId = v.lazy(() => v.pipe(v.number(), v.integer()));
const effectId = Schema.Int.annotate({ identifier: 'TicketId' });
const $defs = {
  Whole: { $anchor: 'whole', type: 'integer' },
  TicketId: { $ref: '#/$defs/Whole' },
  Ids: { type: 'array', items: { $ref: '#/$defs/TicketId' } },
};

/**
 * The same parameters as each of them says it: a named whole number, a list of it, one that may be null, one or a list,
 * and what two schemas hold together.
 */
const inputs = {
  zod: z.object({
    id: zodId,
    ids: z.array(zodId).optional(),
    maybe: z.array(zodId).nullish(),
    either: z.union([zodId, z.array(zodId)]).optional(),
    both: z.int().and(z.number().min(1)).optional(),
    pair: z.tuple([z.int(), z.string()]).optional(),
  }),
  'zod, one by one': {
    id: zodId,
    ids: z.array(zodId).optional(),
    maybe: z.array(zodId).nullish(),
    either: z.union([zodId, z.array(zodId)]).optional(),
    both: zodId.and(z.number().min(1)).optional(),
    pair: z.tuple([zodId, z.string()]).nullish(),
  },
  valibot: toStandardJsonSchema(
    v.object({
      id: valibotId,
      ids: v.optional(v.array(valibotId)),
      maybe: v.nullish(v.array(valibotId)),
      either: v.optional(v.union([valibotId, v.array(valibotId)])),
      both: v.optional(v.intersect([v.number(), valibotId, v.pipe(v.number(), v.minValue(1))])),
      pair: v.optional(v.tuple([valibotId, v.string()])),
    }),
  ),
  arktype: type({
    id: 'number.integer',
    'ids?': 'number.integer[]',
    'maybe?': 'number.integer[] | null',
    'either?': 'number.integer | number.integer[]',
    'both?': type('number.integer').and('number >= 1'),
    'pair?': ['number.integer', 'string'],
  }),
  effect: effect(
    Schema.Struct({
      id: effectId,
      ids: Schema.optionalKey(Schema.Array(effectId)),
      maybe: Schema.optionalKey(Schema.NullOr(Schema.Array(effectId))),
      either: Schema.optionalKey(Schema.Union([effectId, Schema.Array(effectId)])),
      both: Schema.optionalKey(effectId.check(Schema.isGreaterThanOrEqualTo(1))),
      pair: Schema.optionalKey(Schema.Tuple([effectId, Schema.String])),
    }),
  ),
  typebox: {
    id: Type.Integer(),
    ids: Type.Optional(Type.Array(Type.Integer())),
    maybe: Type.Optional(Type.Union([Type.Array(Type.Integer()), Type.Null()])),
    either: Type.Optional(Type.Union([Type.Integer(), Type.Array(Type.Integer())])),
    both: Type.Optional(Type.Intersect([Type.Integer(), Type.Number({ minimum: 1 })])),
    pair: Type.Optional(Type.Tuple([Type.Integer(), Type.String()])),
  },
  'raw, as a whole': {
    type: 'object',
    properties: {
      id: { $ref: '#/$defs/TicketId' },
      ids: { $ref: '#/$defs/Ids' },
      maybe: { type: ['array', 'null'], items: { $ref: '#whole' } },
      either: { oneOf: [{ $ref: '#/$defs/TicketId' }, { $ref: '#/$defs/Ids' }] },
      both: { allOf: [{ type: 'integer' }], minimum: 1 },
      pair: { type: 'array', prefixItems: [{ $ref: '#/$defs/TicketId' }, { type: 'string' }], items: false },
    },
    required: ['id'],
    additionalProperties: false,
    $defs,
  } as const satisfies RawSchema,
  'raw, one by one': {
    id: { $ref: '#/$defs/TicketId', $defs },
    ids: Type.Optional({ $ref: '#/$defs/Ids', $defs }),
    maybe: Type.Optional({ anyOf: [{ $ref: '#/$defs/Ids' }, { type: 'null' }], $defs }),
    either: Type.Optional({ anyOf: [{ type: 'integer' }, { $ref: '#/$defs/Ids' }], $defs }),
    both: Type.Optional({ allOf: [{ $ref: '#/$defs/TicketId' }, { minimum: 1 }], $defs }),
    pair: Type.Optional({
      type: 'array',
      prefixItems: [{ $ref: '#/$defs/TicketId', $defs }, { type: 'string' }],
    }),
  },
};

/** What follows the path of a route, and what the handler is given; else the status, and which parameter is at fault. */
const calls: readonly (readonly [target: string, answer: object | number, told?: string])[] = [
  ['5', { id: 5 }],
  ['x', 422, '/id'],
  ['007', 422, '/id'],
  ['5?ids=1&ids=2', { id: 5, ids: [1, 2] }],
  ['5?ids=1', { id: 5, ids: [1] }],
  ['5?ids=1&ids=x', 422, '/ids'],
  ['5?maybe=1', { id: 5, maybe: [1] }],
  ['5?maybe=1&maybe=2', { id: 5, maybe: [1, 2] }],
  ['5?maybe=null', 422, '/maybe'],
  ['5?either=1', { id: 5, either: 1 }],
  ['5?either=1&either=2&either=3', { id: 5, either: [1, 2, 3] }],
  ['5?either=x', 422, '/either'],
  ['5?both=7', { id: 5, both: 7 }],
  ['5?both=0', 422, '/both'],
  ['5?both=7&both=8', 400, 'query parameter "both" is given twice'],
  ['5?pair=1&pair=2', { id: 5, pair: [1, '2'] }],
  ['5?pair=x&pair=2', 422, '/pair'],
];

/** Calls any operation of the client by its name. */
const program = `import { createClient } from './client.ts';

export async function use(baseUrl: string, method: string, input: object): Promise<unknown> {
  const client = createClient({ baseUrl }) as unknown as Record<string, (input: object) => Promise<unknown>>;
  return client[method]?.(input);
}
`;

interface Program {
  use(baseUrl: string, method: string, input: object): Promise<unknown>;
}

describe('values in path and query', () => {
  const served = Object.entries(inputs).map(([library, input], i) => ({ library, input, path: `/r${i}` }));
  const declared = application();
  for (const { path, input } of served)
    declared.get(`${path}/{id}`, { input: input as RawSchema, toolName: path.slice(1) }, (given) => given);

  it('are read by the schema of each library, wherever in it that says what they are', async () => {
    verifies('http.coerce.path-and-query', 'face.library.described');
    const { send } = clientOf((await serve(declared)).url);
    for (const { library, path } of served)
      for (const [target, answer, told = ''] of calls) {
        const { status, value } = await send('GET', `${path}/${target}`);
        const what = `${library}: ${target}`;
        if (typeof answer === 'object') expect([status, value], what).toEqual([200, answer]);
        else {
          expect(status, what).toBe(answer);
          expect((value as { readonly detail: string }).detail, what).toContain(told);
        }
      }
  });

  it('are described as they are read: a list by its repeated name, and never null', async () => {
    verifies('openapi.parameters');
    const document = toOpenApi(declared.table, { title: 'Values', version: '1.0.0' });
    await checkDocument(document);
    for (const { library, path } of served) {
      const parameters = document.paths[`${path}/{id}`]?.get?.parameters ?? [];
      const repeated = parameters.filter(({ explode }) => explode).map(({ name }) => name);
      expect(repeated.sort(), library).toEqual(['either', 'ids', 'maybe', 'pair']);
      expect(JSON.stringify(parameters), library).not.toContain('"null"');
    }
  });

  it('arrive as the generated client was given them', async () => {
    verifies('client.typed');
    const { url } = await serve(declared);
    const source = toClient(declared.table, { title: 'Values' });
    const given = { id: 5, ids: [1], maybe: [1, 2], either: [1, 2], both: 7, pair: [1, '2'] };
    await withCompiledClient(source, program, async (client: Program) => {
      for (const { library, path } of served) {
        expect(await client.use(url, path.slice(1), given), library).toEqual(given);
        expect(await client.use(url, path.slice(1), { id: 5, either: 1 }), library).toEqual({
          id: 5,
          either: 1,
        });
        // One text says the same of both: the route takes either.
        expect(await client.use(url, path.slice(1), { id: 5, either: [1] }), library).toEqual({
          id: 5,
          either: 1,
        });
      }
    });
  });
});

describe('an object in a query', () => {
  const color = { type: 'object', properties: { r: { type: 'integer' } } };
  it.each<[string, object]>([
    ['zod, named', z.object({ c: z.object({ r: z.int() }).meta({ id: 'Color' }) })],
    ['zod, named, as a parameter', { c: z.object({ r: z.int() }).meta({ id: 'Color' }) }],
    ['zod, in a list', { c: z.array(z.object({ r: z.int() }).meta({ id: 'Color' })) }],
    ['zod, of two', { c: z.object({ r: z.int() }).and(z.object({ g: z.int() })) }],
    ['valibot, later', { c: toStandardJsonSchema(v.lazy(() => v.object({ r: v.number() }))) }],
    ['effect, named', { c: effect(Schema.Struct({ r: Schema.Int }).annotate({ identifier: 'Color' })) }],
    ['typebox, of two', { c: Type.Intersect([Type.Object({ r: Type.Integer() }), Type.Object({})]) }],
    [
      'raw',
      {
        type: 'object',
        properties: { c: { $ref: '#/$defs/Alias' } },
        $defs: { Color: color, Alias: { $ref: '#/$defs/Color' } },
      },
    ],
    ['raw, a part', { c: { allOf: [color] } }],
  ])('stops the start wherever the schema says that it is one: %s', (_, input) => {
    const app = application().get('/p', { input: input as RawSchema }, () => 1);
    expect(app.check().map(({ code }) => code)).toEqual(['parameter-not-flat']);
  });
});
