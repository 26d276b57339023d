import {
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
} from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { verifies } from '@waymark/contract/testing';
import { createApplication, HTTPError, media, type RunningApplication, Type } from '@waymark/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const operatorKey = 'operator-key-of-the-test';
const clerkKey = 'clerk-key-of-the-test-1';
const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47]);

const app = createApplication('support', {
  version: '4.5.6',
  description: 'Tickets and a bell.',
  port: 0,
  env: { OPERATOR: operatorKey, CLERK: clerkKey, LOG_LEVEL: 'silent' },
});
app.apiKey('OPERATOR', 'operator', { scopes: ['svc:admin', 'bell:ring', 'logs:erase'] });
app.apiKey('CLERK', 'clerk', { scopes: ['svc:admin'] });
app.get(
  '/tickets/{id}/summary',
  {
    input: { id: Type.Integer(), style: Type.String({ default: 'short' }) },
    summary: 'Summarise a ticket.',
    tool: true,
  },
  ({ id, style }) => `${style} summary of ${id}`,
);
app.get(
  '/tickets/{id}',
  {
    input: { id: Type.Integer() },
    output: Type.Object({ id: Type.Integer(), title: Type.String() }),
    tool: true,
  },
  ({ id }) => ({ id, title: 'Printer' }),
);
app.get('/tags', { output: Type.Array(Type.String()), tool: true }, () => ['new', 'urgent']);
app.get('/whoami', { tool: true }, (_input, { user }) => user);
app.get('/bell', { toolName: 'ring_bell', scopes: ['bell:ring'], tool: true }, () => ({ rung: true }));
app.post(
  '/door',
  { input: { seconds: Type.Integer() }, toolName: 'open_door', approval: 'required', tool: true },
  () => ({
    open: true,
  }),
);
app.delete(
  '/logs',
  { toolName: 'erase_logs', approval: 'required', scopes: ['logs:erase'], tool: true },
  () => ({}),
);
app.get('/conflict', { toolName: 'conflict', tool: true }, () => {
  throw new HTTPError(409, 'the ticket is closed');
});
app.get('/crash', { toolName: 'crash', tool: true }, () => {
  throw new Error('password is hunter2');
});
app.get('/picture', { toolName: 'picture', output: media('image/png'), tool: true }, () => png);
app.get('/not-a-tool', () => ({}));

const toolsOfAll = ['get_tickets_by_id_summary', 'get_tickets_by_id', 'get_tags', 'get_whoami'];
const toolsOfOperator = [
  ...toolsOfAll,
  'ring_bell',
  'open_door',
  'erase_logs',
  'conflict',
  'crash',
  'picture',
];

const toolsOfClerk = toolsOfOperator.filter((name) => name !== 'ring_bell' && name !== 'erase_logs');

let running: RunningApplication;
let endpoint: URL;

beforeAll(async () => {
  running = await app.listen();
  endpoint = new URL('/_svc/mcp', running.url);
});
afterAll(() => running.close());

/** What both generations of the official client have in common. */
type Session = Pick<ClientV1, 'close'> & {
  server(): unknown;
  instructions(): string | undefined;
  ping(): Promise<unknown>;
  tools(): Promise<readonly Readonly<Record<string, unknown>>[]>;
  call(name: string, values?: Record<string, unknown>): Promise<Readonly<Record<string, unknown>>>;
};

const clientInfo = { name: 'e2e', version: '1.0.0' };
const withKey = (key: string) => ({ requestInit: { headers: { 'x-api-key': key } } });

async function v1(key: string): Promise<Session> {
  const client = new ClientV1(clientInfo);
  await client.connect(new TransportV1(endpoint, withKey(key)));
  return sessionOf(client);
}

async function v2(key: string, mode: 'legacy' | 'auto'): Promise<Session> {
  const client = new ClientV2(clientInfo, { versionNegotiation: { mode } });
  await client.connect(new TransportV2(endpoint, withKey(key)));
  return sessionOf(client);
}

function sessionOf(client: ClientV1 | ClientV2): Session {
  return {
    server: () => client.getServerVersion(),
    instructions: () => client.getInstructions(),
    ping: () => client.ping(),
    tools: async () => (await client.listTools()).tools,
    call: (name, values) => client.callTool({ name, ...(values && { arguments: values }) }),
    close: () => client.close(),
  };
}

const text = (words: string) => [{ type: 'text', text: words }];

describe.each([
  ['client v1', (key: string) => v1(key)],
  ['client v2', (key: string) => v2(key, 'legacy')],
  ['client v2, asking for the newest revision first', (key: string) => v2(key, 'auto')],
])('the official %s', (_name, connect) => {
  let operator: Session;
  let clerk: Session;

  beforeAll(async () => {
    operator = await connect(operatorKey);
    clerk = await connect(clerkKey);
  });
  afterAll(async () => {
    await operator.close();
    await clerk.close();
  });

  it('initialises and pings', async () => {
    verifies(
      'mcp.initialize',
      'mcp.ping',
      'mcp.shapes',
      'purpose.mcp.address',
      'version.server-info',
      'version.mcp-negotiated',
    );
    expect(operator.server()).toEqual({ name: 'support', version: '4.5.6' });
    expect(operator.instructions()).toBe('Tickets and a bell.');
    expect(await operator.ping()).toEqual({});
  });

  it('lists the tools of its caller, in the order of declaration', async () => {
    verifies(
      'mcp.list',
      'mcp.list.order',
      'mcp.list.filtered-by-scopes',
      'auth.mcp.list-filtered',
      'error.mcp.scopes.absent',
    );
    expect((await operator.tools()).map(({ name }) => name)).toEqual(toolsOfOperator);
    expect((await clerk.tools()).map(({ name }) => name)).toEqual(toolsOfClerk);
  });

  it('sees which tools are gated', async () => {
    verifies('descriptor.meta');
    const gated = (await operator.tools()).filter(({ _meta }) => _meta !== undefined);
    expect(gated.map(({ name }) => name)).toEqual(['open_door', 'erase_logs']);
    expect(gated[0]?.['_meta']).toEqual({ 'waymark/requiresApproval': true });
  });

  it('calls a tool, with defaults filled in', async () => {
    verifies('mcp.call', 'mcp.result.string', 'purpose.route.mcp');
    const { content, isError } = await operator.call('get_tickets_by_id_summary', { id: 7 });
    expect({ content, isError }).toEqual({ content: text('short summary of 7'), isError: false });
  });

  it('gets structured content that fits the declared output', async () => {
    verifies('mcp.result.structured', 'mcp.result.structured-wrapped', 'mcp.result.json-text');
    // The clients compile the output schemas when they list, and check what is called afterwards against them.
    await operator.tools();
    expect(await operator.call('get_tickets_by_id', { id: 7 })).toMatchObject({
      content: text('{"id":7,"title":"Printer"}'),
      structuredContent: { id: 7, title: 'Printer' },
    });
    expect(await operator.call('get_tags')).toMatchObject({
      content: text('["new","urgent"]'),
      structuredContent: { result: ['new', 'urgent'] },
    });
  });

  it('gets a picture as an image', async () => {
    expect((await operator.call('picture')).content).toEqual([
      { type: 'image', data: Buffer.from(png).toString('base64'), mimeType: 'image/png' },
    ]);
  });

  it('runs tools as the caller', async () => {
    verifies('mcp.call.own-principal');
    for (const [session, id] of [
      [operator, 'operator'],
      [clerk, 'clerk'],
    ] as const) {
      const [item] = (await session.call('get_whoami')).content as { text: string }[];
      expect(JSON.parse(item?.text ?? '')).toMatchObject({ id, root_id: id, authenticated: true });
    }
  });

  it('reads a failing tool as a result', async () => {
    verifies('mcp.call.failure-is-result', 'error.mcp.tool-failed', 'error.mcp.tool-failed.is-error');
    expect(await operator.call('conflict')).toMatchObject({
      content: text('tool conflict failed with 409: the ticket is closed'),
      isError: true,
    });
    expect(await operator.call('crash')).toMatchObject({
      content: text('tool crash failed with 500: internal error'),
      isError: true,
    });
  });

  it('reads the same detail as over HTTP for arguments that do not fit', async () => {
    verifies('door.equal-detail', 'mcp.call.failure-is-result');
    const overHttp = await fetch(new URL('/tickets/x', running.url), {
      headers: { 'x-api-key': operatorKey },
    });
    expect(overHttp.status).toBe(422);
    const { detail } = (await overHttp.json()) as { detail: string };
    expect(await operator.call('get_tickets_by_id', { id: 'x' })).toMatchObject({
      content: text(`tool get_tickets_by_id failed with 422: ${detail}`),
      isError: true,
    });
  });

  it('is refused a gated tool, whatever the arguments', async () => {
    verifies(
      'mcp.call.approval-refused',
      'error.mcp.approval',
      'error.mcp.approval.is-error',
      'gate.mcp.bare',
    );
    verifies('gate.mcp.before-validation', 'route.option.approval.mcp', 'state.gate.no-direct-mcp');
    const refusal = text('tool "open_door" requires human approval and cannot be invoked directly over MCP');
    for (const values of [{ seconds: 5 }, { seconds: 'many' }, {}]) {
      expect(await operator.call('open_door', values)).toMatchObject({ content: refusal, isError: true });
    }
  });

  it('meets the scopes of a route that is missing from its list', async () => {
    verifies('error.mcp.scopes.checked', 'auth.mcp.own-authority', 'auth.mcp.no-substitution');
    const overHttp = await fetch(new URL('/bell', running.url), { headers: { 'x-api-key': clerkKey } });
    expect(overHttp.status).toBe(403);
    const { detail } = (await overHttp.json()) as { detail: string };
    expect(await clerk.call('ring_bell')).toMatchObject({
      content: text(`tool ring_bell failed with 403: ${detail}`),
      isError: true,
    });
    expect(await operator.call('ring_bell')).toMatchObject({ content: text('{"rung":true}') });
  });

  it('learns nothing of a gate behind scopes that it lacks', async () => {
    verifies('gate.mcp.after-scopes');
    const [item] = (await clerk.call('erase_logs')).content as { text: string }[];
    expect(item?.text).toMatch(/^tool erase_logs failed with 403: /);
    expect(item?.text).not.toContain('approval');
  });

  it.each(['no_such_tool', 'get_not_a_tool'])('is told that %s is no tool', async (name) => {
    verifies('mcp.unknown-tool');
    await expect(operator.call(name)).rejects.toMatchObject({ code: -32602 });
  });

  it('gets each answer to its own request when many are under way', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, id) => operator.call('get_tickets_by_id_summary', { id })),
    );
    expect(answers.map(({ content }) => content)).toEqual(
      answers.map((_, id) => text(`short summary of ${id}`)),
    );
  });
});

describe('the MCP endpoint', () => {
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    fetch(endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': operatorKey, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });

  it('is out of reach without a credential', async () => {
    const answer = await post({ jsonrpc: '2.0', id: 1, method: 'ping' }, { 'x-api-key': 'wrong' });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).not.toBeNull();
  });

  it('keeps no session', async () => {
    verifies('mcp.stateless');
    const answer = await post({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(answer.headers.has('mcp-session-id')).toBe(false);
  });

  it.each(['GET', 'DELETE'])('answers %s with 405', async (method) => {
    const answer = await fetch(endpoint, { method, headers: { 'x-api-key': operatorKey } });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toContain('POST');
  });

  it('takes notifications with 202 and an empty body', async () => {
    verifies('mcp.notification');
    const answer = await post({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect([answer.status, await answer.text()]).toEqual([202, '']);
  });

  it('refuses what is not JSON with 400, and another content type with 415', async () => {
    const broken = await post('{"jsonrpc":');
    expect(broken.status).toBe(400);
    expect(await broken.json()).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32700 } });
    expect((await post('{}', { 'content-type': 'text/plain' })).status).toBe(415);
  });

  it('describes the example of the specification exactly as decided', async () => {
    verifies('descriptor.example', 'descriptor.four-members');
    const answer = await post({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    expect(await answer.text()).toContain(
      '{"tools":[{"name":"get_tickets_by_id_summary","description":"Summarise a ticket.","inputSchema":{"type":"object","properties":{"id":{"type":"integer"},"style":{"type":"string","default":"short"}},"required":["id"],"additionalProperties":false},"annotations":{"readOnlyHint":true,"idempotentHint":true,"requiresApproval":false}},',
    );
  });

  it.each([operatorKey, clerkKey])(
    'lists the same tools as the plain listing for the key %s',
    async (key) => {
      verifies('mcp.list.only-own', 'mcp.list.order');
      const answer = await post({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, { 'x-api-key': key });
      const plain = await fetch(new URL('/_svc/tools', running.url), { headers: { 'x-api-key': key } });
      const namesOf = (tools: readonly { name: string }[]): readonly string[] =>
        tools.map(({ name }) => name);
      const { result } = (await answer.json()) as { result: { tools: { name: string }[] } };
      const { tools } = (await plain.json()) as { tools: { name: string }[] };
      expect(namesOf(result.tools)).toEqual(key === operatorKey ? toolsOfOperator : toolsOfClerk);
      expect(namesOf(tools)).toEqual(namesOf(result.tools));
    },
  );

  it('refuses a tool over MCP that its caller may use over HTTP', async () => {
    verifies('gate.http');
    const overHttp = await fetch(new URL('/door', running.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': operatorKey },
      body: '{"seconds":5}',
    });
    expect([overHttp.status, await overHttp.json()]).toEqual([200, { open: true }]);
  });

  it('holds the gate for every member of a batch', async () => {
    verifies('mcp.batch', 'gate.batch');
    const call = {
      jsonrpc: '2.0',
      method: 'tools/call',
      params: { name: 'open_door', arguments: { seconds: 5 } },
    };
    const answer = await post([
      { ...call, id: 1 },
      { ...call, id: 2 },
    ]);
    expect(answer.status).toBe(200);
    const words = 'tool "open_door" requires human approval and cannot be invoked directly over MCP';
    expect(await answer.json()).toEqual(
      [1, 2].map((id) => ({ jsonrpc: '2.0', id, result: { content: text(words), isError: true } })),
    );
  });
});
