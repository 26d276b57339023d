import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { serverOptions } from '../../src/server/server-options.ts';
import { ask } from '../ask.ts';
import { openDoor } from '../open-door.ts';
import { rawClient, rawExchange } from '../raw-client.ts';

const page = { method: 'GET', path: '/page' } as const;
/** So many headers, `Host` and `Connection` among them. */
const withHeaders = (count: number) =>
  `GET /page HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${Array.from({ length: count - 2 }, (_, i) => `x-${i}: 1\r\n`).join('')}\r\n`;

describe('a server', () => {
  it('gives headers 10 seconds, or as long as the whole request has where that is less', () => {
    verifies('http.timeout.headers');
    expect(serverOptions(30_000)).toMatchObject({ headersTimeout: 10_000, requestTimeout: 30_000 });
    expect(serverOptions(0)).toMatchObject({ headersTimeout: 10_000, requestTimeout: 0 });
    expect(serverOptions(5000)).toMatchObject({ headersTimeout: 5000, requestTimeout: 5000 });
  });

  it('looks for slow clients every 2 seconds', () => {
    expect(serverOptions(1).connectionsCheckingInterval).toBe(2000);
  });

  it('keeps idle connections for 75 seconds, and says so', async () => {
    verifies('http.timeout.keep-alive');
    expect(serverOptions(1).keepAliveTimeout).toBe(75_000);
    const { port } = await openDoor([page]);
    const client = await rawClient(port);
    client.send('GET /page HTTP/1.1\r\nHost: a\r\n\r\n');
    expect((await client.until(/"ok"$/)).toLowerCase()).toContain('\r\nkeep-alive: timeout=75\r\n');
  });

  it('takes 100 headers and answers 431 to one more, however many there are', async () => {
    verifies('http.status.431');
    const { port, dispatcher } = await openDoor([page]);
    expect(await rawExchange(port, withHeaders(99))).toMatch(/^HTTP\/1\.1 200 /);
    expect(await rawExchange(port, withHeaders(100))).toMatch(/^HTTP\/1\.1 200 /);
    for (const count of [101, 102, 300]) {
      const raw = await rawExchange(port, withHeaders(count));
      expect(raw).toMatch(
        /^HTTP\/1\.1 431 [\s\S]*"detail":"(there are more than 100 headers|the headers are too large)"/,
      );
    }
    expect(dispatcher.calls).toHaveLength(2);
  });

  it('takes 16 KiB of target and headers together, and answers 431 to more', async () => {
    const door = await openDoor([page]);
    const query = (bytes: number) => `/page?${'x'.repeat(bytes)}`;
    expect((await ask(door, query(16_000))).status).toBe(200);
    expect((await ask(door, query(16_384))).status).toBe(431);
    expect((await ask(door, '/page', { x: 'y'.repeat(16_384) })).status).toBe(431);
  });

  it('answers 408 to headers and to a body that do not come', async () => {
    verifies('http.status.408');
    const door = await openDoor(
      [
        {
          method: 'POST',
          path: '/body',
          answer: async ({ input }) => {
            await input.body.read(100, new AbortController().signal);
            throw new Error('the body came');
          },
        },
      ],
      { requestTimeoutMs: 1 },
    );
    const [headers, body] = await Promise.all([rawClient(door.port), rawClient(door.port)]);
    headers.send('GET /page HTTP/1.1\r\n');
    body.send('POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na');
    for (const client of [headers, body]) {
      const raw = await client.until(/\}$/);
      expect(raw).toMatch(/^HTTP\/1\.1 408 /);
      expect(raw).toContain('"detail":"the request took too long to arrive"');
      expect(raw).toContain('\r\nx-content-type-options: nosniff\r\n');
    }
  });

  it('does not mind expectations that it does not know', async () => {
    const door = await openDoor([page]);
    const answer = await ask(door, '/page', { expect: '200-ok' });
    expect([answer.status, answer.body]).toEqual([200, '"ok"']);
  });
});
