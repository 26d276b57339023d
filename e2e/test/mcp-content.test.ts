import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import { verifies } from '@waymark/contract/testing';
import {
  audio,
  createApplication,
  image,
  type Progress,
  type RunningApplication,
  resource,
  resourceLink,
  Type,
} from '@waymark/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const pngMarker = { $image: { media_type: 'image/png', data: 'iVBORw0KGgo=' } };
const pngItem = { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' };
const revision = '2026-07-28';

/** What became of the calls of `wait`, by the name they were given. */
const waits = new Map<string, { readonly signal: AbortSignal; readonly end: () => void }>();
let onWait = (): void => {};

const app = createApplication('content', { port: 0, env: { LOG_LEVEL: 'silent' } });
app.get('/picture', { tool: true, toolName: 'picture' }, () => image(png));
app.get('/report', { tool: true, toolName: 'report' }, () => [
  'Look:',
  image(png),
  audio(Uint8Array.from([1, 2, 3]), 'audio/wav'),
  resource('test://notes', 'Notes.'),
  resourceLink('test://archive', 'archive', { mediaType: 'application/zip' }),
]);
app.get('/count', { tool: true, toolName: 'count' }, async function* (): AsyncGenerator<Progress, string> {
  for (const done of [1, 2]) {
    yield { event: 'progress', data: { done, total: 2 } };
    await new Promise((resolve) => setImmediate(resolve));
  }
  return 'counted';
});
app.get(
  '/wait/{name}',
  { input: { name: Type.String() }, tool: true, toolName: 'wait' },
  ({ name }, { signal }) =>
    new Promise<string>((resolve) => {
      waits.set(name, { signal, end: () => resolve('waited') });
      onWait();
    }),
);

let running: RunningApplication;
beforeAll(async () => {
  running = await app.listen();
});
afterAll(() => running.close());

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: object;
  readonly result?: { readonly content: readonly object[] };
}

/** Sends `tools/call`; on 2026-07-28 with everything that such a request carries. */
function post(name: string, values: object, { modern = false, meta = {} } = {}): ClientRequest {
  const outgoing = request(`${running.url}/_svc/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': modern ? revision : '2025-11-25',
      ...(modern && { 'mcp-method': 'tools/call', 'mcp-name': name }),
    },
  });
  const standing = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const params = { name, arguments: values, _meta: { ...(modern && standing), ...meta } };
  outgoing.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }));
  return outgoing;
}

async function call(...given: Parameters<typeof post>) {
  const [incoming] = await once(post(...given), 'response');
  let text = '';
  for await (const chunk of incoming) text += String(chunk);
  const isStream = incoming.headers['content-type'] === 'text/event-stream';
  const bodies = isStream ? [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => data) : [text];
  const messages = bodies.map((body) => JSON.parse(body ?? '') as Message);
  return { headers: incoming.headers, messages, content: messages.at(-1)?.result?.content };
}

describe('an image that a handler returns', () => {
  it('is JSON over HTTP, and a picture over MCP', async () => {
    verifies('face.result.image', 'mcp.result.images');
    expect(await (await fetch(`${running.url}/picture`)).json()).toEqual(pngMarker);
    expect((await call('picture', {})).content).toEqual([pngItem]);
  });

  it('may stand among words, sounds, resources and links, in its place', async () => {
    expect((await call('report', {}, { modern: true })).content).toEqual([
      { type: 'text', text: 'Look:' },
      pngItem,
      { type: 'audio', mimeType: 'audio/wav', data: 'AQID' },
      { type: 'resource', resource: { uri: 'test://notes', mimeType: 'text/plain', text: 'Notes.' } },
      { type: 'resource_link', uri: 'test://archive', name: 'archive', mimeType: 'application/zip' },
    ]);
  });
});

describe('a handler that yields', () => {
  it.each([true, false])('tells MCP clients that ask how far it is (2026-07-28: %s)', async (modern) => {
    const { headers, messages, content } = await call('count', {}, { modern, meta: { progressToken: 'c' } });
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-accel-buffering': 'no' });
    expect(messages.slice(0, -1)).toMatchObject(
      [1, 2].map((progress) => ({
        method: 'notifications/progress',
        params: { progressToken: 'c', progress, total: 2 },
      })),
    );
    expect(content).toEqual([{ type: 'text', text: 'counted' }]);
  });

  it('answers others with JSON', async () => {
    const { headers, content } = await call('count', {});
    expect(headers['content-type']).toBe('application/json');
    expect(content).toEqual([{ type: 'text', text: 'counted' }]);
  });
});

describe('an MCP client that goes away', () => {
  const leave = async (name: string, modern: boolean): Promise<AbortSignal> => {
    const called = new Promise<void>((resolve) => {
      onWait = resolve;
    });
    const outgoing = post('wait', { name }, { modern });
    outgoing.on('error', () => {});
    await called;
    outgoing.destroy();
    return waits.get(name)?.signal as AbortSignal;
  };

  it('cancels its call on 2026-07-28', async () => {
    verifies('mcp.disconnect');
    const signal = await leave('modern', true);
    if (!signal.aborted) await once(signal, 'abort');
    expect(signal.aborted).toBe(true);
    waits.get('modern')?.end();
  });

  it('cancels nothing on older revisions', async () => {
    verifies('mcp.disconnect');
    const old = await leave('old', false);
    // By the time that this one is told, the one before would have been, too.
    const modern = await leave('after', true);
    if (!modern.aborted) await once(modern, 'abort');
    expect(old.aborted).toBe(false);
    for (const name of ['old', 'after']) waits.get(name)?.end();
  });
});
