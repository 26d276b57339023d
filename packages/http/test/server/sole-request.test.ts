import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { jsonResponse } from '@waymark/contract/engine';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDoor, type Door, listen } from '../../src/index.ts';
import { SoleRequest } from '../../src/server/sole-request.ts';
import { fakeDispatcher } from '../fake-dispatcher.ts';
import { keys } from '../open-door.ts';

const length = 300_023;

/** A door that says how many bytes it read, and of which requests. */
function countingDoor(): { readonly door: Door; readonly requests: IncomingMessage[] } {
  const requests: IncomingMessage[] = [];
  const dispatcher = fakeDispatcher([
    {
      method: 'POST',
      path: '/count',
      answer: async ({ input }) =>
        jsonResponse((await input.body.read(1_000_000, new AbortController().signal)).length),
    },
  ]);
  const principalOf = (req: IncomingMessage): undefined => void requests.push(req);
  return { door: createDoor({ dispatcher, authenticate: keys, principalOf, newId: () => 'made' }), requests };
}

/** Keeps what it hears and leaves at the end, as loggers and signature checks do. */
function keeper(next: RequestListener): { readonly listener: RequestListener; readonly kept: Buffer[] } {
  const kept: Buffer[] = [];
  const listener: RequestListener = (req, res) => {
    const keep = (chunk: Buffer): void => void kept.push(chunk);
    req.on('data', keep).once('end', () => req.off('data', keep));
    next(req, res);
  };
  return { listener, kept };
}

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const send = async (url: string) =>
  (await fetch(`${url}/count`, { method: 'POST', body: Buffer.alloc(length, 7) })).json();

const lengthOf = (pieces: readonly Buffer[]) => pieces.reduce((sum, piece) => sum + piece.length, 0);

describe('a body that somebody in front keeps', () => {
  it.each([
    [
      'middleware',
      (door: Door): RequestListener =>
        (req, res) =>
          door.middleware(req, res, () => res.end()),
    ],
    ['listener', (door: Door): RequestListener => door.listener()],
  ])('is theirs as they heard it, before `%s`', async (_, toListener) => {
    const { listener, kept } = keeper(toListener(countingDoor().door));
    expect(await send(await serve(listener))).toBe(length);
    expect(lengthOf(kept)).toBe(length);
  });

  it('is theirs behind `listen` with a listener of their own', async () => {
    const { door, requests } = countingDoor();
    const { listener, kept } = keeper(door.listener());
    const server = await listen(door, { host: '127.0.0.1', port: 0, shutdownTimeoutMs: 1_000, listener });
    onTestFinished(() => server.close());
    expect(await send(server.url)).toBe(length);
    expect(lengthOf(kept)).toBe(length);
    expect(requests[0]).not.toBeInstanceOf(SoleRequest);
  });
});

describe('a body that nobody but the door reads', () => {
  it.each([
    ['the listener of the door', () => ({})],
    ['one that leaves bodies to it', (door: Door) => ({ listener: door.listener(), readsAlone: true })],
  ])('is known as such behind `listen` with %s', async (_, more) => {
    const { door, requests } = countingDoor();
    const at = { host: '127.0.0.1', port: 0, shutdownTimeoutMs: 1_000 };
    const server = await listen(door, { ...at, ...more(door) });
    onTestFinished(() => server.close());
    expect(await send(server.url)).toBe(length);
    expect(requests[0]).toBeInstanceOf(SoleRequest);
  });
});
