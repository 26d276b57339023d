import { verifies } from '@waymark/contract/testing';
import { createApplication, type RunningApplication } from '@waymark/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFixture } from '../conformance/fixture.ts';
import {
  error,
  legacy,
  legacyRevisions,
  modern,
  modernHeaders,
  modernRevision,
  post,
  postModern,
} from './mcp/messages.ts';
import { clerkKey, createSupportDesk, operatorKey } from './mcp/support-desk.ts';
import { serve } from './served.ts';
import { ask, type WireRequest } from './wire/connection.ts';

let open: RunningApplication;
let desk: RunningApplication;

beforeAll(async () => {
  open = await createFixture().listen();
  desk = await createSupportDesk().listen();
});
afterAll(() => Promise.all([open.close(), desk.close()]));

const target = '/_svc/mcp';
const ping = legacy('ping');
const text = JSON.stringify(ping);

describe('the MCP endpoint over HTTP', () => {
  it.each(['GET', 'DELETE', 'PUT'])('answers %s with 405, and says what is allowed', async (method) => {
    for (const revision of ['', ...legacyRevisions, modernRevision]) {
      const headers = revision === '' ? [] : [['mcp-protocol-version', revision] as const];
      const answer = await ask(open.port, { method, target, headers });
      expect(answer.status).toBe(405);
      expect(answer.headers.get('allow')).toContain('POST');
    }
  });

  it('keeps no session, whatever the client believes', async () => {
    verifies('mcp.stateless');
    const opened = await post(open, legacy('initialize', {}), [['mcp-session-id', 'of-another-life']]);
    expect(opened.status).toBe(200);
    expect(opened.headers.has('mcp-session-id')).toBe(false);
    // Nobody initialised here, and nobody knows that session.
    const list = await post(open, legacy('tools/list'), [['mcp-session-id', 'of-another-life']]);
    expect(list.json).toMatchObject({ result: { tools: expect.any(Array) } });
    expect(list.headers.has('mcp-session-id')).toBe(false);
  });

  it('takes notifications with 202 and an empty body', async () => {
    verifies('mcp.notification');
    const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 99 } };
    for (const message of [initialized, cancelled, { jsonrpc: '2.0', method: 'notifications/unheard-of' }])
      expect(await post(open, message)).toMatchObject({ status: 202, body: '' });
  });

  it('takes answers to questions it never asked with 202 and an empty body', async () => {
    for (const message of [
      { jsonrpc: '2.0', id: 7, result: {} },
      { jsonrpc: '2.0', id: 7, error: { code: -32603, message: 'no' } },
    ])
      expect(await post(open, message)).toMatchObject({ status: 202, body: '' });
  });

  it.each(['', '{"jsonrpc":', '{"jsonrpc":"2.0",}', 'null null', '\u0000'])(
    'answers %j with 400 and a parse error',
    async (body) => {
      const answer = await post(open, body);
      expect([answer.status, answer.json]).toMatchObject([400, { jsonrpc: '2.0', ...error(-32700) }]);
      expect(answer.json).toHaveProperty('id', null);
    },
  );

  it.each(['text/plain', 'application/jsonl', 'application/json-rpc', ''])(
    'answers the content type %j with 415',
    async (type) => {
      expect((await post(open, ping, [['content-type', type]])).status).toBe(415);
    },
  );

  it.each(['application/json; charset=utf-8', 'Application/JSON'])(
    'takes the content type %j',
    async (type) => {
      expect(await post(open, ping, [['content-type', type]])).toMatchObject({
        status: 200,
        json: { id: 1 },
      });
    },
  );

  it('answers a body over 1 MiB with 413, and takes one just below', async () => {
    const call = (length: number): string =>
      JSON.stringify(legacy('tools/call', { name: 'echo', arguments: { text: 'x'.repeat(length) } }));
    const frame = call(0).length;
    expect((await post(open, call(1_048_576 - frame))).status).toBe(200);
    expect((await post(open, call(1_048_577 - frame))).status).toBe(413);
  });

  it.each(['', '*/*', 'application/json', 'application/*', 'application/json;q=0.1, text/html'])(
    'answers in JSON whoever sends the Accept %j',
    async (accept) => {
      const headers = [['accept', accept]] as const;
      expect(await post(open, ping, headers)).toMatchObject({ status: 200, json: { result: {} } });
      expect(await postModern(open, 'tools/list', {}, headers)).toMatchObject({
        status: 200,
        json: { result: { tools: expect.any(Array) } },
      });
    },
  );

  it.each(['text/html', 'application/json;q=0', 'image/*'])(
    'answers 406 to whoever takes nothing that it has: %j',
    async (accept) => {
      expect((await post(open, ping, [['accept', accept]])).status).toBe(406);
    },
  );

  it('answers in JSON, of known length', async () => {
    const { headers, body } = await post(open, ping);
    expect(headers.get('content-type')).toMatch(/^application\/json\b/);
    expect(headers.get('content-length')).toBe(String(Buffer.byteLength(body)));
  });

  it('answers each of several requests on one connection', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, async (_, n) =>
        n % 2 === 0
          ? post(open, legacy('tools/call', { name: 'echo', arguments: { text: `${n}` } }, n))
          : post(
              open,
              modern('tools/call', { name: 'echo', arguments: { text: `${n}` } }, n),
              modernHeaders('tools/call', 'echo'),
            ),
      ),
    );
    expect(answers.map(({ json }) => json)).toMatchObject(
      answers.map((_, n) => ({ id: n, result: { structuredContent: { text: `${n}` } } })),
    );
  });
});

describe('who may reach the MCP endpoint', () => {
  const wrongKey = { port: 0, key: 'wrong-key-of-the-test' };

  it('asks for a credential before it says anything else', async () => {
    verifies('mcp.check-order');
    const { port } = desk;
    const requests: readonly WireRequest[] = [
      { method: 'GET', target },
      { method: 'DELETE', target },
      { method: 'POST', target, body: text, headers: [['content-type', 'application/json']] },
      { method: 'POST', target, body: 'no JSON', headers: [['content-type', 'text/plain']] },
      { method: 'POST', target, body: text, headers: [['mcp-protocol-version', '1999-01-01']] },
    ];
    for (const request of requests) {
      const answer = await ask(port, request);
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toBeTruthy();
    }
    expect((await post({ ...wrongKey, port }, ping)).status).toBe(401);
  });

  it.each(['access_token', 'x-api-key', 'api_key', 'key'])(
    'takes no key from the query as %s',
    async (name) => {
      const answer = await ask(desk.port, {
        method: 'POST',
        target: `${target}?${name}=${operatorKey}`,
        headers: [['content-type', 'application/json']],
        body: text,
      });
      expect(answer.status).toBe(401);
    },
  );

  it.each(['oauth-protected-resource', 'oauth-protected-resource/_svc/mcp', 'oauth-authorization-server'])(
    'has nothing under /.well-known/%s, and says so in JSON',
    async (path) => {
      verifies('mcp.auth.json-404');
      const answer = await ask(open.port, { target: `/.well-known/${path}` });
      expect(answer.status).toBe(404);
      expect(answer.headers.get('content-type')).toMatch(/json/);
      expect(() => JSON.parse(answer.body)).not.toThrow();
    },
  );

  it('lets both keys in, and nobody with a method that is not allowed', async () => {
    for (const key of [operatorKey, clerkKey]) {
      expect((await post({ port: desk.port, key }, ping)).status).toBe(200);
      const answer = await ask(desk.port, { method: 'GET', target, headers: [['x-api-key', key]] });
      expect(answer.status).toBe(405);
    }
  });

  it('tells a caller without its scope which one it needs', async () => {
    verifies('mcp.auth.insufficient-scope');
    const app = createApplication('poor', {
      port: 0,
      env: { LOG_LEVEL: 'silent', POOR: 'the-key-of-the-poor' },
    });
    const { port } = await serve(app.apiKey('POOR', 'poor', { scopes: ['other'] }));
    const answer = await post({ port, key: 'the-key-of-the-poor' }, ping);
    expect(answer.status).toBe(403);
    expect(answer.headers.get('www-authenticate')).toMatch(/error="insufficient_scope".*scope="svc:admin"/);
  });

  it.each(['evil.example', 'evil.example:80', '127.0.0.1.evil.example'])(
    'refuses the Host %s, where nobody has to log in',
    async (host) => {
      expect((await postRaw([['host', host]])).status).toBe(403);
    },
  );

  it.each(['https://evil.example', 'http://127.0.0.1.evil.example', 'null'])(
    'refuses the Origin %s',
    async (origin) => {
      expect((await postRaw([['origin', origin]])).status).toBe(403);
    },
  );

  it('takes its own origin, and callers without one', async () => {
    const host = `127.0.0.1:${open.port}`;
    const own = await postRaw([
      ['host', host],
      ['origin', `http://${host}`],
    ]);
    expect(own.status).toBe(200);
    expect((await postRaw([['host', 'localhost']])).status).toBe(200);
  });

  function postRaw(headers: NonNullable<WireRequest['headers']>): ReturnType<typeof post> {
    return post(open, ping, headers);
  }
});
