import { verifies } from '@waymark/contract/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Served, servedBy } from './mcp/served-by.ts';
import { type ClientMode, clientModes, type Session } from './mcp/sessions.ts';
import { clerkKey, operatorKey, png, toolsOfClerk, toolsOfOperator } from './mcp/support-desk.ts';

const text = (words: string) => [{ type: 'text', text: words }];

const topologies = [
  { topology: 'one process', processes: 1 },
  { topology: 'two processes behind a proxy', processes: 2 },
];

describe.each(topologies)('against $topology', ({ processes }) => {
  let served: Served;

  beforeAll(async () => {
    served = await servedBy('e2e/test/mcp/serve-support-desk.ts', processes);
  });
  afterAll(() => served.close());

  describe.each(clientModes)('the official $name', (mode) => {
    checkClient(mode, () => served);
  });

  it.runIf(processes > 1)('sees every process take part', () => {
    expect(Math.min(...served.counts)).toBeGreaterThan(50);
  });
});

function checkClient(mode: ClientMode, served: () => Served): void {
  let operator: Session;
  let clerk: Session;

  beforeAll(async () => {
    operator = await mode.connect(served().url, operatorKey);
    clerk = await mode.connect(served().url, clerkKey);
  });
  afterAll(async () => {
    await operator.close();
    await clerk.close();
  });

  it('opens with the revision of its mode', async () => {
    verifies(
      'mcp.initialize',
      'mcp.ping',
      'mcp.shapes',
      'purpose.mcp.address',
      'version.server-info',
      'version.mcp-negotiated',
    );
    expect(operator.revision).toBe(mode.revision);
    expect(operator.server()).toEqual({ name: 'support', version: '4.5.6' });
    expect(operator.instructions()).toBe('Tickets and a bell.');
    // 2026-07-28 has no ping any more.
    if (mode.revision < '2026') expect(await operator.ping()).toEqual({});
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
    const overHttp = await fetch(new URL('/tickets/x', served().url), {
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
    const overHttp = await fetch(new URL('/bell', served().url), { headers: { 'x-api-key': clerkKey } });
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

  it('hears how far a call is', async () => {
    const heard: unknown[] = [];
    const result = await operator.call('count', {}, { onprogress: (progress) => heard.push(progress) });
    expect(heard).toMatchObject([1, 2, 3].map((progress) => ({ progress, total: 3 })));
    expect(result).toMatchObject({ content: text('counted') });
  });

  it('gives up a call, and goes on', async () => {
    const giveUp = new AbortController();
    const waiting = operator.call('wait', {}, { signal: giveUp.signal });
    await operator.call('get_tags');
    giveUp.abort();
    await expect(waiting).rejects.toThrow();
    expect(await operator.call('get_tickets_by_id', { id: 7 })).toMatchObject({ isError: false });
  });
}
