import {
  createRouteTable,
  defineRoute,
  type EngineRouteOptions,
  from,
  listing,
  media,
  type Route,
  reply,
  Type,
  toRoute,
} from '@waymark/contract';
import type { EngineKind, Method } from '@waymark/contract/route';
import { verifies } from '@waymark/contract/testing';
import { type OpenApiDocument, toOpenApi } from '@waymark/openapi';
import { describe, expect, it } from 'vitest';
import { checkDocument, schemasOf } from '../openapi-checks.ts';

describe('checkDocument', () => {
  it('accepts a document of routes of every form, with and without authentication', async () => {
    verifies('openapi.valid', 'openapi.schemas-valid', 'version.openapi');
    const info = {
      title: 'Every form',
      version: '1.2.3',
      description: 'All of it.',
      serverUrl: 'https://example.com',
    };
    await checkDocument(toOpenApi(everyForm(), info));
    const guarded = toOpenApi(everyForm(), { ...info, security: { apiKey: true, bearer: true } });
    await checkDocument(guarded);
    expect(guarded.openapi).toMatch(/^3\.1\.\d+$/);
    expect(schemasOf(guarded).length).toBeGreaterThan(40);
  });

  it('accepts the document of an empty table', async () => {
    await expect(
      checkDocument(toOpenApi([], { title: 'Nothing', version: '0.0.0' })),
    ).resolves.toBeUndefined();
  });

  it.each([
    [
      'a missing version',
      (document: OpenApiDocument) => ({ ...document, info: { title: 'x' } }),
      /^openapi-schema-validator: .*version/,
    ],
    [
      'a reference to nothing',
      (document: OpenApiDocument) => withSchema(document, { $ref: '#/components/schemas/Missing' }),
      /schemas\/Missing.*does not exist|Missing/,
    ],
    [
      'a keyword of OpenAPI 3.0',
      (document: OpenApiDocument) => withSchema(document, { type: 'string', nullable: true }),
      /^\/components\/schemas\/Spoilt: the keyword nullable$/,
    ],
    [
      'a schema that is none',
      (document: OpenApiDocument) => withSchema(document, { type: 'strin' }),
      /^\/components\/schemas\/Spoilt: .*type/,
    ],
    [
      'a keyword that nobody knows',
      (document: OpenApiDocument) => withSchema(document, { minimumLength: 3 }),
      /unknown keyword: "minimumLength"/,
    ],
  ])('refuses %s', async (_, spoil, message) => {
    const document = toOpenApi(everyForm(), { title: 'Spoilt', version: '1' });
    await expect(checkDocument(spoil(document) as OpenApiDocument)).rejects.toThrow(message);
  });
});

function withSchema(document: OpenApiDocument, schema: object): unknown {
  const { components } = document;
  return { ...document, components: { ...components, schemas: { ...components.schemas, Spoilt: schema } } };
}

const Ticket = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    title: { type: 'string', minLength: 1 },
    state: { enum: ['open', 'closed', null] },
  },
  required: ['id', 'title'],
} as const;

/** TypeBox writes references as bare names. */
const Tree = Type.Cyclic(
  { Node: Type.Object({ value: Type.String(), children: Type.Array(Type.Ref('Node')) }) },
  'Node',
);

/** TypeBox writes tuples in the form of draft 7. */
const Point = Type.Tuple([Type.Number(), Type.Number()]);

function everyForm(): readonly Route[] | ReturnType<typeof createRouteTable> {
  return createRouteTable([...handlers(), ...bodies(), ...outputs(), ...engines()]).freeze();
}

function engine(kind: EngineKind, method: Method, path: string, options: EngineRouteOptions = {}): Route {
  return toRoute(method, path, { kind }, options);
}

function handlers(): readonly Route[] {
  return [
    defineRoute(
      'GET',
      '/tickets/{id}/summary',
      {
        input: {
          id: { type: 'integer' },
          style: { type: 'string', default: 'short', description: 'How long.', deprecated: true },
        },
        output: { 200: Ticket, 404: { type: 'object', properties: { title: { type: 'string' } } } },
        scopes: ['tickets:read'],
        tool: true,
        description: 'A longer text.',
      },
      () => {
        /** Summarises a ticket. In **Markdown**. */
        return reply(404, { title: 'no such ticket' });
      },
    ),
    engine('handler', 'GET', '/tickets', {
      input: {
        tags: { type: 'array', items: { type: 'string' } },
        'odd name': { type: 'boolean', default: false },
      },
    }),
    engine('handler', 'DELETE', '/tickets/{ticket}', { output: { 204: {} } }),
    engine('handler', 'GET', '/tickets/{id}', { input: { id: { type: 'integer' } }, output: Ticket }),
    engine('handler', 'GET', '/files/{path*}', { output: { 200: media('application/octet-stream') } }),
    engine('handler', 'GET', '/either/{id}'),
    engine('handler', 'GET', '/either/{rest*}'),
    engine('handler', 'GET', '/', {}),
  ];
}

function bodies(): readonly Route[] {
  return [
    engine('handler', 'POST', '/tickets', {
      input: {
        title: { type: 'string' },
        tree: Tree,
        point: Point,
        notify: from('query', { type: 'boolean', default: true }),
      },
      output: { 201: Ticket },
    }),
    engine('handler', 'PUT', '/import', {
      input: { rows: from('content', { type: 'array', items: Tree }) },
      output: { 200: Tree, 202: Ticket },
      progress: true,
    }),
    engine('handler', 'PATCH', '/raw/{id}', {
      input: {
        type: 'object',
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        $id: 'https://example.com/raw',
        properties: {
          id: { type: 'string' },
          self: { $ref: '#' },
          address: { $ref: '#/$defs/a~1b' },
          when: { type: 'string', format: 'date-time', example: '2026-01-01T00:00:00Z', nullable: true },
        },
        required: ['id'],
        if: { properties: { when: { const: 'now' } } },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: { required: ['address'] },
        additionalProperties: false,
        $defs: {
          'a/b': {
            type: 'object',
            properties: { next: { $ref: '#/$defs/a~1b' }, line: { type: 'string' } },
            default: {},
          },
        },
      },
    }),
    engine('handler', 'POST', '/upload', { body: 'bytes' }),
    engine('device', 'POST', '/devices/door/frames', {
      body: 'source',
      output: { 202: { type: 'object', properties: { seq: { type: 'integer' } } } },
    }),
  ];
}

function outputs(): readonly Route[] {
  return [
    engine('handler', 'GET', '/report.csv', { output: { 200: media('text/csv; charset=utf-8') } }),
    engine('handler', 'GET', '/photo', { output: { 200: media('image/png'), 304: {} } }),
    engine('static', 'GET', '/moved', { output: { 301: {} } }),
    engine('handler', 'GET', '/only-error', { output: { 409: Ticket } }),
    engine('handler', 'POST', '/created', { output: { 201: Ticket }, progress: true }),
  ];
}

function engines(): readonly Route[] {
  return [
    engine('page', 'GET', '/page'),
    engine('files', 'GET', '/assets/{path*}'),
    engine('proxy', 'GET', '/weather/{city}', { strict: false }),
    engine('agent', 'POST', '/agents/guard', {
      input: { input: { type: 'string' } },
      output: { 200: Ticket, 202: Ticket },
      progress: true,
      toolName: 'guard',
      approval: 'required',
    }),
    engine('agent', 'GET', '/agents/guard', { socket: true }),
    engine('behaviour', 'POST', '/behaviours/any', { strict: false, body: 'json' }),
    listing('routes', () => []),
    engine('control', 'GET', '/health', {
      plane: 'control',
      output: { type: 'object', properties: { status: { type: 'string' } } },
    }),
    engine('control', 'POST', '/mcp', { plane: 'control', body: 'source' }),
  ];
}
