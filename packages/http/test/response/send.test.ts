import { connect } from 'node:net';
import { RouteResponse } from '@waymark/contract/engine';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { FakeRoute } from '../fake-dispatcher.ts';
import { openDoor } from '../open-door.ts';
import { rawClient } from '../raw-client.ts';

const answerBytes = 200_000;

/** Answers with a stream, whatever was sent: the first piece of the body is read, if there is one, and no more. */
const early = (length?: number): FakeRoute => ({
  method: 'POST',
  path: '/early',
  async answer({ input }) {
    const reader = input.body.stream().getReader();
    await reader.read();
    await reader.cancel();
    const pieces = [new Uint8Array(answerBytes / 2).fill(122), new Uint8Array(answerBytes / 2).fill(122)];
    const stream = ReadableStream.from(pieces);
    return new RouteResponse(200, {
      kind: 'stream',
      stream,
      mediaType: 'text/plain',
      ...(length !== undefined && { length }),
    });
  },
});

const head = (more: string): string => `POST /early HTTP/1.1\r\nHost: 127.0.0.1\r\n${more}\r\n\r\n`;

describe('a stream that ends while its caller still sends', () => {
  it.each([
    ['of a told length', answerBytes],
    ['of unknown length', undefined],
  ])('%s reaches a caller who reads late', async (_, length) => {
    verifies('http.stream.linger');
    const { port, url } = await openDoor([early(length)]);
    const client = await rawClient(port);
    client.socket.pause();
    client.send(head('Content-Length: 100000000'));
    for (let i = 0; i < 8; i++) {
      client.send(Buffer.alloc(65_536));
      // Meanwhile the server meets it: a connection cut at once would be reset by this, and the answer lost.
      await fetch(`${url}/missing`);
    }
    client.socket.resume();
    const [answerHead = '', body = ''] = (await client.closed()).split('\r\n\r\n');
    expect(answerHead).toMatch(/^HTTP\/1\.1 200 [\s\S]*connection: close/);
    expect(body.match(/z/g)).toHaveLength(answerBytes);
    if (length === undefined) expect((client.received.match(/0\r\n\r\n$/) ?? [])[0]).toBe('0\r\n\r\n');
  });

  it('takes little more of a caller who never stops, and then cuts the connection', async () => {
    const { port } = await openDoor([early()]);
    // It goes on although it has read the end of the answer.
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    onTestFinished(() => void socket.destroy());
    const closed = new Promise((resolve) => socket.once('close', resolve));
    let received = '';
    socket
      .on('error', () => {})
      .on('data', (chunk: Buffer) => {
        received += chunk.toString('latin1');
      });
    socket.write(head('Content-Length: 68719476736'));
    const piece = Buffer.alloc(1_048_576);
    let sent = 0;
    const flood = (): void => {
      do sent += piece.length;
      while (socket.writable && socket.write(piece));
    };
    socket.on('drain', flood);
    flood();
    await closed;
    expect(received).toContain('HTTP/1.1 200 ');
    // The kernels hold a few megabytes.
    expect(sent).toBeLessThan(32 * 1_048_576);
  });

  it('leaves the connection to the next request when the rest is small', async () => {
    const { port } = await openDoor([early()]);
    const client = await rawClient(port);
    client.send(head('Content-Length: 30000'));
    client.send(Buffer.alloc(100));
    await client.until(/0\r\n\r\n$/);
    client.send(Buffer.alloc(29_900));
    client.send('POST /missing HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n');
    expect(await client.until(/HTTP\/1\.1 404 /)).toContain('HTTP/1.1 404 ');
  });
});

/** Says something by a timer of its own, until it has said it so many times. */
const ticking = (everyMs: number, times: number): FakeRoute => ({
  method: 'GET',
  path: '/ticking',
  answer: () => {
    let left = times;
    let timer: NodeJS.Timeout;
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        timer = setInterval(() => {
          controller.enqueue(Buffer.from('tick '));
          if (--left > 0) return;
          clearInterval(timer);
          controller.close();
        }, everyMs);
      },
      cancel: () => clearInterval(timer),
    });
    return new RouteResponse(200, { kind: 'stream', stream, mediaType: 'text/plain' });
  },
});

describe('a stream whose process is held up', () => {
  it('is not cut for a pause that is not its own', async () => {
    const { url } = await openDoor([ticking(40, 6)], { streamIdleMs: 80 });
    const holdUp = (ms: number): void => {
      const until = performance.now() + ms;
      while (performance.now() < until);
    };
    for (let afterMs = 100; afterMs <= 124; afterMs += 3) {
      const text = (await fetch(`${url}/ticking`)).text();
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      holdUp(90);
      expect((await text).match(/tick/g)).toHaveLength(6);
    }
  });
});
