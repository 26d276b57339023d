import { once } from 'node:events';
import { connect } from 'node:net';
import { verifies } from '@waymark/contract/testing';
import type { Plugin } from '@waymark/server';
import { describe, expect, it } from 'vitest';
import { application, ask, deferred, serve } from './serve.ts';

/** Resolves as soon as a server takes no more connections. */
async function untilRefused(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    const refused = await once(socket, 'connect').then(
      () => false,
      () => true,
    );
    socket.destroy();
    if (refused) return;
  }
}

describe('close', () => {
  it('lets requests under way finish, refuses new ones, and says that it is draining', async () => {
    verifies('http.shutdown.in-flight');
    const begun = deferred();
    const release = deferred();
    const app = application().get('/slow', async (_input, { signal }) => {
      begun.resolve();
      await release.promise;
      return signal.aborted ? 'aborted' : 'done';
    });
    app.get('/quick', () => 'quick');
    const { url, close } = await serve(app);
    const slow = ask(`${url}/slow`);
    await begun.promise;
    const closing = close();
    expect(await ask(`${url}/_svc/health`)).toMatchObject({ status: 503, body: { status: 'draining' } });
    expect((await ask(`${url}/_svc/health?live`)).status).toBe(200);
    expect((await ask(`${url}/_svc/health?live=true`)).status).toBe(200);
    expect((await ask(`${url}/_svc/health?live=false`)).status).toBe(503);
    expect((await ask(`${url}/_svc/health?live=no`)).status).toBe(422);
    const refused = await ask(`${url}/quick`);
    expect(refused).toMatchObject({ status: 503, type: 'application/problem+json' });
    expect(refused.headers.get('connection')).toBe('close');
    release.resolve();
    expect(await slow).toMatchObject({ status: 200, body: 'done' });
    await closing;
    await expect(fetch(`${url}/quick`)).rejects.toThrow();
  });

  it('takes no longer than shutdownTimeout, whatever hangs, and tells a stuck handler', async () => {
    verifies('app.option.shutdown-timeout', 'limit.shutdown-timeout');
    const begun = deferred();
    const told = deferred();
    const app = application({ shutdownTimeout: 0.2 }).get('/stuck', (_input, { signal }) => {
      begun.resolve();
      signal.addEventListener('abort', () => told.resolve());
      return new Promise(() => {});
    });
    const { url, close } = await serve(app);
    const stuck = ask(`${url}/stuck`).then(
      () => 'answered',
      () => 'cut',
    );
    await begun.promise;
    const startedMs = performance.now();
    await close();
    const tookMs = performance.now() - startedMs;
    expect(tookMs).toBeGreaterThanOrEqual(150);
    // Three times what is promised: with a second to end in.
    expect(tookMs).toBeLessThan(3 * 1_200);
    expect(await stuck).toBe('cut');
    await told.promise;
  });

  it('is not kept by a plugin that does not stop', async () => {
    const plugin: Plugin = { name: 'stuck', routes: [], stop: () => new Promise(() => {}) };
    const { close } = await serve(application({ shutdownTimeout: 0.05 }).add(plugin));
    const startedMs = performance.now();
    await close();
    expect(performance.now() - startedMs).toBeLessThan(3 * 1_050);
  });

  it('is not kept by a client that keeps its connection', async () => {
    const { port, close } = await serve(application());
    const idle = connect(port, '127.0.0.1');
    idle.write('GET /nowhere HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await once(idle, 'data');
    const ended = once(idle.resume(), 'close');
    const startedMs = performance.now();
    await close();
    await ended;
    expect(performance.now() - startedMs).toBeLessThan(5_000);
  });

  it('may be called twice, at the same time and later', async () => {
    let stops = 0;
    const plugin: Plugin = { name: 'counting', routes: [], stop: () => void stops++ };
    const { close } = await serve(application().add(plugin));
    const both = [close(), close()];
    expect(both[0]).toBe(both[1]);
    await Promise.all(both);
    await close();
    expect(stops).toBe(1);
  });

  it('tells plugins when it begins, and stops them when nothing is under way', async () => {
    const order: string[] = [];
    const begun = deferred();
    const aborted = deferred();
    const release = deferred();
    const plugin: Plugin = {
      name: 'timer',
      routes: [],
      start: (host) =>
        host.signal.addEventListener('abort', () => {
          order.push('signal');
          aborted.resolve();
        }),
      stop: () => void order.push('stop'),
    };
    const app = application().add(plugin);
    app.get('/slow', async () => {
      begun.resolve();
      await release.promise;
      order.push('answer');
    });
    const { url, close } = await serve(app);
    const slow = ask(`${url}/slow`);
    await begun.promise;
    const closing = close();
    await aborted.promise;
    release.resolve();
    await closing;
    expect((await slow).status).toBe(204);
    expect(order).toEqual(['signal', 'answer', 'stop']);
  });

  it('lets middleware finish its answer, and then is not kept by a client that keeps its connection', async () => {
    const begun = deferred();
    const release = deferred();
    const app = application({ shutdownTimeout: 12 }).use(async (_req, res) => {
      begun.resolve();
      await release.promise;
      res.end('own');
    });
    const { port, close } = await serve(app);
    const client = connect(port, '127.0.0.1');
    let answer = '';
    client.setEncoding('utf8').on('data', (text: string) => {
      answer += text;
    });
    client.write('GET /own HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await begun.promise;
    const startedMs = performance.now();
    const closing = close();
    await untilRefused(port);
    release.resolve();
    await Promise.all([closing, once(client, 'close')]);
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\nown$/);
    expect(performance.now() - startedMs).toBeLessThan(6_000);
  });
});
