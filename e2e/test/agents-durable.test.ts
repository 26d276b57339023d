import type { Json } from '@waymark/contract';
import { validateValue } from '@waymark/contract/schema';
import { type ScriptedReply, verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { serveAgents } from './agents-served.ts';

/** A result as it was sent. */
type Sent = {
  readonly run_id: string;
  readonly status: string;
  readonly output: string;
  readonly path: readonly string[];
  readonly steps: readonly { readonly kind: string; readonly seq: number; readonly [name: string]: Json }[];
  readonly usage: { readonly [name: string]: number | null };
  readonly pending_approvals: readonly { readonly approval_id: string }[];
};

const read = async (response: Response): Promise<Sent> => (await response.json()) as Sent;

/** A run that does everything an agent can do. */
const everything: readonly ScriptedReply[] = [
  { calls: [{ name: 'look' }, { name: 'nope' }] },
  (request) => ({
    message: {
      role: 'assistant',
      parts: [{ type: 'tool_call', id: 'c9', name: 'inner', arguments: { input: 'Pay.' } }],
    },
    stop: 'tool_calls',
    spend: [
      {
        ...{ model: request.model, provider: 'scripted', inputTokens: 500, outputTokens: 5 },
        ...{ cacheReadTokens: 0, cacheWriteTokens: 0, costMicros: null, estimated: false },
      },
    ],
  }),
  { calls: [{ name: 'pay', arguments: { cents: 5 } }], text: 'It was broken.' },
  'Inner paid.',
  'What was said so far.',
  { calls: [{ name: 'transfer_to_back', arguments: { reason: 'they are done' } }] },
  'All done.',
];

const free = {
  ...{ provider: 'scripted', inputTokens: 0, outputTokens: 0, cacheReadTokens: 0 },
  ...{ cacheWriteTokens: 0, costMicros: null, estimated: false },
};

const kinds = ['approval_decided', 'approval_requested', 'compaction', 'context', 'handoff', 'model'];

describe('an agent over HTTP', () => {
  it('waits for a human, goes on where it was and tells every kind of step', async () => {
    verifies('agent.step.kinds', 'agent.step.members', 'agent.result.members', 'agent.route.post');
    verifies('agent.sse.steps', 'agent.usage.members');
    const { ask, table } = await serveAgents(everything);
    const started = await ask('/agents/front', { input: 'Hi.' });
    expect(started.status).toBe(202);
    const location = started.headers.get('location') ?? '';
    const waiting = await read(started);
    const { output } = table.get('front')!;
    expect(validateValue(output[202]!, waiting)).toEqual([]);
    expect(waiting.status).toBe('awaiting_approval');
    const decision = `/_svc/approvals/${waiting.pending_approvals[0]?.approval_id}`;
    expect((await ask(decision, { approve: true, note: '' })).status).toBe(200);
    const response = await ask(location);
    const result = await read(response);
    expect(response.status).toBe(200);
    expect(validateValue(output[200]!, result)).toEqual([]);
    expect(result).toMatchObject({ status: 'completed', output: 'All done.', path: ['front', 'back'] });
    expect(result.usage).toMatchObject({ steps: 4, tool_calls: 3, handoffs: 1, compactions: 1 });
    // The whole tree, as it can be followed again.
    const stream = await (await ask(location, undefined, { accept: 'text/event-stream' })).text();
    const events = parseEvents(stream);
    const steps = events
      .filter(({ event }) => event === 'step')
      .map(({ data }) => data as Sent['steps'][number]);
    expect([...new Set(steps.map(({ kind }) => kind))].sort()).toEqual([
      ...kinds,
      'tool_call',
      'tool_refused',
    ]);
    for (const step of steps)
      expect(step).toMatchObject({
        seq: expect.any(Number) as unknown,
        at_ms: expect.any(Number) as unknown,
        duration_ms: expect.any(Number) as unknown,
      });
    expect(events.at(-1)).toMatchObject({
      event: 'result',
      data: { status: 200, body: { status: 'completed' } },
    });
    expect(events.filter(({ event }) => event === 'step').map(({ id }) => id)).toEqual(
      steps.map(({ seq }) => `${result.run_id}/${seq}`),
    );
    // Whoever comes back, as an EventSource does after every answer.
    const later = async (id: string) => {
      const again = await ask(location, undefined, { accept: 'text/event-stream', 'last-event-id': id });
      return [again.status, parseEvents(await again.text()).map((event) => event.event)];
    };
    const last = steps.at(-1)?.seq;
    expect(await later(`${last}`)).toEqual([200, ['run', 'result']]);
    expect(await later(`${result.run_id}/${last}`)).toEqual([200, ['run', 'result']]);
    expect(await later(events.at(-1)?.id ?? '')).toEqual([204, []]);
    expect(await later(`other/${last}`)).toEqual([200, events.map(({ event }) => event)]);
  });

  it('tells steps as they happen, text as it comes, and its result last', async () => {
    verifies('agent.sse.steps', 'agent.sse.deltas');
    const { ask } = await serveAgents([{ calls: [{ name: 'look' }], text: 'Looking.' }, 'Seen.']);
    const accept = { accept: 'text/event-stream' };
    const response = await ask('/agents/front', { input: 'Hi.', stream: true }, accept);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const events = parseEvents(await response.text());
    const names = events.map(({ event, data }) =>
      event === 'step' ? (data as { kind: string }).kind : event,
    );
    expect(names).toEqual(['run', 'context', 'delta', 'model', 'tool_call', 'delta', 'model', 'result']);
    expect(events[2]?.data).toMatchObject({ agent: 'front', text: 'Looking.' });
    expect(events.at(-1)?.data).toMatchObject({
      status: 200,
      body: { status: 'completed', output: 'Seen.' },
    });
  });

  it('answers a plain problem when nothing was streamed yet', async () => {
    verifies('agent.sse.early-error');
    const { ask } = await serveAgents([]);
    const response = await ask('/agents/front', { input: 7 }, { accept: 'text/event-stream' });
    expect(response.status).toBe(422);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
  });

  it('answers what failed as a problem with the whole result', async () => {
    verifies('agent.route.failed', 'http.problem.run');
    const { ask } = await serveAgents([new Error('a bug')]);
    const response = await ask('/agents/front', { input: 'Hi.' });
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({
      detail: 'internal error',
      run: { status: 'failed', agent: 'front', steps: [{ kind: 'context' }, { kind: 'model' }] },
    });
  });

  it('pays from its budget for what it calls, and ends with what it said when that is used up', async () => {
    verifies('agent.option.token-budget', 'limit.token-budget');
    const { ask } = await serveAgents([
      { calls: [{ name: 'writer', arguments: { input: 'Tell.' } }], text: 'I ask.' },
      ({ model }) => ({
        message: { role: 'assistant', parts: [{ type: 'text', text: 'A long story.' }] },
        stop: 'end',
        spend: [{ ...free, model, outputTokens: 1_990 }],
      }),
      'Never said.',
    ]);
    const result = await read(await ask('/agents/thrifty', { input: 'Hi.' }));
    expect(result).toMatchObject({ status: 'budget_exhausted', output: 'I ask.', path: ['thrifty'] });
  });

  it('keeps sizes of pictures in its steps, and no base64', async () => {
    const { ask } = await serveAgents([{ calls: [{ name: 'camera' }] }, 'Seen.']);
    const text = await (await ask('/agents/front', { input: 'Look.' })).text();
    expect(text).toContain('"media_type":"image/png"');
    expect(text).toContain('"bytes":');
    expect(text).not.toContain('iVBOR');
  });
});

/** A tool as a list of them shows it. */
interface Described {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly properties: object };
}

describe('an agent over MCP', () => {
  const call = (name: string, values: object) => ({
    ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
    params: { name, arguments: values } as Json,
  });

  it('is a tool under its name, whose result is the whole envelope', async () => {
    verifies('agent.nested.envelope', 'agent.option.description');
    const { ask } = await serveAgents(['Hello.']);
    const response = await ask('/_svc/mcp', call('front', { input: 'Hi.' }));
    const { result } = (await response.json()) as {
      result: { content: { text: string }[]; isError: boolean };
    };
    expect(result.isError).toBe(false);
    expect(JSON.parse(result.content[0]?.text ?? '')).toMatchObject({
      ...{ status: 'completed', output: 'Hello.', agent: 'front' },
    });
  });

  it('is shown with what it takes', async () => {
    verifies('agent.option.description', 'endpoint.agent.body');
    const { ask } = await serveAgents([]);
    const response = await ask('/_svc/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const { result } = (await response.json()) as { result: { tools: readonly Described[] } };
    const front = result.tools.find(({ name }) => name === 'front');
    expect(front?.description).toBe('Answers everybody.');
    const names = Object.keys(front?.inputSchema.properties ?? {});
    expect(names).toEqual(['input', 'session_id', 'reset', 'images', 'stream']);
  });
});

function parseEvents(
  text: string,
): readonly { readonly event: string; readonly id: string | undefined; readonly data: Json }[] {
  return text
    .split('\n\n')
    .filter((block) => block.includes('data:'))
    .map((block) => ({
      event: /^event: ?(.*)$/m.exec(block)?.[1] ?? '',
      id: /^id: ?(.*)$/m.exec(block)?.[1],
      data: JSON.parse(/^data: ?(.*)$/m.exec(block)?.[1] ?? 'null') as Json,
    }));
}
