import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { jsonResponse, RouteResponse } from '@waymark/contract/engine';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { maxSentAhead } from '../../src/door/turns.ts';
import { longLine } from '../../src/server/line.ts';
import { deferred } from '../deferred.ts';
import type { FakeDispatcher, FakeRoute } from '../fake-dispatcher.ts';
import { openDoor } from '../open-door.ts';
import { rawClient } from '../raw-client.ts';

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`;
const post = (path: string, body: string): string =>
  `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
const answersIn = (received: string): readonly string[] => received.split('HTTP/1.1 ').slice(1);

/** A route that answers when the test says so. */
function gated(path: string): { readonly route: FakeRoute; begun: Promise<void>; release(): void } {
  const begun = deferred<void>();
  const released = deferred<void>();
  const answer = async (): Promise<ReturnType<typeof jsonResponse>> => {
    begun.resolve();
    await released.promise;
    return jsonResponse(path);
  };
  return { route: { method: 'GET', path, answer }, begun: begun.promise, release: released.resolve };
}

const quick: FakeRoute = { method: 'GET', path: '/quick', answer: () => jsonResponse('quick') };
const last: FakeRoute = { method: 'GET', path: '/last', answer: () => jsonResponse('last') };

describe('requests that were sent ahead', () => {
  it('begin one after the other, each when the answer before it is written', async () => {
    verifies('http.pipeline.in-turn');
    const one = gated('/one');
    const told: string[] = [];
    const tell: FakeRoute = {
      method: 'POST',
      path: '/tell',
      answer: async ({ input }) => {
        told.push(Buffer.from((await input.body?.read(10)) ?? []).toString());
        return jsonResponse(told.length);
      },
    };
    const { port, dispatcher, close } = await openDoor([one.route, tell]);
    const client = await rawClient(port);
    client.send(get('/one') + post('/tell', 'a') + post('/tell', 'b') + get('/one'));
    await one.begun;
    expect(dispatcher.calls).toHaveLength(1);
    one.release();
    const received = await client.until(/"\/one"[\s\S]*"\/one"/);
    expect(answersIn(received).map((answer) => answer.split('\r\n\r\n')[1])).toEqual([
      '"/one"',
      '1',
      '2',
      '"/one"',
    ]);
    expect(told).toEqual(['a', 'b']);
    await close();
  });

  it('are all answered in their order, however many they are, and the connection stays', async () => {
    verifies('http.pipeline.any-number');
    const count: FakeRoute = {
      method: 'GET',
      path: '/count',
      answer: () => jsonResponse(dispatcher.calls.length),
    };
    const { port, dispatcher } = await openDoor([count, last]);
    const client = await rawClient(port);
    client.send(get('/count').repeat(2_000) + get('/last'));
    const answers = answersIn(await client.until(/"last"/));
    const bodies = answers.map((answer) => answer.split('\r\n\r\n')[1]);
    expect(bodies).toEqual([...Array.from({ length: 2_000 }, (_, i) => String(i + 1)), '"last"']);
    expect(client.received).not.toMatch(/connection: close/i);
  });

  it.each([
    // The head behind which nothing more is parsed is one of them.
    ['as soon as many wait', '', 1 + longLine, 1 + longLine],
    // 4 KiB of them are parsed at once.
    ['nor later', get('/quick').repeat(100), 1 + longLine, 1 + longLine + 4_096 / get('/one').length],
  ])('are read no further while many wait: %s', async (_, first, atLeast, atMost) => {
    verifies('http.pipeline.bound');
    const one = gated('/one');
    let heads = 0;
    const { port, door } = await openDoor([one.route, quick], {
      listener: (req, res) => {
        if (req.url === '/one') heads++;
        door.listener()(req, res);
      },
    });
    const client = await rawClient(port);
    client.send(first + get('/one').repeat(500));
    await one.begun;
    await sleep(50);
    expect(heads).toBeGreaterThanOrEqual(atLeast);
    expect(heads).toBeLessThanOrEqual(atMost);
    one.release();
    while (answersIn(client.received).filter((answer) => answer.endsWith('"/one"')).length < 500)
      await once(client.socket, 'data');
    expect(heads).toBe(500);
  });

  it('keep the context of what stands in front of the door', async () => {
    const context = new AsyncLocalStorage<string>();
    const seen: (string | undefined)[] = [];
    const look: FakeRoute = {
      ...{ method: 'GET', path: '/look' },
      answer: async ({ requestId }) => {
        seen.push(context.getStore());
        return jsonResponse(requestId);
      },
    };
    const { port, door } = await openDoor([look, last], {
      listener: (req, res) =>
        context.run(String(req.headers['x-request-id']), () => door.listener()(req, res)),
    });
    const client = await rawClient(port);
    const ids = Array.from({ length: 40 }, (_, i) => `n-${i}`);
    const sent = ids.map((id) => get('/look').replace('\r\n\r\n', `\r\nx-request-id: ${id}\r\n\r\n`));
    client.send(sent.join('') + get('/last'));
    await client.until(/"last"/);
    expect(seen).toEqual(ids);
  });

  it('are all answered where the last one asks for the end of the connection', async () => {
    const { port } = await openDoor([quick]);
    const client = await rawClient(port);
    const end = 'GET /quick HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n';
    client.send(get('/quick').repeat(500) + end);
    expect(answersIn(await client.closed())).toHaveLength(501);
  });

  it('are answered at the pace of a reader who takes his time', async () => {
    verifies('http.pipeline.bound');
    const size = 400_000;
    const large: FakeRoute = {
      method: 'GET',
      path: '/large',
      answer: () => {
        const stream = ReadableStream.from(Array.from({ length: 10 }, () => Buffer.alloc(size / 10, 'a')));
        return new RouteResponse(200, { kind: 'stream', stream, mediaType: 'text/plain' });
      },
    };
    const { port } = await openDoor([large, last]);
    const client = await rawClient(port);
    client.socket.pause();
    client.send(get('/large').repeat(20) + get('/last'));
    await sleep(150);
    client.socket.resume();
    await client.until(/"last"$/);
    const bodies = answersIn(client.received)
      .slice(0, -1)
      .map((answer) => answer.match(/a{1000,}/g)?.join(''));
    expect(bodies).toHaveLength(20);
    expect(bodies.every((body) => body?.length === size)).toBe(true);
  });

  it('take their bodies with them, wherever they stand', async () => {
    const echo: FakeRoute = {
      method: 'POST',
      path: '/echo',
      answer: async ({ input }) => jsonResponse((await input.body?.read(1_000_000))?.length),
    };
    const { port } = await openDoor([quick, echo, last]);
    const client = await rawClient(port);
    const large = 'a'.repeat(300_000);
    const some = post('/echo', large) + get('/quick').repeat(longLine) + post('/echo', 'a').repeat(40);
    client.send(some + some + post('/echo', large) + get('/last'));
    const answers = answersIn(await client.until(/"last"$/));
    const bodies = answers.map((answer) => answer.split('\r\n\r\n')[1]);
    const expected = ['300000', ...Array(longLine).fill('"quick"'), ...Array(40).fill('1')];
    expect(bodies).toEqual([...expected, ...expected, '300000', '"last"']);
  });
});

describe('requests that were sent ahead on a server of somebody else', () => {
  const listenThere = async (): Promise<{ readonly port: number; readonly dispatcher: FakeDispatcher }> => {
    const { door, dispatcher } = await openDoor([quick, last]);
    const server = createServer(door.listener()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    return { port: (server.address() as AddressInfo).port, dispatcher };
  };

  it.each([
    ['fewer than may be', maxSentAhead, false],
    ['as many as may be', maxSentAhead + 1, true],
  ])('are all answered where they are %s', async (_, sent, isLast) => {
    verifies('http.pipeline.closed');
    const { port } = await listenThere();
    const client = await rawClient(port);
    client.send(get('/quick').repeat(sent - 1) + get('/last'));
    const answers = answersIn(await client.until(/"last"/));
    expect(answers).toHaveLength(sent);
    expect(answers.findIndex((answer) => /connection: close/i.test(answer))).toBe(isLast ? sent - 1 : -1);
  });

  it('are not begun where they are more: the last one that is says so, and its client may send them anew', async () => {
    verifies('http.pipeline.closed');
    const { port, dispatcher } = await listenThere();
    const client = await rawClient(port);
    client.send(get('/quick').repeat(10_000));
    const answers = answersIn(await client.closed());
    expect(answers).toHaveLength(maxSentAhead + 1);
    expect(answers.at(-1)).toMatch(/^200 [\s\S]*connection: close[\s\S]*"quick"$/i);
    expect(dispatcher.calls).toHaveLength(maxSentAhead + 1);
  });

  it('are counted by what waits, not by what came', async () => {
    verifies('http.pipeline.closed');
    const { port, dispatcher } = await listenThere();
    const client = await rawClient(port);
    for (let round = 1; round <= 4; round++) {
      client.send(get('/quick').repeat(100));
      while (answersIn(client.received).length < round * 100) await once(client.socket, 'data');
    }
    expect(client.received).not.toMatch(/connection: close/i);
    expect(dispatcher.calls).toHaveLength(400);
  });
});

describe('requests that were sent ahead, when the server drains', () => {
  it('are not begun: the answer under way says that it is the last', async () => {
    verifies('http.shutdown.in-flight');
    const [one, two] = [gated('/one'), gated('/two')];
    const { port, close, door, dispatcher } = await openDoor([one.route, two.route]);
    const client = await rawClient(port);
    client.send(get('/one') + get('/two') + get('/two'));
    await one.begun;
    const closing = close();
    const health = await rawClient(port);
    health.send(get('/elsewhere'));
    await health.until(/503/);
    one.release();
    const answers = answersIn(await client.closed());
    await closing;
    expect(answers).toHaveLength(1);
    expect(answers[0]).toMatch(/^200 [\s\S]*connection: close[\s\S]*"\/one"$/i);
    expect(dispatcher.calls).toHaveLength(1);
    await door.whenIdle();
  });
});
