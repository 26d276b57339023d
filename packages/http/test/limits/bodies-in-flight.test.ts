import { HTTPError } from '@waymark/contract';
import { jsonResponse, problemResponse, RouteResponse, toErrorResponse } from '@waymark/contract/engine';
import type { Authenticate } from '@waymark/contract/principal';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import type { DoorLimits } from '../../src/limits/door-limits.ts';
import { deferred } from '../deferred.ts';
import type { FakeRoute } from '../fake-dispatcher.ts';
import { type OpenDoor, openDoor } from '../open-door.ts';
import { type RawClient, rawClient } from '../raw-client.ts';

const limit = 100_000;

/** Reads its body, and says how long it is. */
const reads: FakeRoute = {
  method: 'POST',
  path: '/read',
  answer: ({ input }) =>
    input.body.read(limit).then((bytes) => jsonResponse({ bytes: bytes.length }), toErrorResponse),
};

/** The name in `x-api-key`; nobody without. */
const named: Authenticate = ({ headers }) => {
  const id = headers['x-api-key'] ?? 'anonymous';
  const authenticated = headers['x-api-key'] !== undefined;
  return { ok: true, principal: { id, rootId: id, authenticated, scopes: [] } };
};

const doorWith = (limits: DoorLimits, ...more: readonly FakeRoute[]): Promise<OpenDoor> =>
  openDoor([reads, ...more], { limits, authenticate: named });

/** The head of an upload. */
const head = (key: string, length: number | 'chunked', ...more: readonly string[]): string =>
  [
    'POST /read HTTP/1.1',
    'Host: a',
    `X-Api-Key: ${key}`,
    length === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`,
    ...more,
    '\r\n',
  ].join('\r\n');

const chunk = (bytes: number): string => `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`;

/** Begins an upload whose last byte does not come, and waits until the door holds it. */
async function hold(door: OpenDoor, key: string, bytes: number): Promise<RawClient> {
  const before = door.door.held.bodyBytes;
  const client = await rawClient(door.port);
  client.send(head(key, bytes) + 'x'.repeat(bytes - 1));
  await expect.poll(() => door.door.held.bodyBytes).toBe(before + bytes);
  return client;
}

async function upload(door: OpenDoor, key: string, bytes: number): Promise<Response> {
  return fetch(`${door.url}/read`, {
    method: 'POST',
    headers: { 'x-api-key': key },
    body: 'x'.repeat(bytes),
  });
}

const drained = async (door: OpenDoor): Promise<void> => {
  await expect.poll(() => door.door.held.bodyBytes).toBe(0);
};

describe('the bytes of bodies in flight', () => {
  it.each([
    { bytes: 3999, status: 200 },
    { bytes: 4000, status: 200 },
    { bytes: 4001, status: 503 },
  ])(
    'of one caller are bounded: 6,000 are held of 10,000, and $bytes more are $status',
    async ({ bytes, status }) => {
      verifies('http.body.in-flight.caller');
      const door = await doorWith({ bodyBytesPerCaller: 10_000 });
      await hold(door, 'ada', 6000);
      const response = await upload(door, 'ada', bytes);
      expect(response.status).toBe(status);
      if (status === 200) return;
      expect(response.headers.get('retry-after')).toBe('1');
      expect(response.headers.get('connection')).toBe('close');
      expect(await response.json()).toMatchObject({
        detail:
          'your requests in flight would hold more than 10000 bytes: send this one when others are answered',
      });
      expect((await upload(door, 'bob', bytes)).status).toBe(200);
    },
  );

  it.each([
    { bytes: 2999, status: 200 },
    { bytes: 3000, status: 200 },
    { bytes: 3001, status: 503 },
  ])(
    'of all are bounded: 12,000 are held of 15,000, and $bytes more are $status',
    async ({ bytes, status }) => {
      verifies('http.body.in-flight.total');
      const door = await doorWith({ bodyBytesPerCaller: 10_000, bodyBytes: 15_000 });
      await hold(door, 'ada', 6000);
      await hold(door, 'bob', 6000);
      const response = await upload(door, 'eve', bytes);
      expect(response.status).toBe(status);
      if (status === 503)
        expect(await response.json()).toMatchObject({
          detail: 'the requests of all callers would hold more than 15000 bytes: send this one later',
        });
    },
  );

  it('of callers without a name are those of their address', async () => {
    const door = await doorWith({ bodyBytesPerCaller: 10_000 });
    const anonymous = (bytes: number) =>
      fetch(`${door.url}/read`, { method: 'POST', body: 'x'.repeat(bytes) });
    const client = await rawClient(door.port);
    client.send('POST /read HTTP/1.1\r\nHost: a\r\nContent-Length: 6000\r\n\r\n');
    await expect.poll(() => door.door.held.bodyBytes).toBe(6000);
    expect([(await anonymous(4001)).status, (await anonymous(4000)).status]).toEqual([503, 200]);
    expect((await upload(door, 'ada', 10_000)).status).toBe(200);
  });

  it('are 64 MiB for one caller and 256 MiB for all, unless something else is said', async () => {
    verifies('http.body.in-flight.caller', 'http.body.in-flight.total');
    const door = await openDoor(
      [
        {
          ...reads,
          answer: ({ input }) => input.body.read(2 ** 40).then(() => jsonResponse(1), toErrorResponse),
        },
      ],
      { authenticate: named },
    );
    const declare = async (key: string, bytes: number) => {
      const client = await rawClient(door.port);
      client.send(head(key, bytes));
      return client;
    };
    const over = await declare('ada', 64 * 2 ** 20 + 1);
    expect(await over.closed()).toContain('would hold more than 67108864 bytes');
    for (const key of ['ada', 'bob', 'cyd', 'dan']) await declare(key, 64 * 2 ** 20);
    await expect.poll(() => door.door.held.bodyBytes).toBe(256 * 2 ** 20);
    expect(await (await declare('eve', 1)).closed()).toContain('would hold more than 268435456 bytes');
  });

  it('are taken before a byte came, and the rest of a refused body is not read', async () => {
    const door = await doorWith({ bodyBytesPerCaller: 10_000 });
    await hold(door, 'ada', 9000);
    const client = await rawClient(door.port);
    client.send(head('ada', 50_000, 'Expect: 100-continue'));
    const answer = await client.closed();
    expect(answer).toMatch(/^HTTP\/1\.1 503 /);
    expect(answer).toContain('connection: close\r\n');
  });

  it('are taken as they come where no length is declared', async () => {
    const door = await doorWith({ bodyBytesPerCaller: 10_000 });
    const client = await rawClient(door.port);
    client.send(head('ada', 'chunked'));
    for (const sum of [4000, 8000]) {
      client.send(chunk(4000));
      await expect.poll(() => door.door.held.bodyBytes).toBe(sum);
    }
    client.send(chunk(2001));
    const answer = await client.closed();
    expect(answer).toMatch(/^HTTP\/1\.1 503 /);
    expect(answer).toContain('connection: close\r\n');
    await drained(door);
    const fits = await rawClient(door.port);
    fits.send(`${head('ada', 'chunked')}${chunk(4000)}${chunk(4000)}0\r\n\r\n`);
    expect(await fits.until(/\{"bytes":8000\}/)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('count what tiny pieces cost besides their bytes, where they are kept until the last one comes', async () => {
    const door = await doorWith({ bodyBytesPerCaller: 10_000 });
    for (const [length, line, status] of [
      ['chunked', chunk(1), 503],
      // They are put in their place as they come.
      [100, 'x', 200],
    ] as const) {
      const client = await rawClient(door.port);
      client.send(head('ada', length));
      let answered = false;
      void client.until(/\r\n\r\n.*["}]$/).then(() => {
        answered = true;
      });
      // A piece on the wire of its own, so that it is read as one.
      for (let i = 0; i < 100 && !answered; i++) {
        client.send(line);
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      expect(await client.until(/\r\n\r\n.*["}]$/), String(length)).toMatch(
        new RegExp(`^HTTP/1\\.1 ${status} `),
      );
      client.socket.destroy();
      await drained(door);
    }
  });

  it('are not looked at where a body is too large for its route', async () => {
    const door = await doorWith({ bodyBytesPerCaller: 10_000 });
    await hold(door, 'ada', 9000);
    expect((await upload(door, 'ada', limit + 1)).status).toBe(413);
  });
});

describe('what a body holds', () => {
  it('is held until its request is answered', async () => {
    verifies('http.body.in-flight.given-back');
    const go = deferred<void>();
    const door = await doorWith(
      { bodyBytesPerCaller: 10_000 },
      {
        method: 'POST',
        path: '/works',
        answer: async ({ input }) => {
          await input.body.read(limit);
          await go.promise;
          return jsonResponse('done');
        },
      },
    );
    const working = fetch(`${door.url}/works`, {
      method: 'POST',
      headers: { 'x-api-key': 'ada' },
      body: 'x'.repeat(6000),
    });
    await expect.poll(() => door.door.held.bodyBytes).toBe(6000);
    expect((await upload(door, 'ada', 5000)).status).toBe(503);
    go.resolve();
    await working;
    await drained(door);
    expect((await upload(door, 'ada', 10_000)).status).toBe(200);
  });

  it.each([
    { what: 'with an error', answer: () => problemResponse(422, 'no') },
    {
      what: 'by something thrown',
      answer: () => {
        throw new HTTPError(400, 'no');
      },
    },
    {
      what: 'with a stream',
      answer: () =>
        new RouteResponse(200, {
          kind: 'stream',
          stream: ReadableStream.from([Buffer.from('a')]),
          mediaType: 'text/plain',
        }),
    },
  ])('is given back when its request is answered $what', async ({ answer }) => {
    const door = await doorWith(
      {},
      {
        method: 'POST',
        path: '/answers',
        answer: async ({ input }) => {
          await input.body.read(limit);
          expect(door.door.held.bodyBytes).toBe(5000);
          return answer();
        },
      },
    );
    await (await fetch(`${door.url}/answers`, { method: 'POST', body: 'x'.repeat(5000) })).text();
    await drained(door);
  });

  it('is given back when the client goes away in the middle', async () => {
    verifies('http.body.in-flight.given-back');
    const door = await doorWith({ bodyBytesPerCaller: 10_000 });
    const clients = [await hold(door, 'ada', 4000), await hold(door, 'ada', 5000)];
    for (const { socket } of clients) socket.resetAndDestroy();
    await drained(door);
    expect((await upload(door, 'ada', 10_000)).status).toBe(200);
  });

  it('is nothing where the body is handed on as it comes', async () => {
    verifies('http.body.in-flight.streamed');
    const seen = deferred<void>();
    const go = deferred<void>();
    const door = await doorWith(
      { bodyBytesPerCaller: 1000 },
      {
        method: 'POST',
        path: '/proxy',
        answer: async ({ input }) => {
          let bytes = 0;
          for await (const piece of input.body.stream()) {
            bytes += piece.length;
            seen.resolve();
            await go.promise;
          }
          return jsonResponse({ bytes });
        },
      },
    );
    const response = fetch(`${door.url}/proxy`, { method: 'POST', body: 'x'.repeat(500_000) });
    await seen.promise;
    expect(door.door.held.bodyBytes).toBe(0);
    go.resolve();
    expect(await (await response).json()).toEqual({ bytes: 500_000 });
  });

  it('is nothing for a body that is read after its answer', async () => {
    const late = deferred<unknown>();
    const answered = deferred<void>();
    const door = await doorWith(
      {},
      {
        method: 'POST',
        path: '/early',
        answer: ({ input }) => {
          const read = answered.promise.then(() => input.body.read(limit));
          read.then(late.resolve, late.resolve);
          return jsonResponse('early');
        },
      },
    );
    await fetch(`${door.url}/early`, { method: 'POST', body: 'x'.repeat(5000) });
    await door.logged(({ message }) => message === 'request');
    answered.resolve();
    expect(String(await late.promise)).toContain('not after the answer');
    expect(door.door.held.bodyBytes).toBe(0);
  });

  it('takes nothing of what still comes when its answer, a stream, has ended', async () => {
    const read = deferred<unknown>();
    const door = await doorWith(
      {},
      {
        method: 'POST',
        path: '/half',
        answer: ({ input }) => {
          input.body.read(limit).then(read.resolve, read.resolve);
          const stream = ReadableStream.from([Buffer.from('done')]) as ReadableStream<Uint8Array>;
          return new RouteResponse(200, { kind: 'stream', stream, mediaType: 'text/plain' });
        },
      },
    );
    const client = await rawClient(door.port);
    client.send(`POST /half HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${chunk(2000)}`);
    await client.until(/done/);
    await drained(door);
    client.send(chunk(2000));
    expect(await read.promise).toBeInstanceOf(Error);
    expect(door.door.held.bodyBytes).toBe(0);
  });
});
