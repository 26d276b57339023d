import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { toClient } from '@waymark/client-gen';
import { verifies } from '@waymark/contract/testing';
import { type Application, HTTPError, reply, Type } from '@waymark/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { application, secrets, serve } from './served.ts';

const root = join(import.meta.dirname, '..', '..');
const asking = { accept: 'text/event-stream', 'x-api-key': secrets.SHOP_KEY };

/** A shop whose handlers are at work until a test lets them go on. */
interface Shop {
  readonly app: Application;
  readonly goOn: () => void;
  /** Resolves with why a handler was ended in its work. */
  readonly ended: Promise<unknown>;
}

function shop(): Shop {
  const start = deferred<void>();
  const ended = deferred<unknown>();
  const app = application({ requestTimeout: 20 });
  app.apiKey('SHOP_KEY', 'owner', { scopes: ['svc:admin', 'count'] }).apiKey('OTHER_KEY', 'other');
  app.post(
    '/count/{to}',
    {
      input: { to: Type.Integer({ maximum: 9 }), by: Type.Integer({ default: 1 }) },
      output: { 201: Type.Object({ total: Type.Integer() }) },
      scopes: ['count'],
      tool: true,
      toolName: 'count',
    },
    async function* ({ to, by }, request) {
      yield { event: 'progress', data: { done: 1, total: to } };
      await Promise.race([start.promise, aborted(request.signal, ended.resolve)]);
      request.progress(2, to, 'nearly');
      yield { event: 'step', data: { by }, id: '2' };
      return reply(201, { total: to * by });
    },
  );
  app.get('/refuses', {}, async function* () {
    yield* [];
    throw new HTTPError(409, 'not now', { code: 'busy' });
  });
  app.get('/fails/{how}', {}, async function* ({ how }) {
    yield { event: 'progress', data: 1 };

    throw how === 'refused'
      ? new HTTPError(409, 'not now', { code: 'busy' })
      : new Error('secret /etc/passwd');
  });
  app.get('/slow', { timeoutMs: 50 }, async function* (_, request) {
    yield { event: 'progress', data: 1 };
    await aborted(request.signal, ended.resolve);
  });
  return { app, goOn: () => start.resolve(), ended: ended.promise };
}

describe('a generator that waits for nothing between what it yields', () => {
  const open = () => {
    const app = application({ requestTimeout: 20 }).apiKey('SHOP_KEY', 'owner');
    app.get('/rows/{count}', { input: { count: Type.Integer() } }, async function* ({ count }) {
      for (let n = 0; n < count; n++) yield { event: 'row', data: { n, text: 'x'.repeat(1_000) } };
      return { count };
    });
    app.get('/endless/{event}', { timeoutMs: 300 }, async function* ({ event }) {
      for (let n = 0; ; n++) yield { event, data: n };
    });
    return serve(app);
  };
  const numbers = (text: string) => [...text.matchAll(/^data: \{"n":(\d+),/gm)].map(([, n]) => Number(n));

  it('loses no event but progress, be its reader slow or not', async () => {
    verifies('route.sse.progress');
    const { url } = await open();
    const all = Array.from({ length: 8_000 }, (_, n) => n);
    const quick = await fetch(`${url}/rows/8000`, { headers: asking });
    expect(numbers(await quick.text())).toEqual(all);
    const slow = await fetch(`${url}/rows/8000`, { headers: asking });
    await sleep(300);
    const text = await slow.text();
    expect(numbers(text)).toEqual(all);
    expect(text).toContain('event: result\ndata: {"status":200,"body":{"count":8000}}');
  });

  it.each(['row', 'progress'])(
    'ends at its deadline before a reader that stops reading: %s',
    async (event) => {
      const app = application({ requestTimeout: 20 });
      const ended = deferred<void>();
      app.get('/rows', { timeoutMs: 300 }, async function* () {
        try {
          for (;;) yield { event, data: 'x'.repeat(10_000) };
        } finally {
          ended.resolve();
        }
      });
      const { url } = await serve(app);
      const { port, host } = new URL(url);
      const reader = connect(Number(port), '127.0.0.1').pause();
      onTestFinished(() => void reader.destroy());
      reader.write(`GET /rows HTTP/1.1\r\nhost: ${host}\r\naccept: text/event-stream\r\n\r\n`);
      await ended.promise;
    },
  );

  it.each(['progress', 'row'])('holds nobody else, and ends at its deadline: %s', async (event) => {
    const { url } = await open();
    const answers = ['application/json', 'text/event-stream'].map((accept) =>
      fetch(`${url}/endless/${event}`, { headers: { ...asking, accept } }).then((one) => one.text()),
    );
    // Held, the process would answer nothing, and no deadline would come.
    expect((await fetch(`${url}/_svc/health`)).status).toBe(200);
    for (const text of await Promise.all(answers)) expect(text).toContain('"status":504');
  });
});

describe.each(['table first', 'inside express'])('a route that reports progress, %s', (door) => {
  const open = async () => {
    const { app, ...rest } = shop();
    if (door === 'inside express') app.use((_req, _res, next) => next());
    const { url, report } = await serve(app);
    expect(report.door.startsWith(door)).toBe(true);
    return { url, app, ...rest };
  };

  it('sends what a generator yields as it comes, and what it returns as the result', async () => {
    verifies('route.sse.progress', 'face.result.generator');
    const { url, goOn } = await open();
    const response = await fetch(`${url}/count/3`, {
      method: 'POST',
      headers: { ...asking, 'content-type': 'application/json' },
      body: '{"by":2}',
    });
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-frame-options': 'DENY',
    });
    expect(response.headers.get('content-encoding')).toBeNull();
    const events = textOf(response);
    expect(await events.next()).toBe('event: progress\ndata: {"done":1,"total":3}\n\n');
    goOn();
    expect(await events.rest()).toBe(
      [
        'event: progress\ndata: {"done":2,"total":3,"message":"nearly"}\n\n',
        'id: 2\nevent: step\ndata: {"by":2}\n\n',
        'event: result\ndata: {"status":201,"body":{"total":6}}\n\n',
      ].join(''),
    );
    // Audit events are written in batches.
    const listed = async (): Promise<unknown> =>
      (await fetch(`${url}/_svc/audit`, { headers: { 'x-api-key': secrets.SHOP_KEY } })).json();
    const use = { kind: 'tool_called', via: 'http', route: 'count', principal: 'owner', status: 201 };
    await expect.poll(listed).toMatchObject({ events: [use] });
  });

  it.each(['*/*', 'application/json', 'application/json;q=0.9, text/event-stream;q=0.8'])(
    'answers JSON alone to %s',
    async (accept) => {
      verifies('route.sse.progress', 'face.result.generator');
      const { url, goOn } = await open();
      goOn();
      const headers = { ...asking, accept, 'content-type': 'application/json' };
      const response = await fetch(`${url}/count/3`, { method: 'POST', headers, body: '{}' });
      expect([response.status, await response.text()]).toEqual([201, '{"total":3}']);
      expect(response.headers.get('content-type')).toBe('application/json');
    },
  );

  it.each([
    ['no credential', 'POST /count/3', 401, { 'x-api-key': '' }],
    ['a key without the scope', 'POST /count/3', 403, { 'x-api-key': secrets.OTHER_KEY }],
    ['a path that is none', 'POST /count/3/4', 404, {}],
    ['another method', 'PUT /count/3', 405, {}],
    ['an input that breaks a rule', 'POST /count/10', 422, {}],
    ['a body that is no JSON', 'POST /count/3', 415, { 'content-type': 'text/plain' }],
    ['a refusal before the first event', 'GET /refuses', 409, {}],
  ])('refuses with its own status: %s', async (_, target, status, headers) => {
    verifies('route.sse.refusals');
    const { url } = await open();
    const [method = '', path = ''] = target.split(' ');
    const response = await fetch(url + path, {
      method,
      headers: { ...asking, ...(method === 'GET' ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(method === 'GET' ? {} : { body: '{}' }),
    });
    expect([response.status, response.headers.get('content-type')]).toEqual([
      status,
      'application/problem+json',
    ]);
    expect(await response.json()).toMatchObject({ status });
  });

  it('refuses whoever comes too often with 429', async () => {
    const { app } = shop();
    if (door === 'inside express') app.use((_req, _res, next) => next());
    const { url } = await serve(app.rateLimit(0.001, { burst: 1 }));
    expect((await fetch(`${url}/refuses`, { headers: asking })).status).toBe(409);
    const response = await fetch(`${url}/refuses`, { headers: asking });
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, expect.any(String)]);
  });

  it('ends with an error where it fails on the way, and gives nothing away', async () => {
    verifies('route.sse.error');
    const { url } = await open();
    const lastOf = async (path: string): Promise<unknown> => {
      const text = await (await fetch(url + path, { headers: asking })).text();
      expect(text).toMatch(/^event: progress\ndata: 1\n\nevent: error\ndata: .*\n\n$/);
      return JSON.parse(/data: (\{.*\})/.exec(text)?.[1] ?? '') as unknown;
    };
    expect(await lastOf('/fails/refused')).toMatchObject({ status: 409, detail: 'not now', code: 'busy' });
    const bug = await lastOf('/fails/badly');
    expect(bug).toMatchObject({
      status: 500,
      detail: 'internal error',
      request_id: expect.any(String) as string,
    });
    expect(JSON.stringify(bug)).not.toContain('secret');
  });

  it('ends with 504 at its deadline, which its handler learns of', async () => {
    verifies('route.sse.error');
    const { url, ended } = await open();
    const text = await (await fetch(`${url}/slow`, { headers: asking })).text();
    expect(text).toContain(
      'event: error\ndata: {"type":"about:blank","title":"Gateway Timeout","status":504',
    );
    expect(await ended).toMatchObject({ message: 'timed out after 0.05 s' });
  });

  it('ends its work when the caller goes away', async () => {
    verifies('route.sse.progress');
    const { url, ended } = await open();
    const gone = new AbortController();
    const response = await fetch(`${url}/count/3`, {
      method: 'POST',
      headers: { ...asking, 'content-type': 'application/json' },
      body: '{}',
      signal: gone.signal,
    });
    await textOf(response).next();
    gone.abort();
    expect(await ended).toMatchObject({ name: 'AbortError', message: 'the client went away' });
  });

  it('answers HEAD like GET, without events', async () => {
    const { url } = await open();
    const [status, type] = await head(`${url}/refuses`);
    expect([status, type]).toEqual([409, 'application/problem+json']);
  });
});

describe('the generated client of such a route', () => {
  interface Generated {
    createClient(options: object): {
      count(input: object, options: object): Promise<unknown>;
      getFailsByHow(input: object, options: object): Promise<unknown>;
    };
  }

  const connect = async () => {
    const { app, goOn, ended } = shop();
    const { url: baseUrl } = await serve(app);
    const folder = mkdtempSync(join(root, 'e2e', '.route-events-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'client.ts'), toClient(app.table, { title: 'shop' }));
    const { createClient } = (await import(join(folder, 'client.ts'))) as Generated;
    return { client: createClient({ baseUrl, apiKey: secrets.SHOP_KEY }), goOn, ended };
  };

  it('tells each event when it comes, and resolves with the result', async () => {
    verifies('client.progress');
    const { client, goOn } = await connect();
    const heard: unknown[] = [];
    const onProgress = (progress: unknown): void => {
      heard.push(progress);
      goOn();
    };
    expect(await client.count({ to: 3, by: 2 }, { onProgress })).toEqual({ total: 6 });
    expect(heard).toEqual([
      { event: 'progress', data: { done: 1, total: 3 }, id: undefined },
      { event: 'progress', data: { done: 2, total: 3, message: 'nearly' }, id: undefined },
      { event: 'step', data: { by: 2 }, id: '2' },
    ]);
  });

  it('throws what the route refuses, before and after the first event', async () => {
    verifies('client.problem-error');
    const { client } = await connect();
    const options = { onProgress: () => {} };
    await expect(client.count({ to: 10 }, options)).rejects.toMatchObject({
      name: 'ProblemError',
      status: 422,
      errors: [{ path: '/to' }],
    });
    await expect(client.getFailsByHow({ how: 'refused' }, options)).rejects.toMatchObject({
      name: 'ProblemError',
      status: 409,
      code: 'busy',
      requestId: expect.any(String) as string,
    });
  });

  it.each(['its signal', 'its listener'])('is ended by %s, and so is the work', async (how) => {
    verifies('client.abort');
    const { client, ended } = await connect();
    const gone = new AbortController();
    const onProgress = (): void => {
      if (how === 'its listener') throw new Error('enough');
      gone.abort(new Error('enough'));
    };
    await expect(client.count({ to: 3 }, { onProgress, signal: gone.signal })).rejects.toThrow('enough');
    expect(await ended).toMatchObject({ message: 'the client went away' });
  });
});

/** Rejects when the signal fires, and tells why. */
function aborted(signal: AbortSignal, tell: (reason: unknown) => void): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => {
      tell(signal.reason);
      reject(signal.reason as Error);
    });
  });
}

interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
}

function deferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((keep) => {
    resolve = keep;
  });
  return { promise, resolve };
}

/** The text of an answer, event by event. */
function textOf(response: Response) {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const more = async (): Promise<boolean> => {
    const { value } = (await reader?.read()) ?? {};
    text += value ?? '';
    return value !== undefined;
  };
  return {
    async next(): Promise<string> {
      while (!text.includes('\n\n') && (await more()));
      const end = text.indexOf('\n\n') + 2;
      const event = text.slice(0, end);
      text = text.slice(end);
      return event;
    },
    async rest(): Promise<string> {
      while (await more());
      return text;
    },
  };
}

function head(url: string): Promise<readonly [number | undefined, string | undefined]> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'HEAD', headers: asking, agent: false });
    sent.on('error', reject).on('response', (res) => {
      res.resume();
      resolve([res.statusCode, res.headers['content-type']]);
    });
    sent.end();
  });
}
