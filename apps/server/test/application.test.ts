import { verifies } from '@waymark/contract/testing';
import { createApplication, HTTPError, Reply, reply, Type } from '@waymark/server';
import { describe, expect, it } from 'vitest';
import { application, ask, otherSecret, rpc, secret, serve } from './serve.ts';

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

describe('createApplication', () => {
  it('takes a name and options, and does nothing until it listens', () => {
    verifies('app.constructor');
    const app = createApplication('shop', { version: '1.2.3' });
    expect(app.name).toBe('shop');
    expect(app.table.controlPrefix).toBe('/_svc');
  });

  it('offers a method for each declaration call, each of which gives the application back', () => {
    verifies('face.methods.routes');
    const app = application();
    for (const method of methods) expect(app[method](`/${method}`, () => 1)).toBe(app);
    expect(app.route('GET', '/route', {}, () => 1)).toBe(app);
    expect(app.static('GET', '/static', 1)).toBe(app);
    expect(app.apiKey('SHOP_KEY', 'shop')).toBe(app);
    expect(app.add()).toBe(app);
    expect(app.use()).toBe(app);
  });

  it('keeps declarations as data: the table has their rows before anything runs', () => {
    verifies('face.methods.thin');
    const app = application()
      .get('/maps/{id}', { tool: true, scopes: ['maps:read'] }, () => 1)
      .static('GET', '/', 1);
    expect([...app.table].slice(0, 2)).toMatchObject([
      { name: 'get_maps_by_id', method: 'GET', path: '/maps/{id}', tool: true, engine: { kind: 'handler' } },
      { name: 'get_root', engine: { kind: 'static' }, tool: false },
    ]);
  });
});

describe('route and its shorthands', () => {
  it('answer their own method, and no other', async () => {
    verifies('declare.route', 'declare.route.shorthands', 'purpose.hosts.routes', 'http.status.405');
    const app = application();
    for (const method of methods) {
      app[method](`/short/${method}`, () => method);
      app.route(method.toUpperCase() as 'GET', `/long/${method}`, {}, () => method);
    }
    const { url } = await serve(app);
    for (const method of methods) {
      const name = method.toUpperCase();
      for (const path of [`/short/${method}`, `/long/${method}`]) {
        expect((await ask(url + path, { method: name })).body).toBe(method);
        const other = await ask(url + path, { method: method === 'get' ? 'POST' : 'GET' });
        expect(other.status).toBe(405);
        expect(other.headers.get('allow')).toContain(name);
      }
    }
  });

  it('make the same row', () => {
    const options = { declaredAt: 'here', input: { id: Type.Integer() }, tool: true } as const;
    const handler = (): number => 1;
    for (const method of methods) {
      const rows = [
        application()[method]('/maps/{id}', options, handler),
        application().route(method.toUpperCase() as 'GET', '/maps/{id}', options, handler),
      ].map(({ table }) => ({ ...[...table][0], engine: undefined }));
      expect(rows[0]).toEqual(rows[1]);
    }
  });

  it('answer a value, nothing, bytes, a reply, and an HTTPError', async () => {
    verifies(
      'face.result.json',
      'face.result.undefined',
      'face.result.bytes',
      'face.result.http-error',
      'error.http-error.status',
      'error.http-error.message',
      'error.exception.bare',
      'http.problem.internal',
    );
    const app = application();
    app.get('/value', () => ({ a: [1, null] }));
    app.get('/nothing', () => undefined);
    app.get('/bytes', () => new Uint8Array([104, 105]));
    app.get('/reply', { output: { 202: Type.String() } }, () => reply(202, 'later', { 'x-queue': '7' }));
    app.get('/class', () => new Reply('<p>', 201, {}, 'text/html'));
    app.get('/error', () => {
      throw new HTTPError(409, 'somebody was faster');
    });
    app.get('/bug', () => {
      throw new Error('secret of the house');
    });
    const { url } = await serve(app);
    expect(await ask(`${url}/value`)).toMatchObject({ status: 200, body: { a: [1, null] } });
    expect(await ask(`${url}/nothing`)).toMatchObject({ status: 204, body: '' });
    expect(await ask(`${url}/bytes`)).toMatchObject({
      status: 200,
      type: 'application/octet-stream',
      body: 'hi',
    });
    const later = await ask(`${url}/reply`);
    expect([later.status, later.body, later.headers.get('x-queue')]).toEqual([202, 'later', '7']);
    expect(await ask(`${url}/class`)).toMatchObject({ status: 201, type: 'text/html', body: '<p>' });
    expect(await ask(`${url}/error`)).toMatchObject({ status: 409, body: { detail: 'somebody was faster' } });
    const bug = await ask(`${url}/bug`);
    expect(bug).toMatchObject({ status: 500, body: { detail: 'internal error' } });
    expect(JSON.stringify(bug.body)).not.toContain('secret');
  });
});

describe('route options', () => {
  /** The same options on every call that takes them. */
  const options = {
    tool: true,
    scopes: ['maps:read', 'maps:all'],
    approval: 'required',
    readOnly: false,
    idempotent: false,
    destructive: true,
    summary: 'The summary.',
    description: 'Long text.',
    strictQuery: true,
    maxBodyBytes: 10,
    timeoutMs: 1000,
    placement: 'owner',
    approver: { scope: 'boss' },
  } as const;

  it('are understood alike by route, its shorthands and static', () => {
    verifies('route.option.every-call');
    const app = application().apiKey('SHOP_KEY', 'shop', { scopes: options.scopes });
    app.static('GET', '/static', 1, { ...options, toolName: 'named_static' });
    app.route('GET', '/route', { ...options, toolName: 'named_route' }, () => 1);
    for (const method of methods)
      app[method](`/${method}`, { ...options, toolName: `named_${method}` }, () => 1);
    for (const word of ['static', 'route', ...methods]) {
      const { tool: _tool, ...rest } = options;
      expect(app.table.tool(`named_${word}`)).toMatchObject({ ...rest, tool: true, path: `/${word}` });
    }
    expect(app.check()).toEqual([]);
  });

  it('have their effect over HTTP and over MCP, whatever the call', async () => {
    verifies(
      'route.option.tool',
      'route.option.tool-name',
      'route.option.scopes',
      'route.option.approval.mcp',
      'route.option.read-only',
      'route.option.idempotent',
      'route.option.summary',
    );
    const app = application({ mcpScopes: [] });
    app.apiKey('SHOP_KEY', 'all', { scopes: ['maps:read', 'maps:all'] });
    app.apiKey('OTHER_KEY', 'some', { scopes: ['maps:read'] });
    const path = '/maps';
    app.static('DELETE', path, 'answer', { ...options, toolName: 'named_static' });
    app.route('PUT', path, { ...options, toolName: 'named_route' }, () => 'answer');
    app.get(path, { ...options, toolName: 'named_get' }, () => 'answer');
    const { url } = await serve(app);
    const calls = { named_static: 'DELETE', named_route: 'PUT', named_get: 'GET' };
    expect(await rpc(url, 'tools/list', {}, { key: otherSecret })).toEqual({ tools: [] });
    const { tools } = await rpc(url, 'tools/list', {}, { key: secret });
    expect(tools).toHaveLength(3);
    for (const [name, method] of Object.entries(calls)) {
      expect((await ask(url + path, { method })).status).toBe(401);
      expect((await ask(url + path, { method, key: otherSecret })).status).toBe(403);
      expect((await ask(url + path, { method, key: secret })).body).toBe('answer');
      expect((await ask(`${url}${path}?x=1`, { method, key: secret })).status).toBe(422);
      expect(tools).toContainEqual(
        expect.objectContaining({
          name,
          description: 'The summary.',
          annotations: {
            readOnlyHint: false,
            idempotentHint: false,
            destructiveHint: true,
            requiresApproval: true,
          },
        }),
      );
      const asTool = async (key: string): Promise<unknown> => {
        const result = await rpc(url, 'tools/call', { name, arguments: {} }, { key });
        return [result['isError'], (result['content'] as { text: string }[])[0]?.text];
      };
      expect(await asTool(secret)).toEqual([
        true,
        `tool "${name}" requires human approval and cannot be invoked directly over MCP`,
      ]);
      expect(await asTool(otherSecret)).toEqual([
        true,
        `tool ${name} failed with 403: missing scope "maps:all"`,
      ]);
    }
  });

  it('default to no tool, no scopes, no approval, and hints by method', async () => {
    verifies(
      'route.option.tool.default',
      'route.option.tool-name.default',
      'route.option.scopes.default',
      'route.option.approval.default',
      'route.option.read-only.default',
      'route.option.idempotent.default',
      'route.option.summary.default',
    );
    const app = application();
    for (const method of methods)
      app[method]('/maps', { tool: true }, () => {
        'Answers with one.';
        return 1;
      });
    app.static('GET', '/static', 1, { tool: true });
    app.get('/quiet', () => 'quiet');
    const { url } = await serve(app);
    expect((await ask(`${url}/quiet`)).body).toBe('quiet');
    const { tools } = await rpc(url, 'tools/list');
    const rows = (tools as { name: string; description: string; annotations: Record<string, boolean> }[]).map(
      ({ name, description, annotations: hints }) =>
        `${name} | ${description} | ${hints['readOnlyHint']} ${hints['idempotentHint']} ${hints['requiresApproval']}`,
    );
    expect(rows).toEqual([
      'get_maps | Answers with one. | true true false',
      'create_maps | Answers with one. | false false false',
      'replace_maps | Answers with one. | false true false',
      'update_maps | Answers with one. | false false false',
      'delete_maps | Answers with one. | false true false',
      'get_static | GET /static | true true false',
    ]);
    expect(await rpc(url, 'tools/call', { name: 'create_maps' })).toMatchObject({ isError: false });
    expect(await rpc(url, 'tools/call', { name: 'get_quiet' })).toMatchObject({ code: -32602 });
  });

  it('leave a body 1 MiB, and not a byte more', async () => {
    verifies('http.body.limit');
    const { url } = await serve(application().post('/raw', (_input, { body }) => body.length));
    const mebibyte = 1_048_576;
    for (const size of [mebibyte - 1, mebibyte])
      expect((await ask(`${url}/raw`, { body: 'x'.repeat(size) })).body).toBe(size);
    expect((await ask(`${url}/raw`, { body: 'x'.repeat(mebibyte + 1) })).status).toBe(413);
  });

  it('bound the values of a JSON body, of all routes and of one', async () => {
    verifies('http.body.values', 'http.body.values-per-route');
    const input = { list: Type.Array(Type.Integer()) };
    const app = application({ limits: { bodyValues: 10 } })
      .post('/usual', { input }, ({ list }) => list.length)
      .post('/more', { input, maxBodyValues: 20 }, ({ list }) => list.length);
    const { url } = await serve(app);
    // The body and the list are values themselves.
    for (const [path, items, status] of [
      ['/usual', 8, 200],
      ['/usual', 9, 413],
      ['/more', 18, 200],
      ['/more', 19, 413],
    ] as const) {
      const body = JSON.stringify({ list: Array(items).fill(1) });
      const headers = { 'content-type': 'application/json' };
      expect((await ask(url + path, { body, headers })).status, `${path} ${items}`).toBe(status);
    }
  });

  it('bound the body and the time of one route', async () => {
    const app = application().post('/small', { maxBodyBytes: 4 }, (_input, { body }) => body.length);
    app.get('/short', { timeoutMs: 30 }, () => new Promise(() => {}));
    const { url } = await serve(app);
    for (const [text, status] of [
      ['abc', 200],
      ['abcd', 200],
      ['abcde', 413],
    ] as const)
      expect((await ask(`${url}/small`, { body: text })).status).toBe(status);
    expect(await ask(`${url}/short`)).toMatchObject({
      status: 504,
      body: { detail: 'timed out after 0.03 s' },
    });
  });
});

describe('names', () => {
  it('are camelCase where TypeScript reads them', () => {
    verifies('face.options.camel-case');
    const options = {
      control_prefix: '/ops',
      request_timeout: 1,
      allow_unauthenticated: true,
      mcp_scopes: [],
    };
    const hints = application(options as object)
      .get('/maps', { read_only: true, tool_name: 'maps' } as object, () => 1)
      .check()
      .map(({ rule, nearest }) => [rule, nearest]);
    expect(hints).toEqual([
      ['unknown option "control_prefix"', 'controlPrefix'],
      ['unknown option "request_timeout"', 'requestTimeout'],
      ['unknown option "allow_unauthenticated"', 'allowUnauthenticated'],
      ['unknown option "mcp_scopes"', 'mcpScopes'],
      ['unknown option "read_only"', 'readOnly'],
      ['unknown option "tool_name"', 'toolName'],
    ]);
  });

  it('keep their snake_case on the wire', async () => {
    verifies('face.wire.snake-case');
    const app = application();
    const input = { session_id: Type.String(), page_size: Type.Optional(Type.Integer()) };
    app.post('/turn', { input }, (values) => ({ ...values, at_ms: 1 }));
    app.get('/turn', { input }, (values) => values);
    const { url } = await serve(app);
    expect((await ask(`${url}/turn`, { body: { session_id: 'a' } })).body).toEqual({
      session_id: 'a',
      at_ms: 1,
    });
    expect((await ask(`${url}/turn?session_id=a&page_size=2`)).body).toEqual({
      session_id: 'a',
      page_size: 2,
    });
    expect((await ask(`${url}/turn`, { body: { sessionId: 'a' } })).status).toBe(422);
    for (const path of ['/_svc/health', '/nowhere']) {
      const members = Object.keys((await ask(url + path)).body as object);
      expect(members.filter((name) => !/^[a-z]+(_[a-z\d]+)*$/.test(name))).toEqual([]);
    }
    expect((await ask(`${url}/_svc/health`)).body).toMatchObject({ uptime_ms: expect.any(Number) as number });
    expect((await ask(`${url}/nowhere`)).body).toMatchObject({ request_id: expect.any(String) as string });
  });
});

describe('static', () => {
  it('answers one constant body with 200, or with the status it was given', async () => {
    verifies('declare.static', 'declare.static.status.default');
    const app = application();
    app.static('GET', '/', { app: 'shop' }).static('GET', '/gone', { moved: true }, { status: 410 });
    app
      .static('GET', '/text', 'words')
      .static('POST', '/null', null)
      .static('GET', '/none', undefined, { status: 204 });
    app.static('GET', '/bytes', new Uint8Array([104, 105]));
    const { url } = await serve(app);
    expect(await ask(`${url}/`)).toMatchObject({
      status: 200,
      type: 'application/json',
      body: { app: 'shop' },
    });
    expect(await ask(`${url}/gone`)).toMatchObject({ status: 410, body: { moved: true } });
    expect((await ask(`${url}/text`)).body).toBe('words');
    expect((await ask(`${url}/null`, { method: 'POST' })).body).toBe(null);
    expect((await ask(`${url}/none`)).status).toBe(204);
    expect((await ask(`${url}/bytes`)).body).toBe('hi');
    expect((await ask(`${url}/`, { method: 'HEAD' })).status).toBe(200);
  });

  it('is serialised once, when it is declared: what happens to the body later changes nothing', async () => {
    verifies('declare.static.at-boot');
    let times = 0;
    const body = {
      list: [1],
      toJSON() {
        times += 1;
        return { list: this.list };
      },
    };
    const bytes = new Uint8Array([104, 105]);
    const app = application().static('GET', '/json', body, { tool: true }).static('GET', '/bytes', bytes);
    const { url } = await serve(app);
    body.list.push(2);
    bytes.fill(0);
    for (const _ of [1, 2]) expect((await ask(`${url}/json`)).body).toEqual({ list: [1] });
    expect(await rpc(url, 'tools/call', { name: 'get_json' })).toMatchObject({
      content: [{ text: '{"list":[1]}' }],
    });
    expect((await ask(`${url}/bytes`)).body).toBe('hi');
    expect(times).toBe(1);
  });

  it.each([
    ['a function', () => 1, {}, 'the body is not JSON'],
    ['a BigInt', 1n, {}, 'the body is not JSON'],
    ['an informational status', 1, { status: 100 }, '100 is not a status an answer can have'],
    ['a status that is none', 1, { status: 600 }, '600 is not a status an answer can have'],
  ])('refuses %s at boot', (_what, body, options, rule) => {
    expect(application().static('GET', '/', body, options).check()).toMatchObject([{ rule }]);
  });
});

describe('apiKey', () => {
  it('takes the variable of its secret and an id, and grants nothing by default', async () => {
    verifies('declare.api-key', 'declare.api-key.scopes.default', 'request.user', 'request.scopes');
    const app = application()
      .apiKey('SHOP_KEY', 'plain')
      .apiKey('OTHER_KEY', 'reader', { scopes: ['maps:read'] });
    app.get('/me', (_input, { user, scopes }) => ({ user, scopes: [...scopes] }));
    const { url } = await serve(app);
    expect((await ask(`${url}/me`, { key: secret })).body).toEqual({
      user: { id: 'plain', root_id: 'plain', authenticated: true, scopes: [] },
      scopes: [],
    });
    expect((await ask(`${url}/me`, { key: otherSecret })).body).toMatchObject({
      user: { id: 'reader' },
      scopes: ['maps:read'],
    });
    expect((await ask(`${url}/me`)).body).toMatchObject({ user: { id: 'anonymous', authenticated: false } });
    expect((await ask(`${url}/me`, { key: 'wrong' })).status).toBe(401);
    expect((await ask(`${url}/_svc/health`, { key: 'wrong' })).status).toBe(200);
  });
});

describe('several servers', () => {
  it('are made by listening twice, and close one by one', async () => {
    const app = application().get('/maps', () => 'maps');
    const first = await serve(app);
    const second = await serve(app);
    expect(first.port).not.toBe(second.port);
    await first.close();
    await expect(fetch(first.url)).rejects.toThrow();
    expect((await ask(`${second.url}/maps`)).body).toBe('maps');
  });

  it('serve what was declared when they began to listen', async () => {
    const app = application().get('/maps', () => 'maps');
    const first = await serve(app);
    app.get('/later', { tool: true }, () => 'later').apiKey('SHOP_KEY', 'shop');
    const second = await serve(app);
    expect((await ask(`${first.url}/later`)).status).toBe(404);
    expect((await ask(`${first.url}/_svc/tools`)).body).toEqual({ tools: [] });
    expect((await ask(`${second.url}/later`)).body).toBe('later');
    expect((await ask(`${second.url}/_svc/tools`)).status).toBe(401);
  });

  it('can listen again after they closed', async () => {
    const app = application().get('/maps', () => 'maps');
    await (await app.listen()).close();
    expect((await ask(`${(await serve(app)).url}/maps`)).body).toBe('maps');
  });

  it('of two applications share nothing', async () => {
    const closed = application({ version: '1.0.0' }).apiKey('SHOP_KEY', 'shop', { scopes: ['svc:admin'] });
    const open = application({ version: '2.0.0', controlPrefix: '/ops' });
    closed.get('/only-closed', { tool: true }, () => 1);
    open.get('/only-open', { tool: true }, () => 2);
    const [one, two] = [await serve(closed), await serve(open)];
    expect((await ask(`${one.url}/only-open`)).status).toBe(404);
    expect((await ask(`${two.url}/only-closed`)).status).toBe(404);
    expect((await ask(`${one.url}/_svc/tools`)).status).toBe(401);
    expect((await ask(`${two.url}/ops/tools`)).body).toMatchObject({ tools: [{ name: 'get_only_open' }] });
    expect((await ask(`${two.url}/only-open`, { key: secret })).status).toBe(401);
    const [health, other] = [await ask(`${one.url}/_svc/health`), await ask(`${two.url}/ops/health`)];
    expect([health.body, other.body]).toMatchObject([{ version: '1.0.0' }, { version: '2.0.0' }]);
    await one.close();
    expect((await ask(`${two.url}/ops/health`)).body).toMatchObject({ status: 'ok' });
  });
});
