import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { following, serve, standingAlone, tool } from './support.ts';

const mcp = serve([tool('ring')]);

describe('createMcp', () => {
  it.each(['2025-03-26', '2025-06-18', '2025-11-25'])(
    'agrees to revision %s and serves it',
    async (revision) => {
      verifies(
        'mcp.revision.2025-03-26',
        'mcp.revision.2025-06-18',
        'mcp.revision.2025-11-25',
        'version.mcp-negotiated',
      );
      const { result } = await mcp.request('initialize', { protocolVersion: revision });
      expect(result?.['protocolVersion']).toBe(revision);
      const listed = await mcp.request('tools/list', {}, following(revision));
      expect(listed.result?.['tools']).toHaveLength(1);
    },
  );

  it.each([
    { protocolVersion: '1999-01-01' },
    { protocolVersion: '2026-07-28' },
    { protocolVersion: 7 },
    undefined,
  ])('offers its newest revision for %j', async (params) => {
    const { result } = await mcp.request('initialize', params);
    expect(result?.['protocolVersion']).toBe('2025-11-25');
  });

  it.each([
    { 'mcp-method': 'initialize' },
    { 'mcp-protocol-version': '2026-07-28' },
    { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'initialize' },
    { 'mcp-protocol-version': 'draft', 'mcp-method': 'tools/list' },
  ])('opens for a client of the older revisions that sends %j', async (headers) => {
    verifies('mcp.initialize', 'mcp.check-order');
    const params = { protocolVersion: '2025-06-18', capabilities: {}, _meta: { progressToken: 1 } };
    const message = { jsonrpc: '2.0', id: 1, method: 'initialize', params };
    const { status, body } = await mcp.send(message, { headers });
    expect([status, body]).toMatchObject([200, { result: { protocolVersion: '2025-06-18' } }]);
  });

  it('answers initialize with exactly what MCP asks for, and no more', async () => {
    verifies('mcp.initialize', 'mcp.shapes', 'version.server-info', 'version.json-rpc');
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: { roots: {} },
      clientInfo: { name: 'c', version: '1' },
    };
    const { body } = await mcp.send({ jsonrpc: '2.0', id: 'a', method: 'initialize', params });
    expect(body).toEqual({
      jsonrpc: '2.0',
      id: 'a',
      result: {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'desk', version: '1.2.3' },
      },
    });
  });

  it('gives instructions unless they are empty', async () => {
    const told = async (instructions: string) =>
      (await serve([], undefined, { info: { name: 'd', version: '1', instructions } }).request('initialize'))
        .result;
    expect(await told('Ask before you ring.')).toHaveProperty('instructions', 'Ask before you ring.');
    expect(await told('')).not.toHaveProperty('instructions');
  });

  it('answers a ping with an empty object', async () => {
    verifies('mcp.ping');
    expect(await mcp.request('ping')).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
  });

  it('needs no initialize before other requests, since it remembers nothing', async () => {
    verifies('mcp.stateless');
    const fresh = serve([tool('ring')]);
    expect((await fresh.request('tools/list')).result?.['tools']).toHaveLength(1);
    expect((await fresh.call('ring')).isError).toBe(false);
  });

  it.each(['2024-11-05', '2025-03-26, 2025-03-26', 'v999.0.0', ''])(
    'refuses the version header "%s" with 400 and says what it serves',
    async (version) => {
      const { status, body } = await mcp.send({ jsonrpc: '2.0', id: 1, method: 'ping' }, following(version));
      expect(status).toBe(400);
      expect(body.error).toEqual({
        code: -32022,
        message: 'unsupported protocol version',
        data: { supported: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'], requested: version },
      });
    },
  );

  it('serves clients of all revisions side by side', async () => {
    verifies('mcp.stateless', 'mcp.revision.2026-07-28');
    const revisions = ['2025-03-26', '2026-07-28', '2025-06-18', '2025-11-25'];
    const listed = await Promise.all(
      Array.from({ length: 52 }, async (_, i) => {
        const revision = revisions[i % 4] ?? '';
        const { message, headers } = standingAlone('tools/list');
        const old = { jsonrpc: '2.0', id: i, method: 'tools/list' };
        const { status, body } = await (revision === '2026-07-28'
          ? mcp.send({ ...message, id: i }, { headers })
          : mcp.send(old, following(revision)));
        return [status, body.id, revision, body.result?.['resultType']];
      }),
    );
    expect(listed).toEqual(
      Array.from({ length: 52 }, (_, i) => [200, i, revisions[i % 4], i % 4 === 1 ? 'complete' : undefined]),
    );
  });

  it.each(['server/discover', 'resources/list', 'toString', '__proto__', 'constructor'])(
    'does not know the method %s',
    async (method) => {
      const { status, body } = await mcp.send({ jsonrpc: '2.0', id: 1, method });
      expect(status).toBe(200);
      expect(body).toEqual({ jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'Method not found' } });
    },
  );

  it('hides an unexpected error from the caller and tells it to its owner', async () => {
    const seen: unknown[] = [];
    const cause = new Error('password is hunter2');
    const broken = serve([tool('ring')], () => {
      throw cause;
    });
    const { status, body } = await broken.send(
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ring' } },
      { log: (level, message, fields) => seen.push({ level, message, fields }) },
    );
    expect(status).toBe(200);
    expect(body).toEqual({ jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'internal error' } });
    expect(seen).toEqual([{ level: 'error', message: 'an MCP call failed', fields: { error: cause } }]);
  });
});
