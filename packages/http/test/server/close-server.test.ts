import { once } from 'node:events';
import { createServer } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { closeServer } from '../../src/server/close-server.ts';
import { Connections } from '../../src/server/connections.ts';
import { openDoor } from '../open-door.ts';
import { rawClient } from '../raw-client.ts';

/** The time a server takes that waits for `shutdownTimeoutMs`. */
const shutdownTimeoutMs = 5000;

describe('closeServer', () => {
  it.each([
    ['never sent a request', ''],
    ['sent half a request', 'GET /page HTTP/1.1\r\nhost: loc'],
  ])('is not kept by a connection that %s', async (_what, bytes) => {
    verifies('http.shutdown.hanging');
    const { port, close } = await openDoor([{ method: 'GET', path: '/page' }], { shutdownTimeoutMs });
    const idle = await rawClient(port);
    idle.send(bytes);
    // The server has seen the other once it answered this one.
    const kept = await rawClient(port);
    kept.send('GET /page HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await kept.until(/200/);
    const startedMs = performance.now();
    await close();
    expect(performance.now() - startedMs).toBeLessThan(shutdownTimeoutMs / 2);
    expect(await idle.closed()).toBe('');
  });

  it('stops listening by the public method of its server, which is not shared by all that run us', async () => {
    const { door } = await openDoor();
    const server = createServer(door.listener()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    let closes = 0;
    const close = server.close.bind(server);
    server.close = (told) => {
      closes++;
      return close(told);
    };
    await closeServer(server, door, new Connections(server), shutdownTimeoutMs);
    expect(closes).toBe(1);
    // What kept connections from being cut meanwhile is gone.
    expect(Object.hasOwn(server, 'closeIdleConnections')).toBe(false);
  });

  it('turns away who comes within a moment of the last answer, instead of cutting them off', async () => {
    verifies('http.shutdown.new-requests');
    const { port, close } = await openDoor([{ method: 'GET', path: '/page' }], { shutdownTimeoutMs });
    const late = await rawClient(port);
    const closing = close();
    late.send('GET /page HTTP/1.1\r\nhost: localhost\r\n\r\n');
    expect(await late.closed()).toMatch(/^HTTP\/1\.1 503 [\s\S]*connection: close/i);
    await closing;
  });

  it('waits for nobody where nobody is connected', async () => {
    const times = [];
    for (let i = 0; i < 5; i++) {
      const { close } = await openDoor([], { shutdownTimeoutMs });
      const startedMs = performance.now();
      await close();
      times.push(performance.now() - startedMs);
    }
    expect(Math.min(...times)).toBeLessThan(300);
  });

  it('turns away who has just left and comes back', async () => {
    const { port, close } = await openDoor([{ method: 'GET', path: '/page' }], { shutdownTimeoutMs });
    const ask = async (): Promise<string> => {
      const client = await rawClient(port);
      client.send('GET /page HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n');
      return client.closed();
    };
    expect(await ask()).toMatch(/^HTTP\/1\.1 200/);
    // The server hears of the end a turn later.
    await nextTurn();
    const closing = close();
    expect(await ask()).toMatch(/^HTTP\/1\.1 503/);
    await closing;
  });

  it('stays open for a quarter of its time at most where nothing is under way', async () => {
    const { port, close } = await openDoor([], { shutdownTimeoutMs: 800 });
    const idle = await rawClient(port);
    const startedMs = performance.now();
    const closing = close();
    while (await rawClient(port).catch(() => undefined));
    // Three times the 200 ms that are promised.
    expect(performance.now() - startedMs).toBeLessThan(600);
    await closing;
    await idle.closed();
  });

  it('hears out who was connected before it stopped listening', async () => {
    verifies('http.shutdown.new-requests');
    const { port, close } = await openDoor([{ method: 'GET', path: '/page' }], { shutdownTimeoutMs });
    const early = await rawClient(port);
    const closing = close();
    for (;;) {
      const other = await rawClient(port).catch(() => undefined);
      if (!other) break;
      other.send('GET /page HTTP/1.1\r\nhost: localhost\r\n\r\n');
      await other.closed();
    }
    early.send('GET /page HTTP/1.1\r\nhost: localhost\r\n\r\n');
    expect(await early.closed()).toMatch(/^HTTP\/1\.1 503 [\s\S]*connection: close/i);
    await closing;
  });

  it('does not wait longer for clients that come back again and again', async () => {
    const { port, close } = await openDoor([{ method: 'GET', path: '/page' }], { shutdownTimeoutMs });
    let closed = false;
    const startedMs = performance.now();
    const closing = close().then(() => {
      closed = true;
    });
    while (!closed) {
      const client = await rawClient(port).catch(() => undefined);
      client?.send('GET /page HTTP/1.1\r\nhost: localhost\r\n\r\n');
      await client?.closed();
    }
    await closing;
    expect(performance.now() - startedMs).toBeLessThan(shutdownTimeoutMs);
  });
});
