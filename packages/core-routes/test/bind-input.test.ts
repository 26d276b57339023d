import { createRouteTable, from, type RawSchema, Type } from '@waymark/contract';
import type { EngineContext, RouteResponse } from '@waymark/contract/engine';
import { verifies } from '@waymark/contract/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDispatcher } from '../src/index.ts';
import { createInputBinder } from '../src/input/bind-input.ts';
import { answerOf, bytesBody, detailOf, echo, jsonBody, route, serve } from './kit.ts';

/** Status and detail, as a caller reads them. */
function refusal(response: RouteResponse): readonly [number, string] {
  return [response.status, detailOf(response)];
}

describe('binding of requests', () => {
  it('takes parameters of the template from the path and coerces them', async () => {
    verifies('face.source.path', 'http.coerce.path-and-query', 'face.signature.path-strings');
    const { request } = serve([echo('GET', '/tickets/{id}/{name}', { input: { id: Type.Integer() } })]);
    expect(answerOf(await request('GET', '/tickets/5/7'))).toEqual({ id: 5, name: '7' });
    expect(refusal(await request('GET', '/tickets/007/7'))).toEqual([422, '/id must be integer']);
  });

  it.each(['GET', 'DELETE', 'HEAD'] as const)('takes the others from the query for %s', async (method) => {
    verifies('face.source.query');
    const routed = echo(method === 'HEAD' ? 'GET' : method, '/tickets', { input: { open: Type.Boolean() } });
    expect(answerOf(await serve([routed]).request(method, '/tickets', { query: 'open=true' }))).toEqual({
      open: true,
    });
  });

  it.each(['POST', 'PUT', 'PATCH'] as const)('takes the others from the JSON body for %s', async (method) => {
    verifies('face.source.body');
    const { request } = serve([
      echo(method, '/tickets/{id}', { input: { id: Type.Integer(), title: Type.String() } }),
    ]);
    const answer = await request(method, '/tickets/5', { body: jsonBody({ title: 'Lamp' }) });
    expect(answerOf(answer)).toEqual({ id: 5, title: 'Lamp' });
  });

  it('takes one parameter from elsewhere', async () => {
    verifies('face.source.from');
    const { request } = serve([
      echo('POST', '/tickets', { input: { notify: from('query', Type.Boolean()), title: Type.String() } }),
    ]);
    const answer = await request('POST', '/tickets', {
      query: 'notify=true',
      body: jsonBody({ title: 'Lamp' }),
    });
    expect(answerOf(answer)).toEqual({ notify: true, title: 'Lamp' });
  });

  it('takes the whole body for one parameter, an object or not', async () => {
    verifies('face.source.content');
    const { request } = serve([
      echo('POST', '/x', { input: { lines: from('content', Type.Array(Type.Integer())) } }),
    ]);
    expect(answerOf(await request('POST', '/x', { body: jsonBody([1, 2]) }))).toEqual({ lines: [1, 2] });
    expect(refusal(await request('POST', '/x', { body: jsonBody([1, 'x']) }))).toEqual([
      422,
      '/lines/1 must be integer',
    ]);
    expect(refusal(await request('POST', '/x'))).toEqual([422, '/lines is required']);
    const any = serve([echo('POST', '/x', { input: { value: from('content', Type.Unknown()) } })]);
    expect(answerOf(await any.request('POST', '/x', { body: jsonBody(null) }))).toEqual({ value: null });
  });

  it('takes a raw schema as it is', async () => {
    verifies('face.signature.raw-schema');
    const input = {
      type: 'object',
      properties: {
        id: { type: 'integer' },
        any: true,
        never: false,
        note: { type: 'string', default: 'none' },
      },
      required: ['id'],
      additionalProperties: { type: 'integer' },
    } as const;
    const { request, tool } = serve([echo('POST', '/x/{id}', { input })]);
    expect(answerOf(await request('POST', '/x/5', { body: jsonBody({ any: [], more: 1 }) }))).toEqual({
      id: 5,
      any: [],
      more: 1,
      note: 'none',
    });
    expect(refusal(await tool({ id: 5, never: 1 }))).toEqual([422, '/never is not allowed']);
    expect(refusal(await tool({ id: 5, more: 'x' }))).toEqual([422, '/more must be integer']);
  });

  it('never coerces a JSON body', async () => {
    verifies('http.coerce.body-strict');
    const { request } = serve([
      echo('POST', '/x', { input: { count: Type.Integer(), on: Type.Boolean({ default: false }) } }),
    ]);
    expect(refusal(await request('POST', '/x', { body: jsonBody({ count: '5' }) }))).toEqual([
      422,
      '/count must be integer',
    ]);
    expect(refusal(await request('POST', '/x', { body: jsonBody({ count: 5, on: 'true' }) }))).toEqual([
      422,
      '/on must be boolean',
    ]);
  });

  it('refuses body members that it does not know', async () => {
    verifies('http.unknown.body');
    const { request } = serve([echo('POST', '/x', { input: { title: Type.String() } })]);
    expect(refusal(await request('POST', '/x', { body: jsonBody({ title: 'a', tilte: 'b' }) }))).toEqual([
      422,
      '/tilte is not known (did you mean "title"?)',
    ]);
  });

  it.each(['id', 'notify'])('refuses body members that travel elsewhere: %s', async (name) => {
    verifies('http.unknown.body');
    const input = {
      id: Type.Integer(),
      notify: from('query', Type.Boolean({ default: false })),
      title: Type.String(),
    };
    for (const strict of [true, false]) {
      const { request } = serve([echo('POST', '/x/{id}', { input, strict })]);
      const answer = await request('POST', '/x/5', { body: jsonBody({ title: 'a', [name]: 9 }) });
      expect(refusal(answer)).toEqual([422, `/${name} is not known`]);
    }
  });

  it('refuses a body that is no object where members are declared', async () => {
    const { request } = serve([echo('POST', '/x', { input: { title: Type.String() } })]);
    for (const value of [[], null, 'text', 5])
      expect(refusal(await request('POST', '/x', { body: jsonBody(value) }))).toEqual([
        422,
        'the body must be an object',
      ]);
  });

  it('takes an empty body for an empty object', async () => {
    const { request } = serve([echo('POST', '/x', { input: { title: Type.String({ default: 'none' }) } })]);
    expect(answerOf(await request('POST', '/x'))).toEqual({ title: 'none' });
    expect(answerOf(await request('POST', '/x', { body: bytesBody('', 'application/json') }))).toEqual({
      title: 'none',
    });
  });

  it('refuses a scalar given twice, and takes a list', async () => {
    verifies('http.status.400.twice');
    const { request } = serve([
      echo('GET', '/x', { input: { one: Type.Optional(Type.String()), many: Type.Array(Type.Integer()) } }),
    ]);
    const twice = await request('GET', '/x', { query: 'one=a&many=1&one=a' });
    expect(refusal(twice)).toEqual([400, 'query parameter "one" is given twice']);
    expect(answerOf(await request('GET', '/x', { query: 'many=1&one=a&many=2' }))).toEqual({
      one: 'a',
      many: [1, 2],
    });
    expect(answerOf(await request('GET', '/x', { query: 'many=1' }))).toEqual({ many: [1] });
    expect(refusal(await request('GET', '/x', { query: 'many=1&many=x' }))).toEqual([
      422,
      '/many/1 must be integer',
    ]);
  });

  it('reads values by schemas behind references and parts', async () => {
    verifies('http.coerce.path-and-query');
    const $defs = {
      Id: { type: 'integer' },
      Alias: { $ref: '#/$defs/Id' },
      Ids: { type: ['array', 'null'], items: { $ref: '#/$defs/Alias' } },
    };
    const input: RawSchema = {
      type: 'object',
      properties: {
        id: { $ref: '#/$defs/Alias' },
        ids: { $ref: '#/$defs/Ids' },
        both: { allOf: [{ type: 'number' }, { $ref: '#/$defs/Id' }] },
      },
      required: ['id'],
      $defs,
    };
    const own = {
      id: { $ref: '#/$defs/Alias', $defs },
      ids: { $ref: '#/$defs/Ids', $defs },
      both: { allOf: [{ $ref: '#/$defs/Id' }], $defs },
    };
    for (const one of [input, own]) {
      const { request } = serve([echo('GET', '/t/{id}', { input: one as RawSchema })]);
      const answer = await request('GET', '/t/5', { query: 'ids=1&both=7&ids=2' });
      expect(answerOf(answer)).toEqual({ id: 5, ids: [1, 2], both: 7 });
    }
    const { request } = serve([echo('GET', '/t/{id}', { input })]);
    expect(answerOf(await request('GET', '/t/5', { query: 'ids=1' }))).toEqual({ id: 5, ids: [1] });
    expect(refusal(await request('GET', '/t/x'))).toEqual([422, '/id must be integer']);
    expect(refusal(await request('GET', '/t/5', { query: 'both=1&both=2' }))[0]).toBe(400);
  });

  it('takes a text given once for a single value where it can be one, else for a list', async () => {
    const oneOrMany = Type.Union([Type.Integer(), Type.Array(Type.String())]);
    const { request } = serve([
      echo('GET', '/x/{p}', { input: { p: oneOrMany, q: Type.Optional(oneOrMany) } }),
    ]);
    const bound = async (query: string): Promise<unknown> =>
      answerOf(await request('GET', '/x/1', { query }));
    expect(await bound('q=5')).toEqual({ p: 1, q: 5 });
    expect(await bound('q=a')).toEqual({ p: 1, q: ['a'] });
    expect(await bound('q=5&q=6&q=7')).toEqual({ p: 1, q: ['5', '6', '7'] });
    expect(await bound('q=a&q=6')).toEqual({ p: 1, q: ['a', '6'] });
  });

  it('takes five thousand values of a list in the time of a request', async () => {
    const { request } = serve([
      route('GET', '/x', { input: { n: Type.Array(Type.Integer()) } }, ({ input, request: { query } }) => [
        (input['n'] as readonly number[]).length,
        query['n']?.length,
      ]),
    ]);
    const time = async (values: number): Promise<number> => {
      const query = Array.from({ length: values }, (_, i) => `n=${i}`).join('&');
      const before = process.cpuUsage();
      expect(answerOf(await request('GET', '/x', { query }))).toEqual([values, values]);
      return process.cpuUsage(before).user / 1_000;
    };
    await time(5_000);
    // Copying the list for each value took 2 s for forty thousand.
    expect(await time(40_000)).toBeLessThan(500);
  });

  it('ignores query names that it does not know', async () => {
    verifies('http.unknown.query');
    const routed = route(
      'GET',
      '/x',
      { input: { a: Type.Optional(Type.String()) } },
      ({ input, request }) => [input, request.query],
    );
    const answer = await serve([routed]).request('GET', '/x', { query: 'a=1&utm=2' });
    expect(answerOf(answer)).toEqual([{ a: '1' }, { a: '1', utm: '2' }]);
  });

  it('refuses a query that is no percent-encoding, whoever wants what of it', async () => {
    verifies('http.status.400');
    const { request } = serve([
      echo('GET', '/x', { input: { a: Type.Optional(Type.String()) } }),
      echo('GET', '/none', {}),
      echo('GET', '/strict', { strictQuery: true }),
    ]);
    for (const path of ['/x', '/none', '/strict'])
      for (const query of ['a=%zz', '%zz', 'b=1&c=%'])
        expect(refusal(await request('GET', path, { query }))).toEqual([
          400,
          'the query is not valid percent-encoding',
        ]);
  });

  it('tells of no more unknown names than of other faults', async () => {
    const { request } = serve([echo('GET', '/none', { strictQuery: true })]);
    const query = (names: number): string => Array.from({ length: names }, (_, i) => `n${i}=1`).join('&');
    for (const [names, told] of [
      [1, 1],
      [7, 7],
      [8, 8],
      [9, 8],
      [3_000, 8],
    ] as const)
      expect(
        detailOf(await request('GET', '/none', { query: query(names) })).match(/is not known/g),
      ).toHaveLength(told);
  });

  it.each([
    ['the route', { strictQuery: true }, {}, 422],
    ['the application', {}, { strictQuery: true }, 422],
    ['the route against the application', { strictQuery: false }, { strictQuery: true }, 200],
    ['nobody', {}, {}, 200],
  ])('refuses them where %s is strict', async (_, routeOptions, options, status) => {
    verifies('http.unknown.strict-query');
    const { request } = serve(
      [
        echo('GET', '/x', { ...routeOptions, input: { status: Type.Optional(Type.String()) } }),
        echo('GET', '/none', routeOptions),
      ],
      options,
    );
    const answer = await request('GET', '/x', { query: 'statsu=open' });
    expect(answer.status).toBe(status);
    if (status === 422) expect(detailOf(answer)).toBe('/statsu is not known (did you mean "status"?)');
    expect((await request('GET', '/none', { query: 'a=1' })).status).toBe(status);
  });

  it('takes any member where the route is not strict', async () => {
    const { request, tool } = serve([echo('POST', '/x', { strict: false, input: { title: Type.String() } })]);
    expect(answerOf(await request('POST', '/x', { body: jsonBody({ title: 'a', more: 1 }) }))).toEqual({
      title: 'a',
      more: 1,
    });
    expect(answerOf(await tool({ title: 'a', more: 1 }))).toEqual({ title: 'a', more: 1 });
  });

  it.each(['constructor', 'toString', 'hasOwnProperty', 'valueOf'])(
    'takes parameters that objects inherit: %s',
    async (name) => {
      const one = serve([echo('GET', '/x', { input: { [name]: Type.Optional(Type.String()) } })]);
      expect(answerOf(await one.request('GET', '/x', { query: `${name}=a` }))).toEqual({ [name]: 'a' });
      const many = serve([echo('GET', '/x', { input: { [name]: Type.Array(Type.String()) } })]);
      expect(answerOf(await many.request('GET', '/x', { query: `${name}=a&${name}=b` }))).toEqual({
        [name]: ['a', 'b'],
      });
      const defaulted = serve([echo('GET', '/x', { input: { [name]: Type.String({ default: 'd' }) } })]);
      expect(answerOf(await defaulted.request('GET', '/x'))).toEqual({ [name]: 'd' });
      const required = serve([echo('GET', '/x', { input: { [name]: Type.String() } })]);
      expect((await required.request('GET', '/x')).status).toBe(422);
    },
  );

  it.each(['constructor', 'toString', 'hasOwnProperty', 'valueOf'])(
    'does not take for sent what objects inherit: %s',
    async (name) => {
      const optional = { [name]: Type.Optional(Type.String()) };
      const query = serve([echo('GET', '/x', { input: optional })]);
      expect(answerOf(await query.request('GET', '/x'))).toEqual({});
      const body = serve([echo('POST', '/x', { input: { ...optional, inner: Type.Object(optional) } })]);
      expect(answerOf(await body.request('POST', '/x', { body: jsonBody({ inner: {} }) }))).toEqual({
        inner: {},
      });
      expect((await body.request('POST', '/x', { body: jsonBody({ inner: { [name]: 1 } }) })).status).toBe(
        422,
      );
      const required = serve([echo('POST', '/x', { input: { [name]: Type.Unknown() } })]);
      expect(await required.request('POST', '/x', { body: jsonBody({}) })).toMatchObject({
        body: { detail: `/${name} is required` },
      });
    },
  );

  it('leaves out what every object has where it is left out', async () => {
    const schema = Type.Optional(Type.String());
    const input = { constructor: schema, toString: schema, year: Type.Optional(Type.Integer()) };
    const handler = ({ input: given }: EngineContext) => ({
      read: [typeof given['constructor'], typeof given['toString'], typeof given['year']],
      sent: Object.keys(given),
    });
    const { request, tool } = serve([route('GET', '/x', { input }, handler)]);
    const none = { read: ['undefined', 'undefined', 'undefined'], sent: [] };
    expect(answerOf(await request('GET', '/x'))).toEqual(none);
    expect(answerOf(await tool({}))).toEqual(none);
    const some = { read: ['string', 'undefined', 'number'], sent: ['constructor', 'year'] };
    expect(answerOf(await request('GET', '/x', { query: 'constructor=a&year=1' }))).toEqual(some);
    expect(answerOf(await tool({ constructor: 'a', year: 1 }))).toEqual(some);
  });

  it.each(['ab', 'a\nb', 'a\u2028b'])('holds every name of a record to its schema: %j', async (name) => {
    const counts = Type.Record(Type.String(), Type.Integer());
    const whole: RawSchema = { type: 'object', properties: { counts } };
    for (const input of [{ counts: Type.Optional(counts) }, whole]) {
      const { request, tool } = serve([echo('POST', '/x', { input })]);
      const wrong = { counts: { [name]: { deep: ['x'] } } };
      expect((await request('POST', '/x', { body: jsonBody(wrong) })).status).toBe(422);
      expect((await tool(wrong)).status).toBe(422);
      expect((await tool({ counts: { [name]: 1 } })).status).toBe(200);
    }
  });

  it('lets no query name reach a prototype', async () => {
    const { request } = serve([route('GET', '/x', {}, ({ request: { query } }) => ({ ...query }))]);
    await request('GET', '/x', {
      query: '__proto__=a&__proto__.polluted=b&constructor=c&constructor[prototype][polluted]=d',
    });
    expect({}).not.toHaveProperty('polluted');
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});

describe('binding of arguments', () => {
  it('takes arguments by name, wherever they would travel', async () => {
    const input = { id: Type.Integer(), notify: from('query', Type.Boolean()), title: Type.String() };
    const { tool } = serve([echo('POST', '/x/{id}', { input })]);
    const values = { id: 5, notify: true, title: 'a' };
    expect(answerOf(await tool(values))).toEqual(values);
  });

  it('never coerces them', async () => {
    verifies('http.coerce.arguments-strict');
    const { tool } = serve([
      echo('GET', '/x/{id}', { input: { id: Type.Integer(), on: Type.Optional(Type.Boolean()) } }),
    ]);
    expect(refusal(await tool({ id: '5' }))).toEqual([422, '/id must be integer']);
    expect(refusal(await tool({ id: 5, on: 'true' }))).toEqual([422, '/on must be boolean']);
    expect(refusal(await tool({ id: 5.5 }))).toEqual([422, '/id must be integer']);
  });

  it('refuses names that it does not know, with and without parameters', async () => {
    verifies('http.unknown.arguments');
    const { tool } = serve([echo('GET', '/x', { input: { limit: Type.Optional(Type.Integer()) } })]);
    expect(refusal(await tool({ limt: 5 }))).toEqual([422, '/limt is not known (did you mean "limit"?)']);
    expect(refusal(await serve([echo('GET', '/x')]).tool({ limt: 5 }))).toEqual([422, '/limt is not known']);
    expect((await serve([echo('GET', '/x')]).tool({})).status).toBe(200);
  });

  it('says the first eight of many names it does not know, and says it soon', async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 30 }, (_, i) => [`description_${i}`, Type.Optional(Type.String())]),
    );
    const { tool } = serve([echo('POST', '/x', { input: properties })]);
    const many = Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`descriptio_${i}`, 1]));
    const startedMs = performance.now();
    const answer = await tool(many);
    expect(performance.now() - startedMs).toBeLessThan(1_500);
    expect(detailOf(answer).split('; ')).toHaveLength(8);
    expect(detailOf(answer)).toMatch(/^\/descriptio_0 is not known \(did you mean "description_0"\?\); /);
  });

  it('never changes what it is given', async () => {
    const line = Type.Object({
      n: Type.Integer({ default: 1 }),
      tags: Type.Array(Type.String(), { default: [] }),
    });
    const { tool } = serve([
      route(
        'POST',
        '/x',
        {
          input: {
            lines: Type.Array(line, { default: [] }),
            meta: Type.Object({ a: Type.Integer({ default: 2 }) }, { default: {} }),
          },
        },
        ({ input }) => {
          (input['lines'] as unknown[]).push('changed by the handler');
          return null;
        },
      ),
    ]);
    const part = fc.record({ n: fc.integer(), tags: fc.array(fc.string()) }, { requiredKeys: [] });
    const values = fc.record(
      { lines: fc.array(part), meta: fc.record({ a: fc.integer() }, { requiredKeys: [] }) },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(values, async (given) => {
        const before = structuredClone(given);
        expect((await tool(given)).status).toBe(200);
        expect(given).toEqual(before);
      }),
    );
  });

  it('takes frozen arguments', async () => {
    const { tool } = serve([
      echo('POST', '/x', { input: { a: Type.Object({ b: Type.Integer({ default: 1 }) }, { default: {} }) } }),
    ]);
    expect(answerOf(await tool(Object.freeze({ a: Object.freeze({}) })))).toEqual({ a: { b: 1 } });
  });

  it('reads a getter once', async () => {
    let reads = 0;
    const { tool } = serve([
      echo('GET', '/x', { input: { a: Type.Integer(), b: Type.Integer({ default: 1 }) } }),
    ]);
    const values = {
      get a() {
        reads++;
        return 5;
      },
    };
    expect(answerOf(await tool(values))).toEqual({ a: 5, b: 1 });
    expect(reads).toBe(1);
  });
});

describe('defaults', () => {
  it('are filled in at the top, inside objects and inside lists', async () => {
    const { tool, request } = serve([
      echo('POST', '/x', {
        input: {
          style: Type.String({ default: 'short' }),
          paging: Type.Object({ limit: Type.Integer({ default: 50 }) }, { default: {} }),
          lines: Type.Array(Type.Object({ count: Type.Integer({ default: 1 }) })),
        },
      }),
    ]);
    const filled = { style: 'short', paging: { limit: 50 }, lines: [{ count: 1 }, { count: 2 }] };
    expect(answerOf(await tool({ lines: [{}, { count: 2 }] }))).toEqual(filled);
    expect(answerOf(await tool({ lines: [{}, { count: 2 }], style: undefined, paging: {} }))).toEqual(filled);
    expect(answerOf(await request('POST', '/x', { body: jsonBody({ lines: [{}, { count: 2 }] }) }))).toEqual(
      filled,
    );
  });

  it('are filled in for queries', async () => {
    const { request } = serve([
      echo('GET', '/x', {
        input: { limit: Type.Integer({ default: 50 }), tag: Type.Array(Type.String(), { default: [] }) },
      }),
    ]);
    expect(answerOf(await request('GET', '/x'))).toEqual({ limit: 50, tag: [] });
  });

  it('are values like any other: null and false stay', async () => {
    const { tool } = serve([
      echo('GET', '/x', {
        input: {
          a: Type.Union([Type.Null(), Type.Integer()], { default: 5 }),
          b: Type.Boolean({ default: true }),
        },
      }),
    ]);
    expect(answerOf(await tool({ a: null, b: false }))).toEqual({ a: null, b: false });
  });

  it('are never shared between calls', async () => {
    const { tool } = serve([
      route('GET', '/x', { input: { list: Type.Array(Type.Integer(), { default: [] }) } }, ({ input }) => {
        const list = input['list'] as number[];
        list.push(1);
        return list.length;
      }),
    ]);
    expect(answerOf(await tool({}))).toBe(1);
    expect(answerOf(await tool({}))).toBe(1);
  });

  it('inside a choice are left alone', async () => {
    const choice = Type.Union([Type.Object({ n: Type.Optional(Type.Integer({ default: 1 })) }), Type.Null()]);
    expect(answerOf(await serve([echo('POST', '/x', { input: { choice } })]).tool({ choice: {} }))).toEqual({
      choice: {},
    });
  });
});

describe('error texts', () => {
  const texts = async (schema: object, value: unknown): Promise<string> => {
    const answer = await serve([echo('POST', '/x', { input: { value: schema } })]).tool({ value });
    return detailOf(answer);
  };

  it('say path and message, one for each fault', async () => {
    verifies('http.status.422', 'http.problem.errors', 'http.problem.errors-joined');
    const { tool } = serve([
      echo('POST', '/x', { input: { age: Type.Integer(), born: Type.String(), clear: Type.Boolean() } }),
    ]);
    const answer = await tool({ age: 'x', clear: 1, unheard: 2 });
    expect(answer.status).toBe(422);
    expect(answer.body).toEqual({
      kind: 'problem',
      detail: '/born is required; /unheard is not known; /age must be integer; /clear must be boolean',
      errors: [
        { path: '/born', message: 'is required' },
        { path: '/unheard', message: 'is not known' },
        { path: '/age', message: 'must be integer' },
        { path: '/clear', message: 'must be boolean' },
      ],
    });
  });

  it.each([
    ['an integer', Type.Integer(), (n: string) => n],
    ['one from a number on', Type.Integer({ minimum: 0 }), (n: string) => n],
    ['one in a list', Type.Array(Type.Integer()), (n: string) => `[${n}]`],
    ['one or null', Type.Unsafe({ type: ['integer', 'null'] }), (n: string) => n],
    ['one of a choice', Type.Union([Type.Integer(), Type.Null()]), (n: string) => n],
    ['one called const', Type.Object({ const: Type.Integer() }), (n: string) => `{"const":${n}}`],
  ])('refuse integers that JSON reads as others: %s', async (_, schema, write) => {
    const { request, tool } = serve([echo('POST', '/x', { input: { n: schema } })]);
    const send = (text: string) =>
      request('POST', '/x', { body: bytesBody(`{"n":${write(text)}}`, 'application/json') });
    expect(detailOf(await send('9007199254740993'))).toContain('must be a number that JavaScript keeps');
    for (const text of ['9007199254740992', '1e300', '1e16'])
      expect(detailOf(await send(text)), text).toContain(
        'must be an integer between -(2^53 - 1) and 2^53 - 1',
      );
    const { n } = JSON.parse(`{"n":${write('9007199254740993')}}`) as { n: unknown };
    expect((await tool({ n })).status).toBe(422);
    expect((await send('9007199254740991')).status).toBe(200);
  });

  it.each([
    ['an integer', Type.Integer(), ''],
    ['a number', Type.Number(), ''],
    ['a list', Type.Array(Type.Number()), '/0'],
    ['a number or a list', Type.Union([Type.Integer(), Type.Array(Type.Integer())]), ''],
  ])('refuse in path and query what JavaScript does not keep: %s', async (_, schema, below) => {
    verifies('http.coerce.numbers', 'http.coerce.safe-integers');
    const isList = below !== '';
    const { request } = serve([
      echo('GET', '/x', { input: { n: schema } }),
      ...(isList ? [] : [echo('GET', '/x/{n}', { input: { n: schema } })]),
    ]);
    const refused = `/n${below} must be a number that JavaScript keeps, such as whole ones up to 2^53 (a string keeps more)`;
    for (const text of ['9007199254740993', '-9007199254740993', '9'.repeat(400)]) {
      expect(refusal(await request('GET', '/x', { query: `n=${text}` }))).toEqual([422, refused]);
      if (!isList) expect(refusal(await request('GET', `/x/${text}`))).toEqual([422, refused]);
    }
    if (isList)
      expect(refusal(await request('GET', '/x', { query: 'n=1&n=9007199254740993' }))).toEqual([
        422,
        refused.replace('/0', '/1'),
      ]);
    for (const [text, n] of [
      ['9007199254740991', 9_007_199_254_740_991],
      ['-1', -1],
    ] as const)
      expect(answerOf(await request('GET', '/x', { query: `n=${text}` }))).toEqual({ n: isList ? [n] : n });
  });

  it('leave integers to whoever takes any number, and constants as they are', async () => {
    const input = { n: Type.Number(), c: Type.Optional(Type.Unsafe({ const: { type: 'integer' } })) };
    const { tool } = serve([echo('POST', '/x', { input })]);
    const values = { n: 1e300, c: { type: 'integer' } };
    expect(answerOf(await tool(values))).toEqual(values);
  });

  it.each([
    ['declared parameters', { age: Type.Optional(Type.Integer()) }],
    ['none', {}],
  ])('hold little of what a caller made up, beside %s', async (_, input) => {
    const { request, tool } = serve([echo('POST', '/x', { input })]);
    const long = 'n'.repeat(1_000_000);
    const many = Object.fromEntries(Array.from({ length: 90_000 }, (_, i) => [`k${i}`, 1]));
    const answers = [await tool({ [long]: 1 }), await tool(many)];
    if (Object.keys(input).length > 0)
      answers.push(await request('POST', '/x', { body: jsonBody({ [long.slice(0, 500_000)]: 1 }) }));
    for (const { status, body } of answers) {
      const { errors, detail } = body as { errors: readonly { path: string }[]; detail: string };
      expect(status).toBe(422);
      expect(errors.length).toBeLessThanOrEqual(8);
      for (const { path } of errors) expect(path.length).toBeLessThanOrEqual(256);
      expect(detail.length).toBeLessThan(5_000);
    }
  });

  it('cost little, however many names nobody knows', () => {
    // A default is filled into a copy of them all.
    const binder = createInputBinder(
      echo('POST', '/x', { input: { a: Type.String({ default: 'x' }) } }),
      false,
    );
    const spent = (ask: (values: Record<string, number>) => unknown): number => {
      const values = Object.fromEntries(Array.from({ length: 90_000 }, (_, i) => [`k${i}`, 1]));
      const before = process.cpuUsage().user;
      for (let i = 0; i < 10; i++) ask(values);
      return process.cpuUsage().user - before;
    };
    const refuse = (values: Record<string, number>): void =>
      expect(() => binder.fromArguments({ by: 'arguments', values }, { given: {}, input: {} })).toThrow(
        /^\/k0 is not known; \/k1 is not known;/,
      );
    // Copied, checked and explained they took six times what it takes to count them.
    expect(spent(refuse)).toBeLessThan(3 * spent(Object.keys));
  });

  it('point into lists and objects', async () => {
    const schema = Type.Array(Type.Object({ count: Type.Integer() }, { additionalProperties: false }));
    expect(await texts(schema, [{ count: 1 }, { count: 'x' }])).toBe('/value/1/count must be integer');
    expect(await texts(schema, [{}])).toBe('/value/0/count is required');
    expect(await texts(schema, [{ count: 1, cuont: 2 }])).toBe('/value/0/cuont is not known');
  });

  it('escape names as JSON pointers do', async () => {
    const schema = Type.Object(
      { 'a/b~c': Type.Integer(), '~1': Type.Integer() },
      { additionalProperties: false },
    );
    expect(await texts(schema, { 'a/b~c': 'x', '~1': 1 })).toBe('/value/a~1b~0c must be integer');
    expect(await texts(schema, { 'a/b~c': 1 })).toBe('/value/~01 is required');
    const { tool } = serve([echo('POST', '/x', { input: { 'in/out': Type.Integer() } })]);
    expect(detailOf(await tool({ 'in/ou': 1 }))).toBe(
      '/in~1out is required; /in~1ou is not known (did you mean "in/out"?)',
    );
  });

  it.each([
    ['a constant', Type.Literal('a'), 'b', '/value must be "a"'],
    ['an enumeration', { enum: ['a', 1, null] }, 'b', '/value must be one of "a", 1, null'],
    [
      'a union of words',
      Type.Union([Type.Literal('a'), Type.Literal('b')]),
      'c',
      '/value must be "a"; /value must be "b"; /value must match a schema in anyOf',
    ],
    [
      'a number or a word',
      Type.Union([Type.Integer(), Type.Literal('all')]),
      'x',
      '/value must be integer; /value must be "all"; /value must match a schema in anyOf',
    ],
    ['limits', Type.Integer({ minimum: 3 }), 1, '/value must be >= 3'],
    ['a text that is empty', Type.String({ minLength: 1 }), '', '/value must not be empty'],
    ['lengths', Type.String({ minLength: 3 }), 'a', '/value must not have fewer than 3 characters'],
    ['a list of types', { type: ['integer', 'null'] }, 'x', '/value must be either integer or null'],
    ['a schema that nothing fits', false, 1, '/value is not allowed'],
  ])('say what would do: %s', async (_, schema, value, text) => {
    const answer = await serve([
      echo('POST', '/x', { input: { type: 'object', properties: { value: schema } } }),
    ]).tool({ value });
    expect(detailOf(answer)).toBe(text);
  });

  it('do not list long enumerations', async () => {
    const list = Array.from({ length: 21 }, (_, i) => i);
    expect(await texts({ enum: list.slice(0, 20) }, 'x')).toContain('must be one of 0, 1, 2');
    expect(await texts({ enum: list }, 'x')).toBe('/value must be equal to one of the allowed values');
  });

  it('are never empty', async () => {
    const schemas = [
      false,
      { not: {} },
      { allOf: [false] },
      { type: 'object', unevaluatedProperties: false },
      { propertyNames: false },
      { dependentRequired: { a: ['b'] } },
    ];
    for (const schema of schemas) {
      const input = { type: 'object', properties: { value: schema } } as const;
      const answer = await serve([echo('POST', '/x', { input })]).tool({ value: { a: 1 } });
      expect(detailOf(answer), JSON.stringify(schema)).not.toBe('');
    }
  });
});

describe('createInputBinder', () => {
  it('refuses a schema that does not compile, all of them at once', () => {
    const broken = echo('GET', '/a', { input: { a: Type.String({ pattern: '(' }) } });
    const alsoBroken = echo('GET', '/b', { input: { b: Type.String({ pattern: '[' }) } });
    expect(() => createInputBinder(broken, false)).toThrow();
    expect(() => createDispatcher(serveTable([broken, alsoBroken]))).toThrow(
      /^2 declaration problems\n.*GET \/a.*\n.*GET \/b/,
    );
  });
});

function serveTable(routes: Parameters<typeof serve>[0]): Parameters<typeof createDispatcher>[0] {
  return createRouteTable(routes).freeze();
}
