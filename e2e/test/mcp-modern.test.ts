import { verifies } from '@waymark/contract/testing';
import type { RunningApplication } from '@waymark/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFixture } from '../conformance/fixture.ts';
import {
  allRevisions,
  error,
  legacy,
  type Members,
  modern,
  modernHeaders,
  modernMeta,
  modernRevision,
  post,
  postModern,
} from './mcp/messages.ts';
import type { Header } from './wire/connection.ts';

let server: RunningApplication;

beforeAll(async () => {
  server = await createFixture().listen();
});
afterAll(() => server.close());

const echo: Members = { name: 'echo', arguments: { text: 'hello' } };
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const without = (key: string): Members =>
  Object.fromEntries(Object.entries(modernMeta).filter(([name]) => !name.endsWith(`/${key}`)));

describe('a request of 2026-07-28', () => {
  it('needs no opening', async () => {
    verifies('mcp.revision.2026-07-28');
    expect(await postModern(server, 'tools/call', echo)).toMatchObject({
      status: 200,
      json: { id: 1, result: { resultType: 'complete', structuredContent: { text: 'hello' } } },
    });
  });

  it('finds out what is served here', async () => {
    const { status, json } = await postModern(server, 'server/discover');
    expect([status, json]).toMatchObject([
      200,
      {
        result: {
          resultType: 'complete',
          supportedVersions: allRevisions,
          capabilities: { tools: {} },
          ttlMs: expect.any(Number),
          cacheScope: expect.stringMatching(/^(public|private)$/),
        },
      },
    ]);
  });

  it('is told with every result who answered', async () => {
    for (const [method, params] of [
      ['server/discover', {}],
      ['tools/list', {}],
      ['tools/call', echo],
    ] as const)
      expect((await postModern(server, method, params)).json).toMatchObject({
        result: {
          resultType: 'complete',
          _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'conformance', version: '0.1.0' } },
        },
      });
  });

  it('is held to its rules by its headers alone, too', async () => {
    const [, method] = modernHeaders('tools/list') as [Header, Header];
    const { status, json } = await post(server, legacy('tools/list'), [method]);
    expect([status, json]).toMatchObject([400, { id: 1, ...error(-32602) }]);
  });

  it('may leave out who it comes from', async () => {
    const message = modern('tools/list', { _meta: without('clientInfo') });
    expect((await post(server, message, modernHeaders('tools/list'))).status).toBe(200);
  });

  it.each([
    'initialize',
    'ping',
    'logging/setLevel',
    'resources/subscribe',
    'subscriptions/listen',
    'no/such',
  ])('with the method %s is answered 404', async (method) => {
    const { status, json } = await postModern(server, method);
    expect([status, json]).toMatchObject([404, { id: 1, ...error(-32601) }]);
  });

  it('with a notification is taken with 202 and an empty body', async () => {
    const message = {
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { _meta: modernMeta, requestId: 1 },
    };
    const headers = modernHeaders('notifications/cancelled');
    expect(await post(server, message, headers)).toMatchObject({ status: 202, body: '' });
  });

  it.each([
    ['an unknown tool', { name: 'no_such_tool' }],
    ['arguments that are a list', { name: 'echo', arguments: [] }],
  ])('with %s is an error of its params', async (_what, params) => {
    expect((await postModern(server, 'tools/call', params)).json).toMatchObject({ id: 1, ...error(-32602) });
  });

  it('with wrong arguments is a result that a model can act on', async () => {
    const params = { name: 'echo', arguments: { text: 7 } };
    expect((await postModern(server, 'tools/call', params)).json).toMatchObject({
      result: { resultType: 'complete', isError: true, content: [{ type: 'text' }] },
    });
  });
});

describe('the order of the checks', () => {
  // Each row breaks the rule of its line and every later one: the error tells which was looked at first.
  const wrongName: Header = ['mcp-name', 'another'];
  const wrongMethod: Header = ['mcp-method', 'another/method'];
  const oldHeader: Header = ['mcp-protocol-version', '2025-11-25'];
  const future = { ...modernMeta, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' };
  const futureHeader: Header = ['mcp-protocol-version', '2099-01-01'];
  const rows: readonly (readonly [string, Members, readonly Header[], number, number])[] = [
    [
      'the capabilities in _meta',
      modern('no/such', { _meta: without('clientCapabilities') }),
      [oldHeader, wrongMethod],
      400,
      -32602,
    ],
    [
      'the header beside the version',
      modern('no/such', { _meta: future }),
      [oldHeader, wrongMethod],
      400,
      -32020,
    ],
    ['the version', modern('no/such', { _meta: future }), [futureHeader, wrongMethod], 400, -32022],
    [
      'the method in its header',
      modern('tools/call', { name: 'no_such' }),
      [...modernHeaders(''), wrongMethod, wrongName],
      400,
      -32020,
    ],
    [
      'the name in its header',
      modern('tools/call', { name: 'no_such' }),
      [...modernHeaders('tools/call'), wrongName],
      400,
      -32020,
    ],
    ['the method itself', modern('no/such', { cursor: 7 }), modernHeaders('no/such'), 404, -32601],
    [
      'the tool',
      modern('tools/call', { name: 'no_such', arguments: { x: 1 } }),
      modernHeaders('tools/call', 'no_such'),
      200,
      -32602,
    ],
  ];

  it.each(rows)('looks at %s', async (_what, message, headers, status, code) => {
    verifies('mcp.check-order');
    // A later header of a name replaces an earlier one.
    const lines = [...new Map(headers).entries()];
    const answer = await post(server, message, lines);
    expect(answer.json).toMatchObject({ id: 1, ...error(code) });
    // The specification leaves the status of an unknown tool open.
    if (code !== -32602 || status === 400) expect(answer.status).toBe(status);
  });

  it('tells which versions are supported', async () => {
    const answer = await post(server, modern('tools/list', { _meta: future }), [
      futureHeader,
      ['mcp-method', 'tools/list'],
    ]);
    expect([answer.status, answer.json]).toMatchObject([
      400,
      { id: 1, error: { code: -32022, data: { supported: allRevisions, requested: '2099-01-01' } } },
    ]);
  });

  it.each(['1999-01-01', 'latest', '2026-07-28 '.repeat(3), '\u00e9'])(
    'refuses the version %j of a header alone',
    async (version) => {
      const answer = await post(server, legacy('tools/list'), [['mcp-protocol-version', version]]);
      expect([answer.status, answer.json]).toMatchObject([400, { error: { code: expect.any(Number) } }]);
    },
  );
});

describe('the headers of a request', () => {
  const call = (headers: readonly Header[]) => post(server, modern('tools/call', echo), headers);
  const [version, method, name] = modernHeaders('tools/call', 'echo') as [Header, Header, Header];

  it.each([
    ['without a version', [method, name]],
    ['with an older version', [['mcp-protocol-version', '2025-11-25'], method, name]],
    ['without a method', [version, name]],
    ['with another method', [version, ['mcp-method', 'tools/list'], name]],
    ['with the method in capitals', [version, ['mcp-method', 'TOOLS/CALL'], name]],
    ['without a name', [version, method]],
    ['with another name', [version, method, ['mcp-name', 'test_simple_text']]],
    ['with the name in capitals', [version, method, ['mcp-name', 'ECHO']]],
    ['with two names', [version, method, name, ['mcp-name', 'echo']]],
  ] as readonly (readonly [string, readonly Header[]])[])('%s are refused', async (_what, headers) => {
    const answer = await call(headers);
    expect([answer.status, answer.json]).toMatchObject([400, { id: 1, ...error(-32020) }]);
  });

  it('may be padded with white space', async () => {
    expect((await call([version, ['mcp-method', '  tools/call\t'], ['mcp-name', ' echo ']])).status).toBe(
      200,
    );
  });

  it.each([
    ['encoded', `=?base64?${base64('echo')}?=`, 200],
    ['encoded to something else', `=?base64?${base64('other')}?=`, 400],
    [
      'encoded without its padding',
      `=?base64?${base64('echo').replaceAll('=', '')}?=`,
      base64('echo').endsWith('=') ? 400 : 200,
    ],
    ['encoded with a wrong letter', '=?base64?ZWNo*w==?=', 400],
    ['encoded with a gap', '=?base64?ZW Nobw==?=', 400],
    ['encoded with the alphabet of URLs', '=?base64?_-8=?=', 400],
    ['encoded, the mark in capitals', `=?BASE64?${base64('echo')}?=`, 400],
    ['of a beginning only', `=?base64?${base64('echo')}`, 400],
    ['of an end only', `${base64('echo')}?=`, 400],
    ['of bytes that are no UTF-8', '=?base64?/w==?=', 400],
    ['of nothing', '=?base64??=', 400],
    ['of the mark alone', '=?base64?=', 400],
  ])('may hold a name %s', async (_what, value, status) => {
    const answer = await call([version, method, ['mcp-name', value]]);
    expect(answer.status).toBe(status);
    if (status === 400) expect(answer.json).toMatchObject({ id: 1, ...error(-32020) });
  });
});

describe('a parameter that is repeated in a header', () => {
  const call = (region: string | undefined, header: string | undefined) =>
    postModern(
      server,
      'tools/call',
      { name: 'test_header_param', arguments: { ...(region !== undefined && { region }) } },
      header === undefined ? [] : [['Mcp-Param-Region', header]],
    );

  it.each([
    ['eu-west', 'eu-west'],
    ['=?base64?ZXU=', '=?base64?ZXU='],
    ['ZXU=?=', 'ZXU=?='],
    ['=?base64?=', '=?base64?='],
    ['köln \u{1f600}', `=?base64?${base64('köln \u{1f600}')}?=`],
    [' eu ', `=?base64?${base64(' eu ')}?=`],
    ['', ''],
  ])('is taken when both say %j', async (region, header) => {
    const answer = await call(region, header === '' ? `=?base64??=` : header);
    expect([answer.status, answer.json]).toMatchObject([200, { result: { content: [{ text: region }] } }]);
  });

  it.each([
    ['eu-west', undefined],
    ['eu-west', 'eu-east'],
    ['eu-west', 'EU-WEST'],
    ['eu-west', `=?base64?${base64('eu-east')}?=`],
    ['eu-west', '=?base64?ZXUtd2VzdA=?='],
    ['\ufffd', '=?base64?/w==?='],
    [undefined, 'eu-west'],
  ])('is refused when the body says %j and the header %j', async (region, header) => {
    const answer = await call(region, header);
    expect([answer.status, answer.json]).toMatchObject([400, { id: 1, ...error(-32020) }]);
  });

  it('is nobody\u2019s business on the older revisions', async () => {
    const params = { name: 'test_header_param', arguments: { region: 'eu' } };
    const { json } = await post(server, legacy('tools/call', params), [['mcp-param-region', 'us']]);
    expect(json).toMatchObject({ result: { content: [{ text: 'eu' }] } });
  });
});

describe('the opening of the older revisions', () => {
  it.each(allRevisions.slice(1))('agrees to %s', async (protocolVersion) => {
    verifies('mcp.initialize', 'version.mcp-negotiated');
    const { json } = await post(server, legacy('initialize', { protocolVersion, capabilities: {} }));
    expect(json).toMatchObject({
      result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'conformance' } },
    });
  });

  it.each([modernRevision, '1999-01-01', '', 7, null])(
    'offers its newest to whoever asks for %j',
    async (asked) => {
      const { status, json } = await post(
        server,
        legacy('initialize', { protocolVersion: asked, capabilities: {} }),
      );
      expect([status, json]).toMatchObject([200, { result: { protocolVersion: '2025-11-25' } }]);
    },
  );

  it('is given to bridges, which repeat the method of every message in a header', async () => {
    verifies('mcp.initialize', 'mcp.check-order');
    const opening = legacy('initialize', { protocolVersion: '2025-11-25', capabilities: {} });
    const { status, json } = await post(server, opening, [['mcp-method', 'initialize']]);
    expect([status, json]).toMatchObject([200, { result: { protocolVersion: '2025-11-25' } }]);
    const opened = { jsonrpc: '2.0', method: 'notifications/initialized' };
    const under = ['mcp-protocol-version', '2025-11-25'] as const;
    const told = await post(server, opened, [under, ['mcp-method', 'notifications/initialized']]);
    expect(told.status).toBe(202);
    const listed = await post(server, legacy('tools/list'), [under, ['mcp-method', 'tools/list']]);
    expect(listed.json).not.toHaveProperty('result.resultType');
  });
});
