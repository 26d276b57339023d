import { jsonResponse, problemResponse } from '@waymark/contract/engine';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { type Answer, principal, serve, standingAlone, textContent, tool, valuesOf } from './support.ts';

const mcp = serve([tool('ring')], (call) => jsonResponse(valuesOf(call)));
const versionKey = 'io.modelcontextprotocol/protocolVersion';
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';
const all = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'];

const ask = (...request: Parameters<typeof standingAlone>): Promise<{ status: number; body: Answer }> => {
  const { message, headers } = standingAlone(...request);
  return mcp.send(message, { headers });
};

describe('a request of 2026-07-28', () => {
  it('is answered with resultType, and says in _meta who answered', async () => {
    verifies('mcp.revision.2026-07-28');
    expect(await ask('tools/call', { name: 'ring', arguments: { n: 3 } })).toEqual({
      status: 200,
      body: {
        jsonrpc: '2.0',
        id: 1,
        result: {
          resultType: 'complete',
          _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'desk', version: '1.2.3' } },
          content: [textContent('{"n":3}')],
          isError: false,
        },
      },
    });
  });

  it('gets a list that says how long and for whom it may be kept', async () => {
    const { body } = await ask('tools/list');
    expect(body.result).toMatchObject({ tools: [{ name: 'ring' }], ttlMs: 60_000, cacheScope: 'private' });
  });

  it('may share what is kept only where all callers are alike', async () => {
    const shared = serve([tool('ring')], undefined, { cacheScope: 'public' });
    for (const method of ['tools/list', 'server/discover']) {
      const { message, headers } = standingAlone(method);
      expect((await shared.send(message, { headers })).body.result).toMatchObject({ cacheScope: 'public' });
    }
  });

  it('is known by its body alone, and then misses its headers', async () => {
    const { message } = standingAlone('tools/list');
    expect((await mcp.send(message)).body.error).toEqual({
      code: -32020,
      message: `the header MCP-Protocol-Version is missing; it must repeat _meta["${versionKey}"]`,
    });
  });

  it.each(['2024-11-05', 'x'])(
    'comes alone; a list under %s hears first which revisions there are',
    async (version) => {
      const list = [{ jsonrpc: '2.0', id: 1, method: 'ping' }];
      const headers = { 'mcp-protocol-version': version };
      const unknown = await mcp.send(list, { headers });
      expect(unknown.body.error).toEqual({
        code: -32022,
        message: 'unsupported protocol version',
        data: { supported: all, requested: version },
      });
      const known = await mcp.send(list, { headers: { 'mcp-protocol-version': '2026-07-28' } });
      expect([known.status, known.body.error?.code]).toEqual([400, -32600]);
    },
  );

  it('is known by Mcp-Method where no version is named, and then misses its _meta', async () => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const { status, body } = await mcp.send(message, { headers: { 'mcp-method': 'tools/list' } });
    expect([status, body.error?.code]).toEqual([400, -32602]);
  });

  it('ignores a stray session id', async () => {
    expect((await ask('tools/list', {}, { headers: { 'mcp-session-id': 'x' } })).status).toBe(200);
  });
});

describe('server/discover', () => {
  it('says what is served, by whom, and how long that holds', async () => {
    expect((await ask('server/discover')).body.result).toEqual({
      resultType: 'complete',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'desk', version: '1.2.3' } },
      supportedVersions: all,
      capabilities: { tools: {} },
      ttlMs: 60_000,
      cacheScope: 'private',
    });
  });

  it('gives instructions unless they are empty', async () => {
    const { message, headers } = standingAlone('server/discover');
    const told = async (instructions: string) =>
      (
        await serve([], undefined, { info: { name: 'd', version: '1', instructions } }).send(message, {
          headers,
        })
      ).body.result;
    expect(await told('Ask first.')).toHaveProperty('instructions', 'Ask first.');
    expect(await told('')).not.toHaveProperty('instructions');
  });
});

describe('the checks of a request of 2026-07-28', () => {
  const withMeta = (meta: unknown) => {
    const { message, headers } = standingAlone('tools/list');
    return mcp.send({ ...message, params: { _meta: meta } }, { headers });
  };

  it.each([
    ['no _meta', undefined],
    ['a _meta that is no object', []],
    ['no version', { [capabilitiesKey]: {} }],
    ['a version that is no string', { [versionKey]: 7, [capabilitiesKey]: {} }],
    ['no capabilities', { [versionKey]: '2026-07-28' }],
    ['capabilities that are no object', { [versionKey]: '2026-07-28', [capabilitiesKey]: [] }],
  ])('refuse %s with 400, -32602 and the id', async (_case, meta) => {
    const { status, body } = await withMeta(meta);
    expect([status, body.id, body.error?.code]).toEqual([400, 1, -32602]);
  });

  it('do not ask who the client is', async () => {
    expect((await withMeta({ [versionKey]: '2026-07-28', [capabilitiesKey]: {} })).status).toBe(200);
  });

  it('refuse a version that differs between header and body with -32020', async () => {
    const { status, body } = await ask('tools/list', {}, { meta: { [versionKey]: 'v999.0.0' } });
    expect([status, body.error?.code]).toEqual([400, -32020]);
  });

  it('refuse a version that is not served so with -32022 and the list', async () => {
    for (const requested of ['v999.0.0', '2027-01-01', '2025-11-25']) {
      const headers = { 'mcp-protocol-version': requested };
      const { status, body } = await ask('tools/list', {}, { meta: { [versionKey]: requested }, headers });
      expect([status, body.error]).toEqual([
        400,
        { code: -32022, message: 'unsupported protocol version', data: { supported: all, requested } },
      ]);
    }
  });

  it.each([
    ['missing', undefined],
    ['of another method', 'prompts/list'],
    ['in capitals', 'TOOLS/LIST'],
  ])('refuse an Mcp-Method that is %s with -32020', async (_case, method) => {
    const { message, headers } = standingAlone('tools/list');
    const { 'mcp-method': _, ...rest } = headers;
    const { status, body } = await mcp.send(message, {
      headers: { ...rest, ...(method !== undefined && { 'mcp-method': method }) },
    });
    expect([status, body.id, body.error?.code]).toEqual([400, 1, -32020]);
  });

  it.each([
    ['missing', undefined],
    ['of another tool', 'rang'],
    ['badly encoded', '=?base64?cmluZw?='],
  ])('refuse an Mcp-Name that is %s with -32020', async (_case, name) => {
    const { message, headers } = standingAlone('tools/call', { name: 'ring' });
    const { 'mcp-name': _, ...rest } = headers;
    const before = mcp.calls.length;
    const { status, body } = await mcp.send(message, {
      headers: { ...rest, ...(name !== undefined && { 'mcp-name': name }) },
    });
    expect([status, body.error?.code, mcp.calls.length - before]).toEqual([400, -32020, 0]);
  });

  it('read an Mcp-Name in base64', async () => {
    const name = { 'mcp-name': '=?base64?cmluZw==?=' };
    expect((await ask('tools/call', { name: 'ring' }, { headers: name })).status).toBe(200);
  });

  it.each(['initialize', 'ping', 'logging/setLevel', 'subscriptions/listen', 'unknown/method', 'toString'])(
    'answer %s with 404 and -32601',
    async (method) => {
      expect(await ask(method)).toEqual({
        status: 404,
        body: { jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'Method not found' } },
      });
    },
  );

  it.each([
    ['resources/read', { uri: 'file:///a' }, { 'mcp-name': 'file:///a' }, 404],
    ['resources/read', { uri: 'file:///a' }, {}, 400],
    ['prompts/get', { name: 'hello' }, { 'mcp-name': 'other' }, 400],
  ])(
    'look at the name of %s before they say that there is no such method',
    async (method, params, more, status) => {
      expect((await ask(method, params, { headers: more })).status).toBe(status);
    },
  );

  it.each([
    ['an unknown tool', { name: 'rang' }],
    ['malformed arguments', { name: 'ring', arguments: [] }],
  ])('leave %s to the method: -32602', async (_case, params) => {
    const { status, body } = await ask('tools/call', params);
    expect([status, body.error?.code]).toEqual([200, -32602]);
  });

  it('come in order: each request that breaks several rules is told the first', async () => {
    verifies('mcp.check-order');
    const marked = serve([
      tool('send', {
        input: {
          type: 'object',
          properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
          'x-mcp-client-capabilities': { sampling: {} },
        },
      }),
    ]);
    const wrong = { method: 'tools/call', name: 'send', region: 'north' };
    const right = { 'mcp-protocol-version': '2026-07-28' };
    const named = { ...right, 'mcp-method': 'tools/call' };
    const send = async (
      method: string,
      meta: object,
      headers: Readonly<Record<string, string>>,
      name = wrong.name,
    ) => {
      const params = { name, arguments: { region: wrong.region }, _meta: meta };
      const { status, body } = await marked.send({ jsonrpc: '2.0', id: 1, method, params }, { headers });
      return [status, body.error?.code];
    };
    const served = { [versionKey]: '2026-07-28', [capabilitiesKey]: {} };
    const unserved = { ...served, [versionKey]: '2027-01-01' };
    expect(await send('nonsense', { [versionKey]: '2027-01-01' }, {})).toEqual([400, -32602]);
    expect(await send('nonsense', unserved, right)).toEqual([400, -32020]);
    expect(await send('nonsense', unserved, { 'mcp-protocol-version': '2027-01-01' })).toEqual([400, -32022]);
    expect(await send('nonsense', served, right)).toEqual([400, -32020]);
    expect(await send('prompts/get', served, { ...right, 'mcp-method': 'prompts/get' })).toEqual([
      400, -32020,
    ]);
    expect(await send('nonsense', served, { ...right, 'mcp-method': 'nonsense' })).toEqual([404, -32601]);
    expect(await send('tools/call', served, { ...named, 'mcp-name': 'none' }, 'none')).toEqual([200, -32602]);
    expect(await send('tools/call', served, { ...named, 'mcp-name': 'send' })).toEqual([400, -32020]);
    const mirrored = { ...named, 'mcp-name': 'send', 'mcp-param-region': 'north' };
    expect(await send('tools/call', served, mirrored)).toEqual([400, -32021]);
    const able = { ...served, [capabilitiesKey]: { sampling: {} } };
    expect(await send('tools/call', able, mirrored)).toEqual([200, undefined]);
  });
});

describe('what a tool asks of a call of 2026-07-28', () => {
  const marked = tool('send', {
    scopes: ['send'],
    input: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } },
  });
  const { message, headers } = standingAlone('tools/call', { name: 'send', arguments: { region: 'north' } });

  it('is told only to those who hold its scopes; the dispatcher refuses the others', async () => {
    const desk = serve([marked], () => problemResponse(403, 'missing scope "send"'));
    const refused = await desk.send(message, { headers, principal: principal('read') });
    expect(refused).toMatchObject({ status: 200, body: { result: { isError: true } } });
    expect(desk.calls).toHaveLength(1);
    const told = await desk.send(message, { headers, principal: principal('send') });
    expect([told.status, told.body.error?.code]).toEqual([400, -32020]);
    expect(desk.calls).toHaveLength(1);
  });
});

describe('other messages of 2026-07-28', () => {
  const { headers } = standingAlone('tools/list');

  it('may not be several in one', async () => {
    verifies('aside.mcp.batch-refused');
    const { message } = standingAlone('tools/list');
    for (const batch of [[message], [], [{ jsonrpc: '2.0', method: 'notifications/initialized' }]]) {
      const { status, body } = await mcp.send(batch, { headers });
      expect([status, body.id, body.error?.code]).toEqual([400, null, -32600]);
    }
  });

  it('are taken with 202 when they are notifications', async () => {
    for (const method of ['notifications/cancelled', 'nonsense'])
      expect(await mcp.send({ jsonrpc: '2.0', method }, { headers })).toEqual({
        status: 202,
        body: undefined,
      });
  });

  it('are refused with 400 when a notification follows a revision that is not served', async () => {
    const { status, body } = await mcp.send(
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { headers: { 'mcp-protocol-version': '2024-11-05' } },
    );
    expect([status, body.error?.code]).toEqual([400, -32022]);
  });

  it('are refused when they are responses: nothing was asked of the client', async () => {
    const { status, body } = await mcp.send({ jsonrpc: '2.0', id: 4, result: {} }, { headers });
    expect([status, body.error?.code]).toEqual([400, -32600]);
  });

  it.each([[null], [7], ['x'], [{ jsonrpc: '2.0', id: null, method: 'tools/list' }]])(
    'are refused when they are no messages: %j',
    async (message) => {
      const { status, body } = await mcp.send(message, { headers });
      expect([status, body.error?.code]).toEqual([400, -32600]);
    },
  );
});
