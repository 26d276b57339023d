import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { readApiDocument } from '../browser/pages/routes/api-document.ts';
import { exampleOf } from '../browser/pages/routes/example-of.ts';
import {
  type KnownRoute,
  toClientCall,
  toCurl,
  toMcpCall,
  toSchemas,
} from '../browser/pages/routes/surfaces.ts';
import { toCallPlan } from '../browser/pages/routes/to-call.ts';
import { toLiteral } from '../browser/pages/routes/to-literal.ts';
import { selects, toWhoMay } from '../browser/pages/routes/who-may.ts';

const document = readApiDocument({
  paths: {
    '/loads/{id}': {
      patch: {
        operationId: 'update_loads',
        summary: 'Changes a load.',
        parameters: [
          { name: 'id', in: 'path', required: true, schema: { type: 'integer' } },
          { name: 'dry', in: 'query', required: true, schema: { type: 'boolean' } },
          { name: 'limit', in: 'query', schema: { type: 'integer' } },
        ],
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Load' } } } },
        responses: { 200: { content: { 'application/json': { schema: { type: 'object' } } } } },
        'x-waymark': { client: 'patchLoadsById' },
      },
      parameters: [],
    },
    '/door/frames': {
      post: { operationId: 'door', requestBody: { content: { 'image/*': {} } }, responses: {} },
    },
  },
  components: {
    schemas: {
      Load: {
        type: 'object',
        required: ['goods', 'next'],
        properties: {
          goods: { type: 'string', examples: ["sand's $HOME `id` \\"] },
          next: { anyOf: [{ $ref: '#/components/schemas/Load' }, { type: 'null' }] },
          note: { type: 'string' },
        },
      },
      Loop: { $ref: '#/components/schemas/Loop' },
    },
  },
  'x-waymark': { mcp: '/_svc/mcp', docs: '/_svc/docs' },
});

const known = (more: Partial<KnownRoute> = {}): KnownRoute => ({
  route: { method: 'PATCH', path: '/loads/{id}', tool: 'update_loads' },
  operation: document.operations.get('PATCH /loads/{id}'),
  tool: undefined,
  document,
  base: 'http://desk.example',
  ...more,
});

describe('the four surfaces of a route', () => {
  it('are a line that a shell reads exactly, whatever stands in an example', () => {
    const line = toCurl(known()) ?? '';
    const read = execFileSync('sh', ['-c', line.replace(/^curl/, "printf '%s\\n'")], {
      env: { KEY: 'of-mine' },
    });
    const [x, method, url, , key, , type, , body] = String(read).split('\n');
    expect([x, method, url]).toEqual(['-X', 'PATCH', 'http://desk.example/loads/1?dry=true']);
    expect([key, type]).toEqual(['x-api-key: of-mine', 'content-type: application/json']);
    expect(JSON.parse(body ?? '')).toMatchObject({ goods: "sand's $HOME `id` \\" });
  });

  it('send bytes from a file where a route takes bytes', () => {
    const line = toCurl(
      known({
        route: { method: 'POST', path: '/door/frames', tool: null },
        operation: document.operations.get('POST /door/frames'),
      }),
    );
    expect(line).toContain("--data-binary '@file'");
  });

  it('are a message of MCP for tools alone', () => {
    expect(toMcpCall(known())).toBeUndefined();
    const inputSchema = {
      type: 'object',
      required: ['id'],
      properties: { id: { type: 'integer', minimum: 3 } },
    };
    const annotations = { readOnlyHint: false, idempotentHint: false, requiresApproval: false };
    const tool = { name: 'update_loads', description: '', inputSchema, annotations };
    expect(JSON.parse(toMcpCall(known({ tool })) ?? '')).toMatchObject({
      method: 'tools/call',
      params: { name: 'update_loads', arguments: { id: 3 } },
    });
  });

  it('are a call of the client where the document names its method', () => {
    expect(toClientCall(known())).toMatch(
      /client\.patchLoadsById\(\{\n {2}id: 1,\n {2}dry: true,\n {2}goods: 'sand/,
    );
    expect(toClientCall(known({ operation: document.operations.get('POST /door/frames') }))).toBeUndefined();
  });

  it('are nothing where nobody knows anything of it', () => {
    const socket = known({ operation: undefined });
    expect([toCurl(socket), toMcpCall(socket), toClientCall(socket), toSchemas(socket)]).toEqual(
      Array.from({ length: 4 }),
    );
  });
});

describe('the form of a route', () => {
  const planOf = (name: string) => {
    const [method = '', path = ''] = name.split(' ');
    const operation = document.operations.get(name);
    return operation && toCallPlan({ method, path, tool: null }, operation, document);
  };

  it('takes in one object what goes into path, query and body, as the client sends it', () => {
    expect(planOf('PATCH /loads/{id}')).toMatchObject({
      operation: { method: 'PATCH', path: '/loads/{id}', query: ['dry', 'limit'], members: true },
      schema: {
        properties: { id: { type: 'integer' }, dry: { type: 'boolean' }, goods: { type: 'string' } },
        required: ['id', 'dry', 'goods', 'next'],
      },
    });
  });

  it('is not there where a file is taken, and says so', () => {
    expect(planOf('POST /door/frames')).toBe('It takes a file. The curl line sends one.');
  });
});

describe('examples', () => {
  it('come to an end in schemas that refer to themselves', () => {
    expect(JSON.stringify(exampleOf({ $ref: '#/components/schemas/Load' }, document)).length).toBeLessThan(
      2_000,
    );
    expect(exampleOf({ $ref: '#/components/schemas/Loop' }, document)).toBeNull();
  });

  it.each([
    [{ const: 4 }, 4],
    [{ default: 'a', type: 'string' }, 'a'],
    [{ enum: ['b', 'c'] }, 'b'],
    [{ type: 'array', items: { type: 'boolean' } }, [true]],
    [{ type: ['integer', 'null'], minimum: 7 }, 7],
    ['nonsense', null],
  ])('of %j is %j', (schema, example) => {
    expect(exampleOf(schema, document)).toEqual(example);
  });

  it('are written as TypeScript reads them', () => {
    expect(toLiteral({ a: "it's", 'b-c': [1, null], __proto__: {} })).toBe(
      "{ a: 'it\\'s', 'b-c': [1, null] }",
    );
    expect(toLiteral(JSON.parse('{"__proto__":1}'))).toBe("{ ['__proto__']: 1 }");
  });
});

describe('who may', () => {
  const row = (more: object) => ({
    ...{ method: 'GET', path: '/a', engine: 'handler', tool: null, scopes: ['read'], approval: 'never' },
    ...{ name: 'a', summary: '', read_only: true, socket: false, input_schema: {} },
    ...more,
  });

  it('selects routes by what they are, and shows the control plane only where it is asked for', () => {
    const control = row({ engine: 'control', scopes: [] }) as never;
    const plain = row({}) as never;
    const gated = row({ tool: 't', approval: 'required', scopes: [] }) as never;
    const selected = (selection: Parameters<typeof selects>[0]) =>
      [control, plain, gated].map((one) => selects(selection, one));
    expect(selected('')).toEqual([false, true, true]);
    expect(selected('tools')).toEqual([false, false, true]);
    expect(selected('approval')).toEqual([false, false, true]);
    expect(selected('open')).toEqual([false, false, true]);
    expect(selected('control')).toEqual([true, false, false]);
    expect(toWhoMay(plain)).toBe('read');
    expect(toWhoMay(gated)).toBe('no scope needed');
  });
});
