import { createRouteTable, DeclarationError, from, Type, toRoute } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { toOpenApi, toOpenApiInTurns } from '../src/index.ts';
import { documentOf, operationOf, route } from './tables.ts';

describe('toOpenApi', () => {
  it('says what it describes, in which version, and where it is reached', () => {
    verifies('version.openapi', 'version.info', 'app.option.description');
    const document = documentOf([], {
      title: 'Desk',
      version: '2.1.0',
      description: 'Helps.',
      serverUrl: 'https://desk.example.com',
    });
    expect(document.openapi).toBe('3.1.0');
    // Swagger UI shows an error for any but its own, which is a superset of 2020-12 and the default.
    expect(document).not.toHaveProperty('jsonSchemaDialect');
    expect(document.info).toEqual({ title: 'Desk', version: '2.1.0', description: 'Helps.' });
    expect(document.servers).toEqual([{ url: 'https://desk.example.com' }]);
  });

  it('leaves out what it was not told', () => {
    const document = documentOf([], { description: '' });
    expect(document.info).toEqual({ title: 'Test', version: '1.0.0' });
    expect(document).not.toHaveProperty('servers');
    expect(document.components).not.toHaveProperty('securitySchemes');
  });

  it('describes each route under its method, path and name, in the order of the table', () => {
    verifies('purpose.route.openapi', 'name.operation-id');
    const document = documentOf([
      route('GET', '/b'),
      route('POST', '/a'),
      route('GET', '/a', { toolName: 'read_a' }),
    ]);
    expect(
      Object.entries(document.paths).flatMap(([path, item]) =>
        Object.entries(item).map(([method, { operationId }]) => [path, method, operationId]),
      ),
    ).toEqual([
      ['/b', 'get', 'get_b'],
      ['/a', 'post', 'create_a'],
      ['/a', 'get', 'read_a'],
    ]);
  });

  it('tells the method of the client, the name of a whole body, and where its page is, where there are such', () => {
    const routes = [
      route('POST', '/rows', { input: { rows: from('content', Type.Array(Type.Integer())) } }),
      route('GET', '/docs', { plane: 'control' }),
    ];
    const told = documentOf(routes, {
      clientMethod: ({ name }) => (name === 'create_rows' ? 'createRows' : undefined),
    });
    expect(told['x-waymark'].docs).toBe('/_svc/docs');
    expect(told.paths['/rows']?.post?.['x-waymark']).toMatchObject({ client: 'createRows', content: 'rows' });
    expect(told.paths['/_svc/docs']?.get?.['x-waymark']).not.toHaveProperty('client');
    expect(documentOf([route('GET', '/a')])['x-waymark']).not.toHaveProperty('docs');
    expect(documentOf(routes).paths['/rows']?.post?.['x-waymark']).not.toHaveProperty('client');
  });

  it('gives the same text for the same table', () => {
    const routes = [route('GET', '/b/{id}'), route('POST', '/a', { input: { n: { type: 'integer' } } })];
    expect(JSON.stringify(documentOf(routes))).toBe(
      JSON.stringify(documentOf(createRouteTable(routes).freeze())),
    );
  });

  it('takes the first line of a docstring as summary and the rest, with the option, as description', () => {
    verifies('face.description.openapi-only');
    const operation = operationOf(
      route('GET', '/a', { summary: 'Reads a.\n\nAll of it.', description: 'Slowly.' }),
    );
    expect(operation).toMatchObject({ summary: 'Reads a.', description: 'All of it.\n\nSlowly.' });
    expect(operationOf(route('GET', '/a'))).toMatchObject({ summary: 'GET /a' });
    expect(operationOf(route('GET', '/a'))).not.toHaveProperty('description');
  });

  it('groups operations by the first word of the path and the control plane by itself', () => {
    const document = documentOf([
      route('GET', '/tickets/{id}'),
      route('GET', '/{any}'),
      route('GET', '/tickets'),
      route('GET', '/health', { plane: 'control' }),
    ]);
    expect(document.tags).toEqual([
      { name: 'tickets', description: 'What lies below `/tickets`: 2 operations (handler).' },
      { name: 'root', description: 'What lies at the root of the paths: 1 operation (handler).' },
      {
        name: 'control',
        description: 'The control plane: what there is, what runs, what waits, what was spent.',
      },
    ]);
    expect(document.paths['/tickets/{id}']?.get?.tags).toEqual(['tickets']);
  });

  it('leaves out routes that answer WebSocket upgrades only', () => {
    verifies('openapi.no-sockets');
    const document = documentOf([
      route('GET', '/stream', { socket: true }),
      route('POST', '/agent'),
      route('GET', '/agent', { socket: true }),
    ]);
    expect(Object.keys(document.paths)).toEqual(['/agent']);
    expect(Object.keys(document.paths['/agent'] ?? {})).toEqual(['post']);
    expect(document.tags.map(({ name }) => name)).toEqual(['agent']);
  });

  it('lists the control plane under the prefix of the table', () => {
    verifies('openapi.control-plane');
    const health = route('GET', '/health', { plane: 'control' });
    expect(
      Object.keys(documentOf(createRouteTable([health], { controlPrefix: '/hub/admin' })).paths),
    ).toEqual(['/hub/admin/health']);
    expect(Object.keys(documentOf([health]).paths)).toEqual(['/_svc/health']);
  });

  it('names the release of the specification, and the MCP endpoint where there is one', () => {
    verifies('openapi.specification');
    expect(documentOf([])['x-waymark']).toEqual({ specification: '2.3' });
    const mcp = createRouteTable([route('POST', '/mcp', { plane: 'control' })], { controlPrefix: '/hub' });
    expect(documentOf(mcp)['x-waymark']).toEqual({ specification: '2.3', mcp: '/hub/mcp' });
  });

  it('says of each operation what OpenAPI has no word for', () => {
    verifies('openapi.extensions');
    const gated = route(
      'DELETE',
      '/a',
      { tool: true, scopes: ['a:write'], approval: 'required', progress: true },
      'query',
    );
    expect(operationOf(gated)['x-waymark']).toEqual({
      engine: 'query',
      tool: true,
      scopes: ['a:write'],
      approval: 'required',
      read_only: false,
      idempotent: true,
      destructive: true,
      progress: true,
      timeout_ms: 30_000,
    });
  });

  it('says how long each operation may take: as its route says, else as the application does', () => {
    verifies('openapi.extensions');
    const limits = { requestTimeoutMs: 120_000, agentTimeoutMs: 1_200_000 };
    const routes = [
      route('GET', '/plain'),
      route('GET', '/quick', { timeoutMs: 1_000 }),
      route('GET', '/endless', { timeoutMs: Number.POSITIVE_INFINITY }),
      toRoute('GET', '/run', { kind: 'agent', durability: 'run' }),
    ];
    const { paths } = documentOf(createRouteTable(routes, limits));
    const times = Object.entries(paths).map(([path, { get }]) => [path, get?.['x-waymark'].timeout_ms]);
    expect(Object.fromEntries(times)).toEqual({
      '/plain': 120_000,
      '/quick': 1_000,
      '/endless': undefined,
      '/run': 1_200_000,
    });
  });

  it('makes one path of two that differ in parameter names only', () => {
    const { paths } = documentOf([route('GET', '/a/{id}/b/{n}'), route('PUT', '/a/{key}/b/{n}')]);
    expect(Object.keys(paths)).toEqual(['/a/{id}/b/{n}']);
    expect(paths['/a/{id}/b/{n}']?.put?.parameters).toEqual([
      { name: 'id', in: 'path', required: true, schema: { type: 'string' }, 'x-waymark': { name: 'key' } },
      { name: 'n', in: 'path', required: true, schema: { type: 'string' } },
    ]);
  });

  it('reports a rest route that OpenAPI cannot tell from a plainer one, whichever came first', () => {
    const document = documentOf([
      route('GET', '/files/{path*}'),
      route('GET', '/files/{id}'),
      route('PUT', '/files/{path*}'),
    ]);
    expect(document.paths['/files/{id}']?.get?.operationId).toBe('get_files_by_id');
    expect(document.paths['/files/{id}']?.put?.operationId).toBe('replace_files_by_path');
    expect(document['x-waymark'].omitted).toEqual(['get_files_by_path']);
  });

  it('refuses a table that would not freeze', () => {
    expect(() => documentOf([route('GET', '/a'), route('GET', '/a')])).toThrow(/GET \/a is declared twice/);
  });

  it('refuses references to nothing, all at once, with the declarations that hold them', () => {
    const lost = { $ref: '#/$defs/Lost' };
    const routes = [
      route('POST', '/a', { input: { a: lost } }),
      route('GET', '/b', { output: { $ref: 'Gone' } }),
    ];
    const problem = (declaration: string, rule: string): unknown =>
      expect.objectContaining({ declaration, rule, at: 'tables.ts:1' });
    expect(() => toOpenApi(routes, { title: 'x', version: '1' })).toThrow(DeclarationError);
    expect(() => toOpenApi(routes, { title: 'x', version: '1' })).toThrow(
      expect.objectContaining({
        problems: [
          problem('route POST /a', 'input "a": the reference "#/$defs/Lost" points to nothing in the schema'),
          problem('route GET /b', 'output 200: the reference "Gone" points to nothing in the schema'),
        ],
      }),
    );
  });

  it('shares no object with the table', () => {
    const schema = { type: 'array', default: ['deep'], examples: [{ a: 1 }] };
    const document = documentOf([route('POST', '/a', { input: { a: schema } })]);
    const copy = JSON.parse(JSON.stringify(document)) as unknown;
    schema.default.push('changed');
    expect(document).toEqual(copy);
  });
});

describe('toOpenApiInTurns', () => {
  const info = { title: 'x', version: '1' };

  it('gives the same document, and others their turn meanwhile', async () => {
    const routes = Array.from({ length: 40 }, (_, i) =>
      route('POST', `/${i}`, { input: { i: Type.Integer() } }),
    );
    let turns = 0;
    const count = (): void => {
      turns += 1;
      turn = setImmediate(count);
    };
    let turn = setImmediate(count);
    const document = await toOpenApiInTurns(routes, info);
    clearImmediate(turn);
    expect(document).toEqual(toOpenApi(routes, info));
    expect(turns).toBeGreaterThanOrEqual(4);
  });

  it('refuses what the document refuses', async () => {
    await expect(toOpenApiInTurns([route('GET', '/a'), route('GET', '/a')], info)).rejects.toThrow(
      /GET \/a is declared twice/,
    );
  });
});
