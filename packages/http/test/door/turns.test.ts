import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { jsonResponse, RouteResponse } from '@waymark/contract/engine';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { maxSentAhead } from '../../src/door/turns.ts';
import { deferred } from '../deferred.ts';
import type { FakeRoute } from '../fake-dispatcher.ts';
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

  it.each([
    ['fewer than may be', maxSentAhead, false],
    ['as many as may be', maxSentAhead + 1, true],
  ])('are all answered where they are %s', async (_, sent, isLast) => {
    verifies('http.pipeline.bound');
    const { port } = await openDoor([quick, last]);
    const client = await rawClient(port);
    client.send(get('/quick').repeat(sent - 1) + get('/last'));
    const answers = answersIn(await client.until(/"last"/));
    expect(answers).toHaveLength(sent);
    expect(answers.findIndex((answer) => /connection: close/i.test(answer))).toBe(isLast ? sent - 1 : -1);
  });

  it('are not begun where they are more: the last one that is says so, and its client may send them anew', async () => {
    verifies('http.pipeline.bound');
    const { port, dispatcher } = await openDoor([quick]);
    const client = await rawClient(port);
    client.send(get('/quick').repeat(10_000));
    const answers = answersIn(await client.closed());
    expect(answers).toHaveLength(maxSentAhead + 1);
    expect(answers.at(-1)).toMatch(/^200 [\s\S]*connection: close[\s\S]*"quick"$/i);
    expect(dispatcher.calls).toHaveLength(maxSentAhead + 1);
  });

  it('are counted by what waits, not by what came', async () => {
    verifies('http.pipeline.bound');
    const { port, dispatcher } = await openDoor([quick]);
    const client = await rawClient(port);
    for (let round = 1; round <= 4; round++) {
      client.send(get('/quick').repeat(100));
      while (answersIn(client.received).length < round * 100) await once(client.socket, 'data');
    }
    expect(client.received).not.toMatch(/connection: close/i);
    expect(dispatcher.calls).toHaveLength(400);
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
    const { port } = await openDoor([large]);
    const client = await rawClient(port);
    client.socket.pause();
    client.send(get('/large').repeat(1_000));
    await sleep(150);
    client.socket.resume();
    const bodies = answersIn(await client.closed()).map((answer) => answer.match(/a{1000,}/g)?.join(''));
    expect(bodies).toHaveLength(maxSentAhead + 1);
    expect(bodies.every((body) => body?.length === size)).toBe(true);
  });

  it('take their bodies with them, the last one that is begun, too', async () => {
    verifies('http.pipeline.bound');
    const echo: FakeRoute = {
      method: 'POST',
      path: '/echo',
      answer: async ({ input }) => jsonResponse((await input.body?.read(1_000_000))?.length),
    };
    const { port } = await openDoor([quick, echo]);
    const client = await rawClient(port);
    const large = 'a'.repeat(300_000);
    client.send(get('/quick').repeat(maxSentAhead) + post('/echo', large) + get('/quick').repeat(50));
    const answers = answersIn(await client.closed());
    expect(answers).toHaveLength(maxSentAhead + 1);
    expect(answers.at(-1)).toMatch(/^200 [\s\S]*\r\n\r\n300000$/);
  });
});

describe('requests that were sent ahead on a server of somebody else', () => {
  it('are bounded as well', async () => {
    verifies('http.pipeline.bound');
    const { door, dispatcher } = await openDoor([quick]);
    const server = createServer(door.listener()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const client = await rawClient((server.address() as AddressInfo).port);
    client.send(get('/quick').repeat(10_000));
    expect(answersIn(await client.closed())).toHaveLength(maxSentAhead + 1);
    expect(dispatcher.calls).toHaveLength(maxSentAhead + 1);
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
