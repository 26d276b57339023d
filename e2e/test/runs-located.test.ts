import { verifies } from '@waymark/contract/testing';
import type { Application } from '@waymark/server';
import { describe, expect, it } from 'vitest';
import { callers, thinking } from './agents-application.ts';
import { legacy, post } from './mcp/messages.ts';

const headers = { 'x-api-key': callers.ANN_KEY, 'content-type': 'application/json' };
const listening = { ...headers, accept: 'text/event-stream' };

/** Three ways to a human. */
function waiting(app: Application): void {
  app.post('/pay', { tool: true, toolName: 'pay', scopes: ['write'], approval: 'required' }, () => 'paid');
  app.agent('clerk', { scopes: ['write'], tools: ['pay'], description: 'Pays.' });
  app.behaviour('sweep', { scopes: ['write'], tools: ['pay'] }, (ctx) => ctx.call('pay'));
  app.flow('desk', { scopes: ['write'], pipeline: ['pay'], description: 'Pays.' });
  app.anonymousScopes('write');
  const open = { exposeScopes: [], public: true, description: 'Is there for all.' };
  app.agent('open', { ...open, scopes: ['write'], tools: ['pay'] });
}

const body = JSON.stringify({ input: '[[call pay {}]] [[say Paid.]]' });

/** The members of the n-th event of a stream. */
function eventOf(
  text: string,
  n: number,
): { readonly event: string; readonly data: Record<string, unknown> } {
  const block = text.split('\n\n').filter((one) => one.includes('event: '))[n] ?? '';
  return {
    event: /^event: (\w+)$/m.exec(block)?.[1] ?? '',
    data: JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? '{}') as Record<string, unknown>,
  };
}

describe('a run that waits', () => {
  it.each([
    ['/agents/clerk', body],
    ['/behaviours/sweep', '{}'],
    ['/flows/desk', '{}'],
  ])('says where its answer will be, over HTTP and as the first event: %s', async (path, sent) => {
    verifies('run.location', 'run.named-at-once', 'run.waits.http', 'run.waits.stream');
    const { url } = await thinking(waiting);
    const waits = await fetch(url + path, { method: 'POST', headers, body: sent });
    const { run_id: runId } = (await waits.json()) as { run_id: string };
    expect([waits.status, waits.headers.get('location')]).toEqual([202, `${path}/runs/${runId}`]);
    const later = await fetch(`${url}${path}/runs/${runId}`, { headers });
    expect([later.status, later.headers.get('location')]).toEqual([202, `${path}/runs/${runId}`]);

    const stream = await fetch(url + path, { method: 'POST', headers: listening, body: sent });
    const text = await stream.text();
    const first = eventOf(text, 0);
    const location = String(first.data['location']);
    expect(first).toEqual({ event: 'run', data: { run_id: first.data['run_id'], location } });
    expect(text).toMatch(/"kind":"approval_requested"[\s\S]*event: result\ndata: \{"status":202,[^\n]*\n*$/);
    expect((await fetch(url + location, { headers })).status).toBe(202);
  });

  it('says so over MCP', async () => {
    verifies('run.location', 'run.waits.mcp');
    const { url } = await thinking(waiting);
    const endpoint = { port: Number(new URL(url).port), key: callers.ANN_KEY };
    const call = { name: 'clerk', arguments: JSON.parse(body) as object };
    const { json } = await post(endpoint, legacy('tools/call', call));
    const { result } = json as { result: { isError?: boolean; content: { text: string }[] } };
    expect(result.isError ?? false).toBe(false);
    const [envelope, place] = result.content.map(({ text }) => text);
    const { run_id: runId } = JSON.parse(envelope ?? '{}') as { run_id: string };
    expect(place).toBe(`the answer will be at /agents/clerk/runs/${runId}`);
  });

  it('has no place that an anonymous caller could ask at', async () => {
    verifies('run.location', 'run.anonymous');
    const { url } = await thinking(waiting);
    const content = { 'content-type': 'application/json' };
    const waits = await fetch(`${url}/agents/open`, { method: 'POST', headers: content, body });
    expect([waits.status, waits.headers.get('location')]).toEqual([202, null]);
    const accept = { ...content, accept: 'text/event-stream' };
    const stream = await fetch(`${url}/agents/open`, { method: 'POST', headers: accept, body });
    const { event, data } = eventOf(await stream.text(), 0);
    expect([event, Object.keys(data)]).toEqual(['run', ['run_id']]);
  });
});

it('a run that goes on elsewhere says where its answer will be, with 503', async () => {
  verifies('run.location', 'http.shutdown.runs');
  const app = await thinking(waiting, { shutdownTimeout: 3 });
  const slow = JSON.stringify({ input: '[[latency 60000]] [[say Late.]]' });
  const ask = (more: object) => fetch(`${app.url}/agents/clerk`, { method: 'POST', ...more, body: slow });
  const [json, stream] = [ask({ headers }), ask({ headers: listening })];
  await expect.poll(() => app.simulator.requests.length).toBe(2);
  // The headers are there long before the first step.
  const told = await stream;
  const closed = app.close();
  const answer = await json;
  const { run } = (await answer.json()) as { run: { run_id: string } };
  expect([answer.status, answer.headers.get('location')]).toEqual([503, `/agents/clerk/runs/${run.run_id}`]);
  const text = await told.text();
  const { run_id: other, location } = eventOf(text, 0).data;
  expect(location).toBe(`/agents/clerk/runs/${String(other)}`);
  expect(eventOf(text, 1)).toMatchObject({ event: 'error', data: { status: 503, run: { run_id: other } } });
  await closed;
});
