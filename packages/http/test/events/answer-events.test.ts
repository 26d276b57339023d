import { type Call, jsonResponse, problemResponse, RouteResponse } from '@waymark/contract/engine';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { deferred } from '../deferred.ts';
import { readEvents } from '../events.ts';
import type { FakeRoute } from '../fake-dispatcher.ts';
import { openDoor } from '../open-door.ts';
import { rawClient } from '../raw-client.ts';

type Work = NonNullable<FakeRoute['answer']>;

const asking = { headers: { accept: 'text/event-stream' } };
const percent = (done: number) => ({ event: 'progress', data: { done } });

/** A route that reports progress. */
function works(answer: Work, method: FakeRoute['method'] = 'GET'): FakeRoute {
  return { method, path: '/', answer, progress: true };
}

/** Reports twice, and answers. */
const twice: Work = (call) => {
  call.observe?.(percent(1));
  call.observe?.({ event: 'row', data: 'a\nb', id: 'r/7' });
  return jsonResponse({ total: 2 }, 201, { location: '/x', etag: '"1"' });
};

describe('a route that reports progress', () => {
  it('streams its events to whoever asks for them, and its answer as the last one', async () => {
    verifies('route.sse.progress');
    const { url } = await openDoor([works(twice, 'POST')]);
    const response = await fetch(url, { method: 'POST', ...asking });
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-request-id': 'id-1',
      'x-content-type-options': 'nosniff',
      'transfer-encoding': 'chunked',
    });
    expect(await response.text()).toBe(
      [
        'event: progress\ndata: {"done":1}\n\n',
        'id: r/7\nevent: row\ndata: "a\\nb"\n\n',
        'event: result\ndata: {"status":201,"body":{"total":2}}\n\n',
      ].join(''),
    );
  });

  it.each([
    ['result', jsonResponse('done'), '{"status":200,"body":"done"}'],
    ['result', jsonResponse({ waits: true }, 202), '{"status":202,"body":{"waits":true}}'],
    ['error', problemResponse(502, 'it failed'), expect.stringContaining('"detail":"it failed"') as string],
  ])('gives its answer the id that the engine says: %s', async (event, answer, data) => {
    const { url } = await openDoor([
      works((call) => {
        call.observe?.(percent(1));
        call.observe?.({ event: 'result', data: null, id: 'r/7/end' });
        return answer;
      }),
    ]);
    const [, last = ''] = (await (await fetch(url, asking)).text()).split('\n\n');
    expect(last.split('\n')).toEqual(['id: r/7/end', `event: ${event}`, expect.stringMatching(/^data: /)]);
    expect(last.split('data: ')[1]).toEqual(data);
  });

  it.each([
    [{}, 200, 'event: result\ndata: {"status":204}\n\n'],
    [{ 'last-event-id': '7' }, 204, ''],
  ])('answers 204 itself to whoever comes back and finds nothing: %o', async (headers, status, body) => {
    const { url } = await openDoor([works(() => new RouteResponse(204, { kind: 'empty' }))]);
    const response = await fetch(url, { headers: { ...asking.headers, ...headers } });
    expect([response.status, await response.text()]).toEqual([status, body]);
  });

  it('sends each event when it happens', async () => {
    const goOn = deferred<void>();
    const { url } = await openDoor([
      works(async (call) => {
        call.observe?.(percent(1));
        await goOn.promise;
        return jsonResponse('done');
      }),
    ]);
    const events = readEvents(await fetch(url, asking));
    expect(await events.next()).toEqual(percent(1));
    goOn.resolve();
    expect(await events.rest()).toEqual([{ event: 'result', data: { status: 200, body: 'done' } }]);
  });

  it.each(['*/*', 'application/json', 'application/json, text/event-stream;q=0.9'])(
    'answers JSON to %s, and tells nobody',
    async (accept) => {
      const { url, dispatcher } = await openDoor([works(twice)]);
      const response = await fetch(url, { headers: { accept } });
      expect([response.status, await response.text()]).toEqual([201, '{"total":2}']);
      expect(response.headers.get('content-type')).toBe('application/json');
      expect(response.headers.get('location')).toBe('/x');
      expect(dispatcher.calls[0]?.observe).toBeUndefined();
    },
  );

  it('tells caches in either form that there is another', async () => {
    const { url } = await openDoor([
      works(({ input }) => jsonResponse(1, 200, input.search !== '' ? { vary: 'accept-language' } : {})),
    ]);
    const vary = async (path: string, init?: object): Promise<string | null> =>
      (await fetch(url + path, init)).headers.get('vary');
    expect(await vary('')).toBe('accept');
    expect(await vary('', asking)).toBe('accept');
    expect(await vary('/?a=1')).toBe('accept-language, accept');
  });

  it('is the only one that streams: others answer JSON, whatever is asked', async () => {
    const { url, dispatcher } = await openDoor([{ method: 'GET', path: '/', answer: () => jsonResponse(1) }]);
    const response = await fetch(url, asking);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('vary')).toBeNull();
    expect(dispatcher.calls[0]?.observe).toBeUndefined();
  });

  it('answers HEAD with the headers of the stream, after the same work, and with its error', async () => {
    const { url, dispatcher } = await openDoor([works(twice)]);
    const response = await fetch(url, { method: 'HEAD', ...asking });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.text()).toBe('');
    expect(dispatcher.calls[0]?.observe).toBeUndefined();
    const failing = await openDoor([works(() => problemResponse(409, 'not now'))]);
    expect((await fetch(failing.url, { method: 'HEAD', ...asking })).status).toBe(409);
  });

  it('gives its calls what every call has', async () => {
    const { url, dispatcher } = await openDoor([works(twice)], { rateLimit: { perSecond: 1, burst: 5 } });
    await (await fetch(`${url}?a=1`, { headers: { ...asking.headers, 'x-api-key': 'good' } })).text();
    expect(dispatcher.calls[0]).toMatchObject({
      route: { path: '/' },
      input: { by: 'request', search: 'a=1' },
      principal: { id: 'alice' },
      via: 'http',
      requestId: 'id-1',
      clientAddress: '127.0.0.1',
      charge: expect.any(Function) as unknown,
      signal: expect.any(AbortSignal) as unknown,
    });
  });
});

describe('the last event', () => {
  const image = new Uint8Array([137, 80, 78, 71]);
  const text = 'grüß\nGott';
  const stream = (...chunks: readonly string[]) =>
    ReadableStream.from(chunks.map((chunk) => Buffer.from(chunk)));

  it.each([
    ['nothing', new RouteResponse(204, { kind: 'empty' }), { status: 204 }],
    ['null', jsonResponse(null), { status: 200, body: null }],
    [
      'JSON with line ends of its own',
      new RouteResponse(200, { kind: 'json', text: '{\n"a":\r\n1}' }),
      { status: 200, body: { a: 1 } },
    ],
    [
      'a reply that is an error',
      jsonResponse({ title: 'gone' }, 404),
      { status: 404, body: { title: 'gone' } },
    ],
    [
      'text',
      new RouteResponse(200, { kind: 'bytes', bytes: Buffer.from(text), mediaType: 'text/plain' }),
      { status: 200, body: text },
    ],
    [
      'an image',
      new RouteResponse(200, { kind: 'bytes', bytes: image, mediaType: 'image/png' }),
      { status: 200, body: { $image: { media_type: 'image/png', data: 'iVBORw==' } } },
    ],
    [
      'a stream',
      new RouteResponse(202, { kind: 'stream', stream: stream('a;', 'b'), mediaType: 'text/csv' }),
      { status: 202, body: 'a;b' },
    ],
    [
      'text that is an error',
      new RouteResponse(409, { kind: 'bytes', bytes: Buffer.from('no'), mediaType: 'text/plain' }),
      { status: 409, body: 'no' },
    ],
  ])('is a result: %s', async (_, response, data) => {
    const { url } = await openDoor([
      works((call) => {
        call.observe?.(percent(1));
        return response;
      }),
    ]);
    expect(await readEvents(await fetch(url, asking)).rest()).toEqual([
      percent(1),
      { event: 'result', data },
    ]);
  });

  it('is an error after events were sent, with the whole problem document', async () => {
    verifies('route.sse.error');
    const { url } = await openDoor([
      works((call) => {
        call.observe?.(percent(1));
        return problemResponse(504, 'timed out after 1 s', { code: 'timeout' });
      }),
    ]);
    const response = await fetch(url, asking);
    expect(response.status).toBe(200);
    const problem = {
      type: 'about:blank',
      title: 'Gateway Timeout',
      status: 504,
      detail: 'timed out after 1 s',
      request_id: 'id-1',
      code: 'timeout',
    };
    expect(await readEvents(response).rest()).toEqual([percent(1), { event: 'error', data: problem }]);
  });

  it('is an error where the answer is a stream that breaks off', async () => {
    const broken = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error('x')) });
    const { url } = await openDoor([
      works(() => new RouteResponse(200, { kind: 'stream', stream: broken, mediaType: 'text/csv' })),
    ]);
    expect(await readEvents(await fetch(url, asking)).rest()).toMatchObject([
      { event: 'error', data: { status: 502, detail: 'the answer broke off' } },
    ]);
  });

  it('is said by the door alone, once, whatever an engine calls its events', async () => {
    const { url } = await openDoor([
      works((call) => {
        call.observe?.({ event: 'result', data: 'mine' });
        call.observe?.({ event: 'error', data: 'mine' });
        return jsonResponse(1);
      }),
    ]);
    expect(await readEvents(await fetch(url, asking)).rest()).toEqual([
      { event: 'result', data: { status: 200, body: 1 } },
    ]);
  });
});

describe('before the first event', () => {
  it.each([401, 403, 404, 409, 422, 429, 500, 503, 504])('%i is answered as ever', async (status) => {
    verifies('route.sse.refusals');
    const { url } = await openDoor([works(() => problemResponse(status, 'no'))]);
    const response = await fetch(url, asking);
    expect([response.status, response.headers.get('content-type')]).toEqual([
      status,
      'application/problem+json',
    ]);
    expect(await response.json()).toMatchObject({ status, detail: 'no' });
  });

  it('so is a reply of the route, with its headers', async () => {
    const { url } = await openDoor([works(() => jsonResponse({ title: 'x' }, 404, { 'x-mine': '1' }))]);
    const response = await fetch(url, asking);
    expect([response.status, response.headers.get('x-mine')]).toEqual([404, '1']);
    expect(response.headers.get('vary')).toBe('accept');
    expect(await response.json()).toEqual({ title: 'x' });
  });

  it('what an engine refuses is not charged to the address', async () => {
    const { url } = await openDoor([works(() => problemResponse(404, 'no'))], {
      failureLimit: { perSecond: 1, burst: 1 },
    });
    for (let i = 0; i < 3; i++) expect((await fetch(url, asking)).status).toBe(404);
  });
});

describe('an event stream', () => {
  it('comments on its silence, and begins with that when nothing happens for long', async () => {
    verifies('route.sse.keep-alive');
    const goOn = deferred<void>();
    const { url } = await openDoor([works(() => goOn.promise.then(() => problemResponse(409, 'not now')))], {
      eventKeepAliveMs: 10,
    });
    const response = await fetch(url, asking);
    expect(response.status).toBe(200);
    const events = readEvents(response);
    expect([await events.next(), await events.next()]).toEqual([{ comment: '' }, { comment: '' }]);
    goOn.resolve();
    expect((await events.rest()).at(-1)).toMatchObject({ event: 'error', data: { status: 409 } });
  });

  it.each([
    ['shorter than 15 s', 14_999, 409],
    ['of 15 s', 15_000, 200],
  ])('comments on no silence %s by default', async (_, ms, status) => {
    verifies('route.sse.keep-alive');
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const called = deferred<void>();
    const goOn = deferred<void>();
    const { url } = await openDoor([
      works(() => {
        called.resolve();
        return goOn.promise.then(() => problemResponse(409, 'not now'));
      }),
    ]);
    const pending = fetch(url, asking);
    await called.promise;
    vi.advanceTimersByTime(ms);
    goOn.resolve();
    const response = await pending;
    expect(response.status).toBe(status);
    expect((await response.text()).startsWith(':\n\n')).toBe(status === 200);
  });

  it('outlives pauses longer than streams may make, since it comments in time', async () => {
    const goOn = deferred<void>();
    const { url } = await openDoor([works(() => goOn.promise.then(() => jsonResponse('done')))], {
      streamIdleMs: 200,
    });
    const events = readEvents(await fetch(url, asking));
    for (let i = 0; i < 6; i++) expect(await events.next()).toEqual({ comment: '' });
    goOn.resolve();
    expect((await events.rest()).at(-1)).toMatchObject({ event: 'result' });
  });

  it('does not begin with a comment while the request may still be refused for its body', async () => {
    const { port } = await openDoor(
      [
        works(
          async ({ input }) =>
            (await input.body.read(100, AbortSignal.timeout(5000))) && problemResponse(422, 'no'),
          'POST',
        ),
      ],
      { eventKeepAliveMs: 5 },
    );
    const client = await rawClient(port);
    client.send(
      'POST / HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\nContent-Length: 2\r\nConnection: close\r\n\r\n1',
    );
    // Ten silences long.
    await new Promise((resolve) => setTimeout(resolve, 50));
    client.send('2');
    expect(await client.closed()).toMatch(/^HTTP\/1\.1 422 /);
  });

  it('is cancelled when the client goes away', async () => {
    verifies('route.sse.progress');
    const calls = deferred<Call>();
    const { url, logged } = await openDoor([
      works((call) => {
        calls.resolve(call);
        call.observe?.(percent(1));
        return new Promise(() => {});
      }),
    ]);
    const controller = new AbortController();
    const events = readEvents(await fetch(url, { ...asking, signal: controller.signal }));
    await events.next();
    const { signal, observe } = await calls.promise;
    const fired = new Promise((resolve) => signal?.addEventListener('abort', resolve));
    controller.abort();
    await fired;
    expect(signal?.reason).toMatchObject({ name: 'AbortError', message: 'the client went away' });
    expect((await logged(({ message }) => message === 'request')).fields).toMatchObject({ aborted: true });
    expect(() => observe?.(percent(2))).not.toThrow();
  });

  it('stops reading what a handler streams when the client goes away', async () => {
    const cancelled = deferred<void>();
    const endless = new ReadableStream<Uint8Array>({ cancel: () => cancelled.resolve() });
    const { url } = await openDoor(
      [works(() => new RouteResponse(200, { kind: 'stream', stream: endless, mediaType: 'text/csv' }))],
      { eventKeepAliveMs: 5 },
    );
    const controller = new AbortController();
    await fetch(url, { ...asking, signal: controller.signal });
    controller.abort();
    await cancelled.promise;
  });

  it('holds back nobody and keeps little for a reader that does not read, who still gets the newest and the result', async () => {
    verifies('route.sse.slow-reader');
    const worked = deferred<void>();
    const message = 'x'.repeat(100_000);
    const count = 1000;
    const { url } = await openDoor([
      works(async (call) => {
        for (let done = 1; done <= count; done++) {
          call.observe?.({ event: 'progress', data: { done, message } });
          await new Promise((resolve) => setImmediate(resolve));
        }
        worked.resolve();
        return jsonResponse('done');
      }),
    ]);
    const response = await fetch(url, asking);
    // All of it is reported although nothing is read.
    await worked.promise;
    const events = await readEvents(response).rest();
    expect(events.length).toBeLessThan(count / 2);
    expect(events.at(-1)).toEqual({ event: 'result', data: { status: 200, body: 'done' } });
    expect(events.at(-2)).toEqual({ event: 'progress', data: { done: count, message } });
    const dones = events.slice(0, -1).map(({ data }) => (data as { done: number }).done);
    expect(dones).toEqual(dones.toSorted((a, b) => a - b));
  });

  it('reports an event that cannot be written, and goes on', async () => {
    const { url, logs } = await openDoor([
      works((call) => {
        call.observe?.({ event: 'progress', data: 1n });
        call.observe?.(undefined as never);
        call.observe?.({ event: 'two\nlines', data: 1 });
        return jsonResponse(1);
      }),
    ]);
    expect(await readEvents(await fetch(url, asking)).rest()).toMatchObject([{ event: 'result' }]);
    expect(logs.filter(({ message }) => message === 'an event cannot be sent')).toHaveLength(3);
  });

  it('breaks off when the dispatcher fails, which it must not', async () => {
    const { url, logged } = await openDoor([
      works((call) => {
        call.observe?.(percent(1));
        return Promise.reject(new Error('a bug'));
      }),
    ]);
    const response = await fetch(url, asking);
    await expect(response.text()).rejects.toThrow();
    await logged(({ message }) => message === 'the answer broke off');
    const before = await openDoor([works(() => Promise.reject(new Error('a bug')))]);
    expect((await fetch(before.url, asking)).status).toBe(500);
  });

  it('is one line in the log: status, bytes of the body, and the time until its end', async () => {
    const { url, logged } = await openDoor([works(twice)]);
    const body = await (await fetch(url, asking)).arrayBuffer();
    const { fields } = await logged(({ message }) => message === 'request');
    expect(fields).toMatchObject({ status: 200, bytes: body.byteLength, route: 'get_root' });
    expect(fields['duration_ms']).toBeGreaterThan(0);
    expect(fields).not.toHaveProperty('aborted');
  });

  it('leaves its connection to the next request', async () => {
    const { port } = await openDoor([works(twice)]);
    const client = await rawClient(port);
    const head = 'GET / HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n';
    client.send(`${head}\r\n${head}Connection: close\r\n\r\n`);
    expect((await client.closed()).match(/event: result/g)).toHaveLength(2);
  });
});
