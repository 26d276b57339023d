import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { callers, messagesOf, thinking } from './agents-application.ts';
import { httpUpstream } from './proxy-upstreams.ts';

const elsewhere = 'https://other.example/a?b=1';

/** A desk whose upstream answers with redirects alone, and an agent that may use each of its tools. */
async function redirecting() {
  const asked: string[] = [];
  const { url } = await httpUpstream((req, res) => {
    asked.push(`${req.method} ${req.url}`);
    const inside = `http://${req.headers.host}/inside/rooms`;
    if (req.url === '/order') res.writeHead(303, { location: '/tickets/7' }).end();
    else if (req.url === '/json')
      res.writeHead(303, { location: elsewhere, 'content-type': 'application/json' }).end('{"id":7}');
    else if (req.url === '/lost') res.writeHead(302, { location: inside }).end();
    else if (req.url === '/same') res.writeHead(304).end();
    else res.writeHead(302, { location: elsewhere, 'content-type': 'text/html' }).end('<p>Moved.</p>');
  });
  const started = await thinking((app) => {
    const tool = { tool: true, summary: 'Asks the desk.', scopes: ['read'] } as const;
    app
      .upstream('desk', url)
      .proxy('GET', '/tickets/{id}', 'desk', { ...tool, toolName: 'read_ticket' })
      .proxy('POST', '/order', 'desk', { ...tool, toolName: 'order' })
      .proxy('GET', '/{name}', 'desk', { ...tool, toolName: 'ask' })
      .agent('clerk', { tools: ['read_ticket', 'order', 'ask'], scopes: ['read'] });
  });
  return { ...started, asked };
}

const moved = `answered 302 with Location: ${elsewhere}; it was not followed\n\n<p>Moved.</p>`;
const ordered = 'answered 303 with Location: /tickets/7; it was not followed';

const told: readonly (readonly [string, object, string])[] = [
  ['read_ticket', { id: '7' }, moved],
  ['order', {}, ordered],
  // Where it leads is no business of callers.
  ['ask', { name: 'lost' }, 'answered 302 without a Location'],
  ['ask', { name: 'json' }, '{"id":7}'],
];

describe('a redirect of an upstream', () => {
  it('is told to MCP clients, is no failure, and is not followed', async () => {
    verifies('proxy.redirects.tool', 'proxy.redirects');
    const { send, asked } = await redirecting();
    for (const [name, args, text] of told) {
      const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
      const answered = await send('/_svc/mcp', call, 'ANN_KEY', {
        accept: 'application/json, text/event-stream',
      });
      expect(answered.value).toMatchObject({ result: { content: [{ type: 'text', text }], isError: false } });
    }
    expect(asked).toHaveLength(told.length);
  });

  it('is none where the answer is 304: no tool has asked under a condition, so there is nothing that is the same', async () => {
    const { send } = await redirecting();
    const params = { name: 'ask', arguments: { name: 'same' } };
    const answered = await send(
      '/_svc/mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
      'ANN_KEY',
      {
        accept: 'application/json, text/event-stream',
      },
    );
    const text = expect.stringContaining('is 304, not modified, to a call without a condition') as string;
    expect(answered.value).toMatchObject({ result: { content: [{ text }], isError: true } });
  });

  it('is told to the model of an agent', async () => {
    verifies('proxy.redirects.tool');
    const { ask, simulator, asked } = await redirecting();
    const { status, value } = await ask(
      'clerk',
      '[[call read_ticket {"id":"7"}]] [[call order {}]] [[say Done.]]',
    );
    expect([status, value.status, value.output]).toEqual([200, 'completed', 'Done.']);
    const results = messagesOf(simulator, 2).flatMap(({ content }) =>
      content.filter(({ type }) => type === 'tool_result'),
    );
    const texts = JSON.stringify(results);
    for (const text of [moved, ordered]) expect(texts).toContain(JSON.stringify(text).slice(1, -1));
    expect(asked).toEqual(['GET /tickets/7', 'POST /order']);
  });

  it('is a redirect to whoever asks over HTTP', async () => {
    verifies('proxy.redirects');
    const { url } = await redirecting();
    const response = await fetch(`${url}/tickets/7`, {
      redirect: 'manual',
      headers: { 'x-api-key': callers.ANN_KEY },
    });
    expect([response.status, response.headers.get('location')]).toEqual([302, elsewhere]);
    expect(await response.text()).toBe('<p>Moved.</p>');
  });
});
