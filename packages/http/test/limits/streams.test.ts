import { media, Type } from '@waymark/contract';
import { jsonResponse, RouteResponse } from '@waymark/contract/engine';
import type { Authenticate } from '@waymark/contract/principal';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { DoorOptions } from '../../src/index.ts';
import { askForSocket } from '../ask.ts';
import { deferred } from '../deferred.ts';
import { readEvents } from '../events.ts';
import type { FakeRoute } from '../fake-dispatcher.ts';
import { type OpenDoor, openDoor } from '../open-door.ts';

const multipart = 'multipart/x-mixed-replace; boundary=b';

/** A stream of this type that says these pieces, and then nothing for ever. */
function endless(mediaType: string, ...said: readonly string[]): RouteResponse {
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const piece of said) controller.enqueue(Buffer.from(piece));
    },
  });
  return new RouteResponse(200, { kind: 'stream', stream, mediaType });
}

const routes: readonly FakeRoute[] = [
  { method: 'GET', path: '/socket', accept: () => {} },
  {
    method: 'POST',
    path: '/progress',
    progress: true,
    answer: (call) => {
      call.observe?.({ event: 'step', data: 1 });
      return call.observe ? new Promise<RouteResponse>(() => {}) : jsonResponse('whole');
    },
  },
  {
    method: 'GET',
    path: '/pictures',
    output: { 200: media('multipart/x-mixed-replace') },
    answer: () => endless(multipart, '--b\r\n'),
  },
  {
    method: 'POST',
    path: '/either',
    output: { 200: Type.String() },
    answer: () => endless('text/event-stream', ':\n\n'),
  },
  { method: 'GET', path: '/undeclared', answer: () => endless('text/event-stream; charset=utf-8', ':\n\n') },
  { method: 'GET', path: '/download', answer: () => endless('text/plain', 'a') },
  {
    method: 'GET',
    path: '/measured',
    answer: () => {
      const stream = ReadableStream.from([Buffer.from('data: 1\n\n')]) as ReadableStream<Uint8Array>;
      return new RouteResponse(200, { kind: 'stream', stream, mediaType: 'text/event-stream', length: 9 });
    },
  },
];

/** The name in `x-api-key`, until then. */
const named =
  (expiresAtMs?: number): Authenticate =>
  ({ headers }) => {
    const id = headers['x-api-key'] ?? 'ada';
    const principal = { id, rootId: id, authenticated: true, scopes: [] };
    return { ok: true, principal: expiresAtMs === undefined ? principal : { ...principal, expiresAtMs } };
  };

const open = (options: Partial<DoorOptions>, ...more: readonly FakeRoute[]): Promise<OpenDoor> =>
  openDoor([...more, ...routes], { authenticate: named(), ...options });

/** Asks, and lets go when the test ends. */
async function ask(door: OpenDoor, target: string, headers: Record<string, string> = {}): Promise<Response> {
  const [method = '', path = ''] = target.split(' ');
  const leave = new AbortController();
  onTestFinished(() => leave.abort());
  return fetch(`${door.url}${path}`, { method, headers, signal: leave.signal });
}

const events = { accept: 'text/event-stream' };

describe('streams without an end', () => {
  it.each([
    ['POST /progress', events],
    ['GET /pictures', {}],
    ['GET /undeclared', {}],
    ['POST /either', { accept: 'application/json, text/event-stream' }],
  ])('count as sockets: %s, under, at, over', async (target, headers) => {
    verifies('http.places.caller');
    const door = await open({ maxSocketsPerCaller: 2 });
    expect((await ask(door, target, headers)).status).toBe(200);
    expect(door.door.held.sockets).toBe(1);
    expect((await ask(door, target, headers)).status).toBe(200);
    const refused = await ask(door, target, headers);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    expect(await refused.json()).toMatchObject({
      detail: 'too many sockets and streams are open: close one of yours first',
    });
    expect((await askForSocket(door, '/socket')).status).toBe(429);
    expect((await ask(door, target, { ...headers, 'x-api-key': 'bob' })).status).toBe(200);
  });

  it('leave no place to sockets, nor those to them', async () => {
    const door = await open({ maxSocketsPerCaller: 1 });
    const ws = new WebSocket(`${door.url.replace('http', 'ws')}/socket`);
    await new Promise((resolve) => {
      ws.onopen = resolve;
    });
    expect((await ask(door, 'GET /pictures')).status).toBe(429);
    ws.close();
    await expect.poll(() => door.door.held.sockets).toBe(0);
    expect((await ask(door, 'GET /pictures')).status).toBe(200);
    expect((await askForSocket(door, '/socket')).status).toBe(429);
  });

  it('are refused before their route works', async () => {
    verifies('http.places.before-work');
    const door = await open({ maxSocketsPerCaller: 1 });
    await ask(door, 'POST /progress', events);
    const before = door.dispatcher.calls.length;
    expect((await ask(door, 'POST /progress', events)).status).toBe(429);
    expect((await ask(door, 'GET /pictures')).status).toBe(429);
    expect(door.dispatcher.calls.length).toBe(before);
  });

  it('are bounded in all, which is 503: under, at, over', async () => {
    verifies('http.places.total');
    const door = await open({ limits: { sockets: 2 } });
    await ask(door, 'GET /pictures');
    expect((await ask(door, 'GET /pictures', { 'x-api-key': 'bob' })).status).toBe(200);
    const refused = await ask(door, 'GET /pictures', { 'x-api-key': 'eve' });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await refused.json()).toMatchObject({
      detail: 'too many sockets and streams are open: come back later',
    });
    expect((await askForSocket(door, '/socket', { 'x-api-key': 'eve' })).status).toBe(503);
  });

  it('give their place back when their reader leaves', async () => {
    const door = await open({ maxSocketsPerCaller: 1 });
    const leave = new AbortController();
    await fetch(`${door.url}/pictures`, { signal: leave.signal });
    leave.abort();
    await expect.poll(() => door.door.held.sockets).toBe(0);
    expect((await ask(door, 'GET /pictures')).status).toBe(200);
  });

  it('that a route did not speak of are let go of when there is no place', async () => {
    const cancelled = deferred<boolean>();
    const door = await open(
      { maxSocketsPerCaller: 1 },
      {
        method: 'GET',
        path: '/surprise',
        answer: () => {
          const stream = new ReadableStream<Uint8Array>({ cancel: () => cancelled.resolve(true) });
          return new RouteResponse(200, { kind: 'stream', stream, mediaType: 'text/event-stream' });
        },
      },
    );
    await ask(door, 'GET /pictures');
    expect((await ask(door, 'GET /surprise')).status).toBe(429);
    expect(await cancelled.promise).toBe(true);
  });
});

describe('what has an end', () => {
  it.each([
    ['a whole answer of a route that reports progress', 'POST /progress', { accept: 'application/json' }],
    ['a download', 'GET /download', {}],
    ['a HEAD', 'HEAD /pictures', {}],
    ['events of a length that is told', 'GET /measured', {}],
  ])('takes no place: %s', async (_, target, headers) => {
    verifies('http.places.finite');
    const door = await open({ maxSocketsPerCaller: 1 });
    await ask(door, 'GET /pictures');
    expect((await ask(door, target, headers)).status).toBe(200);
    expect(door.door.held.sockets).toBe(1);
  });
});

describe('a stream whose reader has a credential that ends', () => {
  it('of events says so last, as a problem, and ends', async () => {
    verifies('http.places.credential');
    const signal = deferred<AbortSignal | undefined>();
    const door = await open(
      { authenticate: named(Date.now() + 200) },
      {
        method: 'POST',
        path: '/works',
        progress: true,
        answer: (call) => {
          signal.resolve(call.signal);
          call.observe?.({ event: 'step', data: 1, id: '1' });
          return new Promise<RouteResponse>(() => {});
        },
      },
    );
    const read = readEvents(await ask(door, 'POST /works', { ...events, 'x-request-id': 'mine' }));
    expect(await read.rest()).toEqual([
      { event: 'step', data: 1, id: '1' },
      {
        event: 'error',
        data: {
          type: 'about:blank',
          title: 'Unauthorized',
          status: 401,
          detail: 'the credential has expired',
          request_id: 'mine',
        },
      },
    ]);
    await expect.poll(() => door.door.held.sockets).toBe(0);
    // The caller is gone for its route, too.
    await expect.poll(async () => (await signal.promise)?.aborted).toBe(true);
  });

  it('of events is one even when an engine writes it', async () => {
    const door = await open({ authenticate: named(Date.now() + 150) });
    const read = readEvents(await ask(door, 'GET /undeclared'));
    expect(await read.rest()).toMatchObject([{ comment: '' }, { event: 'error', data: { status: 401 } }]);
  });

  it.each([
    ['in the middle of an event', 'text/event-stream', 'data: ha'],
    ['of pictures', multipart, '--b\r\n\r\n'],
  ])('%s is cut', async (_, mediaType, said) => {
    verifies('http.places.credential');
    const cancelled = deferred<unknown>();
    const door = await open(
      { authenticate: named(Date.now() + 150) },
      {
        method: 'GET',
        path: '/cut',
        answer: () => {
          const stream = new ReadableStream<Uint8Array>({
            start: (controller) => controller.enqueue(Buffer.from(said)),
            cancel: cancelled.resolve,
          });
          return new RouteResponse(200, { kind: 'stream', stream, mediaType });
        },
      },
    );
    const response = await ask(door, 'GET /cut');
    await expect(response.text()).rejects.toThrow();
    expect(await cancelled.promise).toMatchObject({ message: 'the credential has expired' });
    await expect.poll(() => door.door.held.sockets).toBe(0);
  });

  it('and who does not read, ends all the same', async () => {
    const cancelled = deferred<unknown>();
    const door = await open(
      { authenticate: named(Date.now() + 200) },
      {
        method: 'GET',
        path: '/flood',
        answer: () => {
          const piece = Buffer.from(`data: ${'x'.repeat(100_000)}\n\n`);
          const stream = new ReadableStream<Uint8Array>({
            pull: (controller) => controller.enqueue(piece),
            cancel: cancelled.resolve,
          });
          return new RouteResponse(200, { kind: 'stream', stream, mediaType: 'text/event-stream' });
        },
      },
    );
    await ask(door, 'GET /flood');
    expect(await cancelled.promise).toMatchObject({ message: 'the credential has expired' });
    await expect.poll(() => door.door.held.sockets).toBe(0);
  });

  it('and that has an end of its own is read to it', async () => {
    const door = await open(
      { authenticate: named(Date.now() + 100) },
      {
        method: 'GET',
        path: '/file',
        answer: () => {
          const stream = new ReadableStream<Uint8Array>({
            async start(controller) {
              controller.enqueue(Buffer.from('one '));
              await new Promise((resolve) => setTimeout(resolve, 200));
              controller.enqueue(Buffer.from('two'));
              controller.close();
            },
          });
          return new RouteResponse(200, { kind: 'stream', stream, mediaType: 'text/plain' });
        },
      },
    );
    expect(await (await ask(door, 'GET /file')).text()).toBe('one two');
  });
});
