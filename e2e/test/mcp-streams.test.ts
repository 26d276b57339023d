import { verifies } from '@waymark/contract/testing';
import { type Application, createApplication, type RouteRequest } from '@waymark/server';
import { describe, expect, it } from 'vitest';
import {
  legacy,
  legacyRevisions,
  type Members,
  modern,
  modernHeaders,
  modernRevision,
} from './mcp/messages.ts';
import { serve } from './served.ts';

/** A promise that somebody else settles. */
class Gate<T> {
  open: (value: T) => void = () => {};
  readonly passed: Promise<T> = new Promise((resolve) => {
    this.open = resolve;
  });
}

/** A tool that says when it runs, and goes on when it is told to. */
class Held {
  readonly #started = new Gate<RouteRequest>();
  readonly #released = new Gate<string>();
  readonly #finished = new Gate<void>();
  readonly started = this.#started.passed;
  readonly finished = this.#finished.passed;

  async run(request: RouteRequest): Promise<string> {
    this.#started.open(request);
    const answer = await this.#released.passed;
    this.#finished.open();
    return answer;
  }

  release(answer: string): void {
    this.#released.open(answer);
  }
}

const openApplication = (): Application =>
  createApplication('streams', { port: 0, env: { LOG_LEVEL: 'silent' } });

const revisions = [...legacyRevisions, modernRevision];

interface CallOptions {
  readonly accept?: string;
  readonly meta?: Members;
  readonly signal?: AbortSignal;
}

/** Calls a tool as the clients of a revision do. */
function call(url: string, revision: string, name: string, options: CallOptions = {}): Promise<Response> {
  const { accept = 'application/json, text/event-stream', meta = {}, signal } = options;
  const plain = legacy('tools/call', { name, _meta: meta });
  const request = modern('tools/call', { name });
  const message =
    revision === modernRevision
      ? {
          ...request,
          params: { name, _meta: { ...(request['params'] as { _meta: object })._meta, ...meta } },
        }
      : plain;
  const headers = new Headers({
    accept,
    'content-type': 'application/json',
    'mcp-protocol-version': revision,
    ...(revision === modernRevision && Object.fromEntries(modernHeaders('tools/call', name))),
  });
  return fetch(new URL('/_svc/mcp', url), {
    method: 'POST',
    headers,
    body: JSON.stringify(message),
    ...(signal && { signal }),
  });
}

/** The messages of an event stream that has come to its end. */
async function messagesOf(response: Response): Promise<readonly unknown[]> {
  const text = await response.text();
  return text
    .split('\n\n')
    .map((event) => event.split('\n').filter((line) => line.startsWith('data: ')))
    .filter((lines) => lines.length > 0)
    .map((lines) => JSON.parse(lines.map((line) => line.slice('data: '.length)).join('\n')));
}

describe.each(revisions)('an answer on %s', (revision) => {
  const counting = (): Application =>
    openApplication()
      .post('/count', { tool: true, toolName: 'count' }, async function* () {
        for (const done of [0, 50, 100]) yield { event: 'progress', data: { done, total: 100 } };
        return 'counted';
      })
      .post('/report', { tool: true, toolName: 'report' }, (_input, request) => {
        request.progress(1, 2, 'half of it');
        // No step further than the one before: MCP wants none of these.
        request.progress(1, 2);
        request.progress(0.5, 2);
        return 'reported';
      });

  it.each(['count', 'report'])('tells how far %s is, when it is asked to', async (name) => {
    const { url } = await serve(counting());
    const response = await call(url, revision, name, { meta: { progressToken: 'token-7' } });
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream\b/);
    // Proxies must not hold back what was sent.
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    const messages = await messagesOf(response);
    const steps =
      name === 'count'
        ? [0, 50, 100].map((progress) => ({ progress, total: 100 }))
        : [{ progress: 1, total: 2, message: 'half of it' }];
    expect(messages).toMatchObject([
      ...steps.map((step) => ({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: 'token-7', ...step },
      })),
      { jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: `${name}ed` }] } },
    ]);
  });

  it('is plain JSON for whoever did not ask, or takes nothing else', async () => {
    const { url } = await serve(counting());
    for (const options of [{}, { accept: 'application/json', meta: { progressToken: 1 } }]) {
      const response = await call(url, revision, 'count', options);
      expect(response.headers.get('content-type')).toMatch(/^application\/json\b/);
      expect(await response.json()).toMatchObject({ result: { content: [{ text: 'counted' }] } });
    }
  });

  it('is a stream for whoever takes nothing else', async () => {
    const { url } = await serve(counting());
    const response = await call(url, revision, 'count', { accept: 'text/event-stream' });
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream\b/);
    expect(await messagesOf(response)).toMatchObject([{ id: 1, result: { content: [{ text: 'counted' }] } }]);
  });

  it(`${revision === modernRevision ? 'is given up' : 'is made all the same'} when the client goes away`, async () => {
    verifies('mcp.disconnect');
    const held = new Held();
    const aborted = new Gate<void>();
    const { url } = await serve(
      openApplication()
        .post('/hold', { tool: true, toolName: 'hold' }, (_input, request) => held.run(request))
        .get('/state', () => held.started.then(({ signal }) => signal.aborted)),
    );
    const leaving = new AbortController();
    const called = call(url, revision, 'hold', { signal: leaving.signal });
    const { signal } = await held.started;
    signal.addEventListener('abort', () => aborted.open());
    leaving.abort();
    await expect(called).rejects.toThrow();
    if (revision === modernRevision) {
      await aborted.passed;
    } else {
      // A whole exchange later the server has long seen the connection close.
      const state = await fetch(new URL('/state', url));
      expect(await state.json()).toBe(false);
    }
    held.release('for nobody');
    await held.finished;
    expect(signal.aborted).toBe(revision === modernRevision);
  });
});

describe('a tool that takes long', () => {
  it('shows a sign of life, on every revision', async () => {
    const held = new Held();
    const { url } = await serve(
      openApplication().post('/hold', { tool: true, toolName: 'hold' }, (_input, request) =>
        held.run(request),
      ),
    );
    // Each resolves with the head of an answer: nothing has released the tool by then.
    const responses = await Promise.all(revisions.map((revision) => call(url, revision, 'hold')));
    for (const response of responses)
      expect(response.headers.get('content-type')).toMatch(/^text\/event-stream\b/);
    held.release('at last');
    for (const response of responses)
      expect(await messagesOf(response)).toMatchObject([
        { id: 1, result: { content: [{ text: 'at last' }] } },
      ]);
  });
});

describe('a call that may be answered as a stream', () => {
  it('has a place of its caller from its beginning to its end, and is refused where there is none', async () => {
    verifies('http.places.caller', 'http.places.before-work');
    const held = new Held();
    const app = createApplication('streams', {
      ...{ port: 0, env: { LOG_LEVEL: 'silent' }, maxSocketsPerCaller: 1 },
    }).get('/held', { tool: true, summary: 'Waits.' }, (_input, request) => held.run(request));
    const { url } = await serve(app);
    const first = call(url, modernRevision, 'get_held');
    await held.started;
    const refused = await call(url, modernRevision, 'get_held');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    // One that takes no stream needs no place.
    const whole = call(url, modernRevision, 'get_held', { accept: 'application/json' });
    held.release('now');
    expect((await whole).status).toBe(200);
    expect(await (await first).text()).toContain('now');
    await expect.poll(async () => (await call(url, modernRevision, 'get_held')).status).toBe(200);
  });
});
