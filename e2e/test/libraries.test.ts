import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { toClient } from '@waymark/client-gen';
import { from } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import type { OpenApiDocument } from '@waymark/openapi';
import { type Application, createApplication, reply, Type } from '@waymark/server';
import { type } from 'arktype';
import { Schema } from 'effect';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { checkDocument } from '../openapi-checks.ts';
import { withCompiledClient } from './compiled-client.ts';

const key = 'a-key-of-more-than-sixteen-bytes';
const headers = { 'x-api-key': key, 'content-type': 'application/json' };

const effect = <
  S extends Schema.Top & { readonly DecodingServices: never; readonly EncodingServices: never },
>(
  schema: S,
) => Schema.toStandardJSONSchemaV1(Schema.toStandardSchemaV1(Schema.toCodecJson(schema)));

/** One order, as four libraries say it; none of them takes nothing, or 0 pieces. */
const orders = {
  zod: z.object({ title: z.string().min(1), count: z.int().min(1), note: z.string().optional() }),
  valibot: toStandardJsonSchema(
    v.object({
      title: v.pipe(v.string(), v.minLength(1)),
      count: v.pipe(v.number(), v.integer(), v.minValue(1)),
      note: v.optional(v.string()),
    }),
  ),
  arktype: type({ title: 'string >= 1', count: 'number.integer >= 1', 'note?': 'string' }),
  effect: effect(
    Schema.Struct({
      title: Schema.String.check(Schema.isMinLength(1)),
      count: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)),
      note: Schema.optionalKey(Schema.String),
    }),
  ),
};
type Library = keyof typeof orders;
const libraries = Object.keys(orders) as readonly Library[];

/** A record of zod's for those that are used as a whole. */
const stocks = z.object({
  id: z.int(),
  size: z.enum(['s', 'm']).default('m'),
  tags: z.array(z.string()).optional(),
});

function declare(app: Application): Application {
  for (const library of libraries) {
    app.post(
      `/${library}`,
      {
        tool: true,
        toolName: library,
        summary: 'Takes an order.',
        input: { order: orders[library] },
        output: orders[library],
      },
      ({ order }) => order,
    );
  }
  return app
    .get(
      '/stock/{id}',
      { tool: true, toolName: 'stock', summary: 'Says what is there.', input: stocks },
      ({ id, size, tags }) => ({ id: id + 0, size, tags: tags ?? null }),
    )
    .get(
      '/read/{at}',
      {
        input: {
          at: z.iso.date().transform((text) => new Date(text)),
          page: z.coerce.number().default(1),
          deep: z.boolean().optional(),
        },
      },
      ({ at, page, deep }) => ({ year: at.getUTCFullYear(), page, deep: deep ?? null }),
    )
    .post(
      '/rows',
      { input: { rows: from('content', z.array(orders.zod).max(3)), dry: from('query', type('boolean')) } },
      ({ rows, dry }) => ({ rows: rows.length, dry }),
    )
    .post(
      '/pair',
      {
        tool: true,
        toolName: 'pair',
        summary: 'Takes two.',
        input: {
          low: z.number(),
          range: z.object({ a: z.number(), b: z.number() }).refine(({ a, b }) => a < b, 'must rise'),
          later: z
            .string()
            .refine(async (text) => (await Promise.resolve(text)) !== 'no', 'was refused later'),
        },
        output: { 201: z.object({ low: z.number() }) },
      },
      ({ low }) => reply(201, { low }),
    )
    .post(
      '/bad',
      {
        input: {
          n: z.string().transform((): string => {
            throw new Error('secret');
          }),
        },
      },
      () => 1,
    );
}

interface Told {
  readonly path: string;
  readonly message: string;
}

/** What these tests read of an answer over HTTP. */
interface Answer {
  readonly status: number;
  readonly body: {
    readonly detail: string;
    readonly errors: readonly [Told, ...Told[]];
    readonly paths: Readonly<Record<string, Operations>>;
  };
}

interface Operations {
  readonly post: {
    readonly requestBody: { readonly content: Readonly<Record<string, { readonly schema: ObjectSchema }>> };
  };
}

interface ObjectSchema {
  readonly properties: Readonly<Record<string, object>>;
}

/** What these tests read of an answer over MCP. */
interface Called {
  readonly isError: boolean;
  readonly content: readonly [{ readonly text: string }];
  readonly tools: readonly {
    readonly name: string;
    readonly inputSchema: object;
    readonly outputSchema: object;
  }[];
}

describe('schemas of libraries, over a started server', () => {
  let url: string;
  let app: Application;
  let close: () => Promise<void>;

  beforeAll(async () => {
    app = declare(
      createApplication('shop', { port: 0, env: { KEY: key, LOG_LEVEL: 'silent' } }).apiKey('KEY', 'me', {
        scopes: ['svc:admin'],
      }),
    );
    const running = await app.listen();
    ({ url } = running);
    close = () => running.close();
  });
  afterAll(() => close());

  const send = async (path: string, body?: unknown): Promise<Answer> => {
    const response = await fetch(url + path, {
      headers,
      ...(body !== undefined && {
        method: 'POST',
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    });
    return { status: response.status, body: (await response.json()) as Answer['body'] };
  };
  const rpc = async (method: string, params: object): Promise<Called> => {
    const response = await fetch(`${url}/_svc/mcp`, {
      method: 'POST',
      headers: {
        ...headers,
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const text = await response.text();
    const line = text.startsWith('{') ? text : (/^data: (\{.*"id":1.*)$/m.exec(text)?.[1] ?? '');
    return (JSON.parse(line) as { readonly result: Called }).result;
  };

  it.each(libraries)('%s is what holds, over HTTP and over MCP', async (library) => {
    verifies('face.library.enforced');
    const order = { title: 'Ink', count: 2 };
    expect(await send(`/${library}`, { order })).toEqual({ status: 200, body: order });
    const called = await rpc('tools/call', { name: library, arguments: { order } });
    expect(called).toMatchObject({ isError: false, structuredContent: order });
    for (const wrong of [
      { a: 'str' },
      {},
      { title: 'Ink', count: 0 },
      { title: '', count: 1 },
      'Ink',
      null,
    ]) {
      const { status, body } = await send(`/${library}`, { order: wrong });
      expect([status, body.errors[0].path.startsWith('/order')]).toEqual([422, true]);
      expect(body.detail).toBe(body.errors.map((one) => `${one.path} ${one.message}`).join('; '));
      const refused = await rpc('tools/call', { name: library, arguments: { order: wrong } });
      expect(refused.isError).toBe(true);
      expect(refused.content[0].text).toContain(body.detail);
    }
    expect(await send(`/${library}`, {})).toMatchObject({
      status: 422,
      body: { detail: '/order is required' },
    });
    expect(await send(`/${library}`, { order, more: 1 })).toMatchObject({
      status: 422,
      body: { detail: '/more is not known' },
    });
    // What is refused for any schema is refused before the library sees it.
    expect((await send(`/${library}`, '{"order":{"__proto__":{}}}')).status).toBe(400);
  });

  it('describes them in a document that validators take, in tools and in a client that compiles', async () => {
    verifies('face.library.described');
    const document = (await send('/_svc/openapi.json')).body;
    await checkDocument(document as object as OpenApiDocument);
    const { tools } = await rpc('tools/list', {});
    for (const library of libraries) {
      const tool = tools.find(({ name }) => name === library);
      expect(tool?.inputSchema).toMatchObject({
        type: 'object',
        required: ['order'],
        additionalProperties: false,
        properties: {
          order: {
            type: 'object',
            required: expect.arrayContaining(['title', 'count']),
            properties: { title: { type: 'string' } },
          },
        },
      });
      expect(tool?.outputSchema).toMatchObject({
        type: 'object',
        required: expect.arrayContaining(['title', 'count']),
      });
      const body = document.paths[`/${library}`]?.post.requestBody.content['application/json'];
      expect(body?.schema.properties['order']).toMatchObject({
        required: expect.arrayContaining(['title', 'count']),
      });
    }
    const program = `import { createClient } from './client.ts';
export async function use(baseUrl: string, apiKey: string): Promise<string> {
  const client = createClient({ baseUrl, apiKey });
  const { title, count } = await client.zod({ order: { title: 'Ink', count: 1 } });
  // @ts-expect-error it has a count
  await client.valibot({ order: { title: 'Ink' } }).catch(() => undefined);
  await client.stock({ id: 1, tags: ['a'] });
  return title.toUpperCase() + count.toFixed();
}
`;
    const used = await withCompiledClient(
      toClient(app.table, { title: 'shop' }),
      program,
      (made: { use(url: string, key: string): Promise<string> }) => made.use(url, key),
    );
    expect(used).toBe('INK1');
  }, 120_000);

  it('takes the properties of a whole object as parameters', async () => {
    verifies('face.library.whole');
    expect((await send('/stock/7?tags=a&tags=b')).body).toEqual({ id: 7, size: 'm', tags: ['a', 'b'] });
    expect((await send('/stock/7?size=xl')).body.errors).toEqual([
      { path: '/size', message: expect.stringContaining('"s"') },
    ]);
    expect((await send('/stock/seven')).status).toBe(422);
    const called = await rpc('tools/call', { name: 'stock', arguments: { id: 7, sise: 's' } });
    expect(called.content[0].text).toContain('/sise is not known (did you mean "size"?)');
    expect((await rpc('tools/call', { name: 'stock', arguments: {} })).content[0].text).toContain(
      '/id is required',
    );
  });

  it('gives the handler what the library makes of path and query, coerced by the JSON Schema before', async () => {
    verifies('face.library.transforms', 'face.library.typed');
    expect((await send('/read/2026-11-20?deep=true')).body).toEqual({ year: 2026, page: 1, deep: true });
    expect((await send('/read/2026-11-20?page=3')).body).toEqual({ year: 2026, page: 3, deep: null });
    expect((await send('/read/2026-13-20')).status).toBe(422);
    expect((await send('/read/2026-11-20?page=x&deep=maybe')).body.errors).toHaveLength(2);
  });

  it('takes the whole body, and what was moved to the query', async () => {
    const order = { title: 'Ink', count: 2 };
    expect((await send('/rows?dry=true', [order, order])).body).toEqual({ rows: 2, dry: true });
    expect((await send('/rows?dry=true', [order, {}])).body.errors[0].path).toBe('/rows/1/title');
    expect((await send('/rows', [order])).body.detail).toBe('/dry is required');
  });

  it('holds what no JSON Schema can say, and waits for what has to wait', async () => {
    const good = { low: 1, range: { a: 1, b: 2 }, later: 'yes' };
    expect(await send('/pair', good)).toEqual({ status: 201, body: { low: 1 } });
    const wrong = await send('/pair', { low: 'x', range: { a: 2, b: 1 }, later: 'no', strange: 1 });
    expect(wrong.body.errors).toEqual([
      { path: '/strange', message: expect.stringContaining('is not known') },
      { path: '/low', message: expect.any(String) },
      { path: '/range', message: 'must rise' },
      { path: '/later', message: 'was refused later' },
    ]);
    const called = await rpc('tools/call', { name: 'pair', arguments: { ...good, later: 'no' } });
    expect(called.content[0].text).toContain('/later was refused later');
  });

  it('answers what a schema throws as any other fault', async () => {
    expect(await send('/bad', { n: 'x' })).toMatchObject({ status: 500, body: { detail: 'internal error' } });
  });

  it('tells a handful of issues, and cuts them', async () => {
    const { body } = await send('/zod', { order: Object.fromEntries([['title', 1]]) });
    expect(body.errors).toHaveLength(2);
    const many = await send(
      '/rows?dry=true',
      Array.from({ length: 3 }, () => ({ title: 1, count: 'x', note: 1 })),
    );
    expect(many.body.errors.length).toBeLessThanOrEqual(8);
  });
});

describe('a whole input that a library closes, or holds to a rest', () => {
  it.each([
    ['zod, strict', z.strictObject({ a: z.string() })],
    ['zod, rest', z.object({ a: z.string() }).catchall(z.number())],
    ['zod, nothing as rest', z.object({ a: z.string() }).catchall(z.never())],
    ['valibot, strict', toStandardJsonSchema(v.strictObject({ a: v.string() }))],
    ['valibot, rest', toStandardJsonSchema(v.objectWithRest({ a: v.string() }, v.number()))],
    ['valibot, nothing as rest', toStandardJsonSchema(v.objectWithRest({ a: v.string() }, v.never()))],
    ['arktype, strict', type({ '+': 'reject', a: 'string' })],
  ])('tells each fault once: %s', async (_, input) => {
    verifies('face.library.whole');
    const app = createApplication('shop', { port: 0, env: { LOG_LEVEL: 'silent' } }).post(
      '/p',
      { input },
      (given) => given,
    );
    const running = await app.listen();
    try {
      const send = async (body: object): Promise<{ errors: readonly { path: string }[] }> => {
        const response = await fetch(`${running.url}/p`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
        expect(response.status).toBe(422);
        return (await response.json()) as { errors: readonly { path: string }[] };
      };
      expect((await send({ a: 1, b: 'x' })).errors.map(({ path }) => path).sort()).toEqual(['/a', '/b']);
      expect((await send({ a: 'a', b: 'x' })).errors.map(({ path }) => path)).toEqual(['/b']);
    } finally {
      await running.close();
    }
  });
});

describe('formats that only a library knows', () => {
  it('are held to, and not in what is published', async () => {
    verifies('face.library.described');
    const input = {
      code: z.string().startsWith('ab'),
      bytes: z.base64(),
      ticket: z.jwt().optional(),
      phone: z.array(z.e164()).optional(),
      mail: z.email().optional(),
    };
    const app = createApplication('shop', { port: 0, env: { LOG_LEVEL: 'silent' } }).post(
      '/p',
      { input, tool: true, summary: 'Takes texts.' },
      ({ code }) => code,
    );
    const running = await app.listen();
    try {
      const read = async (path: string): Promise<string> => (await fetch(running.url + path)).text();
      for (const published of [await read('/_svc/openapi.json'), await read('/_svc/tools')]) {
        const schema = published.slice(published.indexOf('"code"'), published.indexOf('"mail"'));
        expect(schema).toContain('"pattern":"^ab.*"');
        expect(schema).toContain('"contentEncoding":"base64"');
        expect(schema).not.toContain('"format"');
        expect(published).toContain('"format":"email"');
      }
      const send = (body: object): Promise<Response> =>
        fetch(`${running.url}/p`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
      expect((await send({ code: 'abc', bytes: 'aGk=' })).status).toBe(200);
      const refused = await send({ code: 'b', bytes: '!', ticket: 'x.y', phone: ['1'] });
      const { errors } = (await refused.json()) as { errors: { path: string }[] };
      expect(errors.map(({ path }) => path)).toEqual(['/code', '/bytes', '/ticket', '/phone/0']);
    } finally {
      await running.close();
    }
  });
});

describe('schemas that cannot be enforced', () => {
  const problem = (schema: object): string => {
    const app = createApplication('shop', { env: {} }).post('/p', { input: { o: schema } }, () => 1);
    return app
      .check()
      .map(({ rule, fix }) => `${rule}; ${fix}`)
      .join('\n');
  };

  it.each([
    [
      'valibot without its converter',
      v.object({ a: v.string() }),
      /schema of valibot that gives no JSON Schema; write toStandardJsonSchema\(schema\), from @valibot\/to-json-schema$/,
    ],
    [
      'effect without its converters',
      Schema.Struct({ a: Schema.String }),
      /schema of effect that gives no JSON Schema; write Schema\.toStandardJSONSchemaV1\(Schema\.toStandardSchemaV1\(Schema\.toCodecJson\(schema\)\)\)/,
    ],
    [
      'effect that only describes',
      Schema.toStandardJSONSchemaV1(Schema.Struct({ a: Schema.String })),
      /schema of effect that validates nothing/,
    ],
    [
      'effect that only validates',
      Schema.toStandardSchemaV1(Schema.Struct({ a: Schema.String })),
      /schema of effect that gives no JSON Schema/,
    ],
    [
      'what JSON cannot hold',
      z.date(),
      /schema of zod that gives no JSON Schema of its input: Date cannot be represented in JSON Schema/,
    ],
    [
      'a library inside of another',
      Type.Array(z.string() as object as ReturnType<typeof Type.String>),
      /input "o" at \/items is a schema of zod inside of one that is not/,
    ],
    ['a schema of zod 3', { _def: { typeName: 'ZodString' } }, /schema of zod .*zod 4\.2 or newer/],
    ['a schema of yup', { __isYupSchema__: true, spec: {} }, /schema of yup/],
    [
      'an object of a class',
      new (class Shape {
        type = 'string';
      })(),
      /an object of the class Shape, not a schema/,
    ],
    ['a function', () => 1, /input "o" is not a schema/],
  ])('are boot problems: %s', (_, schema, rule) => {
    verifies('face.library.refused');
    expect(problem(schema)).toMatch(rule);
  });

  it.each([
    ['null', z.null()],
    ['nothing', z.never()],
    ['a literal null', z.literal(null)],
    ['null of valibot', toStandardJsonSchema(v.null())],
    ['null of arktype', type('null')],
    ['lists of null', z.array(z.null())],
    ['one of several objects', z.discriminatedUnion('k', [z.object({ k: z.literal('a') })])],
  ])('are those of a query member that no query can hold: %s', (_, o) => {
    const app = createApplication('shop', { env: {} }).get('/p', { input: { o } }, () => 1);
    expect(app.check().map(({ code }) => code)).toEqual(['parameter-not-flat']);
  });

  it('says that a whole input is an object', () => {
    const app = createApplication('shop', { env: {} }).post('/p', { input: z.array(z.string()) }, () => 1);
    expect(app.check()[0]).toMatchObject({
      rule: 'the input schema has the type "array", not "object"',
      fix: "write { body: from('content', schema) } for a body that is no object",
    });
  });

  it('refuses an output that no JSON Schema describes', () => {
    const app = createApplication('shop', { env: {} }).get(
      '/p',
      { output: z.string().transform(Number) },
      () => 1,
    );
    expect(app.check()[0]?.rule).toMatch(
      /^output 200 is a schema of zod that gives no JSON Schema of its output/,
    );
  });
});
