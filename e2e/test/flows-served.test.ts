/** Flows of a whole application, over HTTP and MCP, with a simulated model. */
import { type Json, Type } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { startSimulator } from '@waymark/model-simulator';
import { createApplication } from '@waymark/server';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

type Members = { readonly [name: string]: Json };

const secret = 'ann-secret-of-more-than-16-bytes';

/** What a simulated model does that reads it. */
const choosing = (label: string) => `[[call choose {"label":"${label}"}]]`;

let url = '';
let refunds = 0;
let close: () => Promise<void> = async () => {};

beforeAll(async () => {
  const simulator = await startSimulator({ anonymous: true });
  const app = createApplication('desk', { port: 0, env: { LOG_LEVEL: 'silent', ANN_KEY: secret } });
  const tool = { tool: true, scopes: ['desk'] } as const;
  const id = Type.Integer();
  app
    .apiKey('ANN_KEY', 'ann', { scopes: ['desk', 'svc:admin'] })
    .provider('simulator', simulator.url, { kind: 'anthropic' })
    .models({ default: 'simulator/claude-opus-5', fast: 'simulator/claude-haiku-4-5' })
    .pricing('default', 5, 25)
    .pricing('fast', 1, 5)
    .get('/tickets/{id}', { ...tool, toolName: 'get_ticket', summary: 'Reads.', input: { id } }, (input) => ({
      ...input,
      title: 'The lamp is broken',
    }))
    .post('/refunds', { ...tool, toolName: 'refund', summary: 'Pays.', approval: 'required' }, () => {
      refunds++;
      return 'paid';
    })
    .post(
      '/mail',
      { ...tool, toolName: 'mail', summary: 'Mails.', input: { text: Type.String() } },
      ({ text }) => text,
    )
    .agent('writer', { description: 'Writes.', scopes: ['desk'] })
    .agent('brief', { description: 'Writes little.', scopes: ['desk'], maxTokens: 5 })
    .agent('clerk', { description: 'Pays.', scopes: ['desk'], tools: ['pay_back'] })
    .flow('tell_customer', {
      description: 'Tells what a ticket says.',
      pipeline: [
        { tool: 'get_ticket', input: { id: '$input.id' } },
        { tool: 'mail', input: { text: '$.title' } },
      ],
      ...{ scopes: ['desk'], inputSchema: { id } },
    })
    .flow('pay_back', { pipeline: [{ tool: 'refund', input: {} }, 'writer'], scopes: ['desk'] })
    .flow('note', { pipeline: ['brief', 'writer'], scopes: ['desk'] })
    .flow('both', {
      parallel: [
        { tool: 'refund', input: {} },
        { tool: 'mail', input: { text: 'Soon.' } },
      ],
      scopes: ['desk'],
    })
    .flow('counter', { pipeline: ['clerk'], scopes: ['desk'] })
    .flow('triage', {
      route: { money: 'pay_back', story: 'writer' },
      ...{ scopes: ['desk'], classifyPrompt: 'Sort into {labels}: {input}' },
    });
  const running = await app.listen();
  url = running.url;
  close = async () => {
    await running.close();
    await simulator.close();
  };
});

afterAll(() => close());

async function ask(path: string, body?: Json, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(url + path, {
    headers: { 'x-api-key': secret, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const { status } = response;
  return {
    status,
    text,
    type: response.headers.get('content-type'),
    location: response.headers.get('location'),
  };
}

const read = async (path: string, body?: Json): Promise<Members> =>
  JSON.parse((await ask(path, body)).text) as Members;

const callOverMcp = async (name: string, values: Json) => {
  const params = { name, arguments: values };
  const { result } = await read('/_svc/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  return result as {
    readonly isError: boolean;
    readonly content: readonly { readonly text: string }[];
    readonly structuredContent?: Json;
  };
};

describe('a flow over HTTP', () => {
  it('answers its result', async () => {
    verifies('flow.route.post', 'flow.result.members', 'endpoint.agent.answers', 'flow.option.pipeline');
    const { status, text } = await ask('/flows/tell-customer', { id: 7 });
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({
      ...{ flow: 'tell_customer', status: 'completed', output: 'The lamp is broken' },
      steps: [
        { tool: 'get_ticket', ok: true },
        { tool: 'mail', ok: true },
      ],
    });
  });

  it('checks its input', async () => {
    verifies('flow.option.input-schema');
    expect(await ask('/flows/tell-customer', { id: 'x' })).toMatchObject({ status: 422 });
    expect(await ask('/flows/tell-customer', { id: 7, more: 1 })).toMatchObject({ status: 422 });
  });

  it('streams its steps, and its result last', async () => {
    const accept = { accept: 'text/event-stream' };
    const { type, text } = await ask('/flows/tell-customer', { id: 7 }, accept);
    expect(type).toBe('text/event-stream');
    expect([...text.matchAll(/^event: ?(.*)$/gm)].map(([, name]) => name)).toEqual([
      'run',
      'step',
      'step',
      'result',
    ]);
    expect(text).toContain('"output":"The lamp is broken"');
  });

  it('numbers what is streamed upwards, so that whoever goes on after the last number misses nothing', async () => {
    for (let i = 0; i < 5; i++) {
      const { text } = await ask('/flows/both', {}, { accept: 'text/event-stream' });
      expect([...text.matchAll(/^id: [^/\n]+\/(\d+)$/gm)].map(([, id]) => id)).toEqual(['1', '2']);
    }
  });

  it('routes by what a model chooses, and gives on what an agent says', async () => {
    verifies('flow.option.route', 'flow.option.classify-with.default', 'flow.router.forced');
    const input = `${choosing('story')} [[say A lamp, once.]]`;
    const result = await read('/flows/triage', { input });
    expect(result).toMatchObject({
      status: 'completed',
      steps: [
        { tool: 'classify', ok: true, label: 'story' },
        { tool: 'writer', ok: true },
      ],
    });
  });

  it('fails as a problem with the whole result', async () => {
    verifies('flow.route.failed', 'flow.router.unknown', 'http.problem.run');
    const { status, type, text } = await ask('/flows/triage', { input: choosing('weather') });
    expect([status, type]).toEqual([502, 'application/problem+json']);
    expect(JSON.parse(text)).toMatchObject({
      ...{ status: 502, code: 'unknown_label' },
      detail: 'there is no step for the label "weather": the labels are money, story',
      run: { flow: 'triage', status: 'failed', steps: [{ tool: 'classify', label: 'weather' }] },
    });
  });

  it('waits for a human below another flow, and answers where it says', async () => {
    verifies('flow.route.waiting', 'flow.step.agent-input');
    const started = await ask('/flows/triage', { input: choosing('money') });
    expect(started.status).toBe(202);
    const { pending_approvals: pending } = JSON.parse(started.text) as {
      readonly pending_approvals: readonly { readonly approval_id: string; readonly path: Json }[];
    };
    expect(pending).toMatchObject([{ tool: 'refund', path: ['triage', 'pay_back'] }]);
    expect(await ask(started.location ?? '')).toMatchObject({ status: 202 });
    const decided = await ask(`/_svc/approvals/${pending[0]?.approval_id}`, { approve: true, note: '' });
    expect(decided.status).toBe(200);
    const later = await ask(started.location ?? '');
    expect(later.status).toBe(200);
    expect(later.text).toBe(decided.text);
    expect(JSON.parse(later.text)).toMatchObject({ flow: 'triage', status: 'completed' });
  });
});

describe('a flow as a tool of an agent', () => {
  it('does nothing behind the back of the human its step is for', async () => {
    const started = await ask('/flows/counter', { input: '[[call pay_back {}]] [[say They said no.]]' });
    expect(started.status).toBe(202);
    const [pending, ...more] = (
      JSON.parse(started.text) as { readonly pending_approvals: readonly Members[] }
    ).pending_approvals;
    expect(pending).toMatchObject({ tool: 'refund', path: ['counter', 'clerk', 'pay_back'] });
    expect(more).toEqual([]);
    const paid = refunds;
    const decision = { approve: false, note: 'not today' };
    const decided = await ask(`/_svc/approvals/${String(pending?.['approval_id'])}`, decision);
    expect(JSON.parse(decided.text)).toMatchObject({ status: 'completed', output: 'They said no.' });
    expect(refunds).toBe(paid);
  });
});

describe('a flow over MCP', () => {
  it('is a tool that says what it takes and answers', async () => {
    verifies('flow.option.tool.default');
    const { result } = await read('/_svc/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const { tools } = result as { readonly tools: readonly Members[] };
    expect(tools.find(({ name }) => name === 'tell_customer')).toMatchObject({
      description: 'Tells what a ticket says.',
      inputSchema: { properties: { id: { type: 'integer' } }, required: ['id'] },
      outputSchema: { type: 'object' },
    });
  });

  it('answers its envelope as text, and so it does while it waits', async () => {
    verifies('flow.route.waiting');
    const done = await callOverMcp('tell_customer', { id: 7 });
    expect(done.isError).toBe(false);
    expect(JSON.parse(done.content[0]?.text ?? '')).toMatchObject({ status: 'completed' });
    const waits = await callOverMcp('pay_back', {});
    expect(waits.isError).toBe(false);
    expect(JSON.parse(waits.content[0]?.text ?? '')).toMatchObject({ status: 'awaiting_approval' });
  });

  it.each([
    ['completed', 'tell_customer', { id: 7 }],
    ['awaiting_approval', 'pay_back', {}],
    ['max_tokens', 'note', { input: '[[say A story that is much longer than that.]]' }],
  ])('answers what its output schema says when it is %s', async (status, name, values) => {
    const { result } = await read('/_svc/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const { tools } = result as { readonly tools: readonly Members[] };
    const { outputSchema } = tools.find((tool) => tool['name'] === name) as { readonly outputSchema: object };
    const { structuredContent } = await callOverMcp(name, values);
    expect(structuredContent).toMatchObject({ flow: name, status });
    const validate = new Ajv2020({ strict: false }).compile(outputSchema);
    validate(structuredContent);
    expect(validate.errors).toBeNull();
  });

  it('fails in the words of its step', async () => {
    const failed = await callOverMcp('triage', { input: choosing('weather') });
    expect(failed).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^tool triage failed with 502: there is no step/) as unknown }],
    });
  });
});

describe('the control plane', () => {
  it('lists, counts and describes flows', async () => {
    verifies('control.flows', 'purpose.hosts.flows', 'face.methods.flow');
    const { flows } = (await read('/_svc/flows')) as { readonly flows: readonly Members[] };
    const names = ['tell_customer', 'pay_back', 'note', 'both', 'counter', 'triage'];
    expect(flows.map(({ name }) => name)).toEqual(names);
    expect(await read('/_svc/health')).toMatchObject({ flows: 6 });
    const document = await read('/_svc/openapi.json');
    for (const status of ['200', '202', '502'])
      expect(document).toHaveProperty(['paths', '/flows/tell-customer', 'post', 'responses', status]);
  });
});
