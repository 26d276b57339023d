import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { verifies } from '@waymark/contract/testing';
import { proxy } from '@waymark/pages';
import { describe, expect, it } from 'vitest';
import { httpUpstream, serveProxies } from './proxy-upstreams.ts';
import { rawClient, rawRequest } from './raw-client.ts';

const echo = (req: IncomingMessage, res: NodeJS.WritableStream): void => void req.pipe(res);

describe('a proxied stream', () => {
  it('is passed on a piece at a time, both ways at once', async () => {
    verifies('proxy.streams');
    const { url } = await httpUpstream(echo);
    const { port } = await serveProxies(url, [proxy('POST', '/echo', 'desk')]);
    const client = await rawClient(port);
    let received = '';
    client.socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
    });
    const arrived = async (text: string): Promise<void> => {
      while (!received.includes(text)) await once(client.socket, 'data');
    };
    client.send(rawRequest('POST', '/echo', ['Transfer-Encoding: chunked', 'Connection: close']));
    client.send('5\r\nfirst\r\n');
    // The second piece is sent when the first has come back.
    await arrived('first');
    client.send('6\r\nsecond\r\n0\r\n\r\n');
    await arrived('second');
    await once(client.socket, 'close');
    expect(received).toMatch(/0\r\n\r\n$/);
  });

  it('arrives whole, however long it is', async () => {
    verifies('proxy.streams');
    const { url } = await httpUpstream(echo);
    const { url: own } = await serveProxies(url, [proxy('POST', '/echo', 'desk')]);
    for (const length of [0, 1, 65_535, 65_536, 65_537, 20_000_000]) {
      const bytes = Buffer.alloc(length, 'abcdefg');
      const answer = await fetch(`${own}/echo`, { method: 'POST', body: bytes });
      expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
    }
    const pieces = new ReadableStream({
      start(controller) {
        for (let i = 0; i < 100; i++) controller.enqueue(Buffer.alloc(1000, String(i % 10)));
        controller.close();
      },
    });
    const answer = await fetch(`${own}/echo`, { method: 'POST', body: pieces, duplex: 'half' });
    expect((await answer.text()).length).toBe(100_000);
  });

  it('is told with its length where the upstream tells it', async () => {
    const { url } = await httpUpstream((_req, res) => {
      res.writeHead(200, { 'content-length': 100_000 }).end('x'.repeat(100_000));
    });
    const { url: own } = await serveProxies(url, [proxy('GET', '/a', 'desk')]);
    const answer = await fetch(`${own}/a`);
    expect(answer.headers.get('content-length')).toBe('100000');
    expect((await answer.text()).length).toBe(100_000);
  });

  it('stands still while nobody reads it, and while the upstream reads nothing', async () => {
    verifies('proxy.streams');
    let written = 0;
    const down = await httpUpstream((_req, res) => {
      const piece = Buffer.alloc(65_536);
      const write = (): void => {
        while (written < 500_000_000) {
          written += piece.length;
          if (!res.write(piece)) return void res.once('drain', write);
        }
      };
      write();
    });
    const { port } = await serveProxies(down.url, [proxy('GET', '/a', 'desk')]);
    const reader = await rawClient(port);
    reader.send(rawRequest('GET', '/a'));
    await once(reader.socket, 'data');
    reader.socket.pause();
    await settled(() => written);
    // What the kernel holds on four ends, and nothing near of all of it.
    expect(written).toBeLessThan(100_000_000);
    reader.socket.destroy();

    let held: IncomingMessage | undefined;
    const up = await httpUpstream((req) => {
      held = req.pause();
    });
    const { port: second } = await serveProxies(up.url, [proxy('POST', '/a', 'desk')]);
    const writer = await rawClient(second);
    writer.send(rawRequest('POST', '/a', ['Content-Length: 500000000']));
    const piece = Buffer.alloc(65_536);
    for (let i = 0; i < 3000; i++) writer.send(piece);
    await settled(() => writer.sent);
    expect(writer.sent).toBeLessThan(100_000_000);
    writer.socket.destroy();
    // Whoever reads nothing does not see that nobody writes any more, either.
    held?.resume();
    await up.quiet();
  });
});

/** Resolves once a figure has not changed for ten looks in a row. */
async function settled(figure: () => number): Promise<void> {
  for (let same = 0, before = Number.NaN; same < 10; ) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    same = figure() === before ? same + 1 : 0;
    before = figure();
  }
}

describe('maxBodyBytes of a proxy', () => {
  const routes = [
    proxy('POST', '/any', 'desk'),
    proxy('POST', '/limited', 'desk', { maxBodyBytes: 100_000 }),
    proxy('POST', '/short', 'desk', { maxBodyBytes: 10 }),
  ];

  it.each([
    ['/limited', 99_999, 200],
    ['/limited', 100_000, 200],
    ['/limited', 100_001, 413],
    ['/short', 10, 200],
    ['/short', 11, 413],
    // Without it a body may be of any size: nothing of it is kept (decision 2.6).
    ['/any', 3_000_000, 200],
  ])('lets %s pass %i bytes with %i, told or not', async (path, length, status) => {
    verifies('http.body.limit-proxies');
    let got = 0;
    const { url } = await httpUpstream((req, res) => {
      got = 0;
      req.on('data', (chunk: Buffer) => {
        got += chunk.length;
      });
      req.on('end', () => res.end(String(got)));
    });
    const { url: own } = await serveProxies(url, routes);
    const bytes = Buffer.alloc(length);
    for (const body of [bytes, new Blob([bytes]).stream()]) {
      const answer = await fetch(own + path, { method: 'POST', body, duplex: 'half' });
      expect(answer.status).toBe(status);
      const text = await answer.text();
      if (status === 200) expect(text).toBe(String(length));
      else expect(text).toContain(`the body is larger than ${path === '/short' ? 10 : 100_000} bytes`);
    }
  });
});

describe('a body that was compressed', () => {
  it.each([10, 100_000])('is refused: a small one of %i bytes could unfold to any size', async (length) => {
    let asked = false;
    const { url } = await httpUpstream((_req, res) => {
      asked = true;
      res.end();
    });
    const { url: own } = await serveProxies(url, [proxy('POST', '/a', 'desk')]);
    const headers = { 'content-encoding': 'gzip' };
    const { status } = await fetch(`${own}/a`, { method: 'POST', headers, body: Buffer.alloc(length) });
    expect([status, asked]).toEqual([415, false]);
  });
});
