import { getEventListeners } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createNodePost } from '../src/transport/node-post.ts';
import { TransportError } from '../src/transport/post.ts';

async function listen(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const sockets = new Set<Socket>();
  const server = createServer(answer);
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { post, close } = createNodePost();
  onTestFinished(async () => {
    close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const send = (signal = new AbortController().signal, times = { timeoutMs: 5000, idleTimeoutMs: 5000 }) =>
    post(url, { 'x-a': 'b' }, '{"é":1}', { signal, ...times });
  return { send, sockets, server };
}

async function textOf(
  answer: Awaited<ReturnType<Awaited<ReturnType<typeof listen>>['send']>>,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  await answer.read((chunk) => chunks.push(chunk));
  return Buffer.concat(chunks).toString();
}

describe('createNodePost', () => {
  it('sends one request after another over one connection', async () => {
    const { send, sockets } = await listen((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += chunk));
      request.on('end', () => response.end(`${request.method} ${String(request.headers['x-a'])} ${body}`));
    });
    for (let i = 0; i < 3; i++) {
      const answer = await send();
      expect([answer.status, await textOf(answer)]).toEqual([200, 'POST b {"é":1}']);
    }
    expect(sockets.size).toBe(1);
  });

  it('follows no redirect', async () => {
    const { send } = await listen((_request, response) => response.writeHead(302, { location: '/x' }).end());
    expect((await send()).status).toBe(302);
  });

  it('frees the connection when it is told to stop, before the headers and after', async () => {
    for (const early of [true, false]) {
      const { send, sockets } = await listen((_request, response) => {
        if (!early) response.write('x');
      });
      const controller = new AbortController();
      const sent = send(controller.signal);
      if (early) await expect.poll(() => sockets.size).toBe(1);
      const reading = early ? sent : sent.then(textOf);
      if (!early) await sent;
      controller.abort(new Error('enough'));
      await expect(reading).rejects.toThrow('enough');
      await expect.poll(() => sockets.size).toBe(0);
    }
  });

  it('frees the connection when the time is over, before the headers and between pieces', async () => {
    for (const early of [true, false]) {
      const { send, sockets } = await listen((_request, response) => {
        if (!early) response.write('x');
      });
      const times = early ? { timeoutMs: 30, idleTimeoutMs: 5000 } : { timeoutMs: 5000, idleTimeoutMs: 30 };
      const error = await send(undefined, times)
        .then(textOf)
        .catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(TransportError);
      expect((error as TransportError).kind).toBe('timeout');
      await expect.poll(() => sockets.size).toBe(0);
    }
  });

  it('counts the time between pieces from the headers on', async () => {
    const { send } = await listen((_request, response) => response.flushHeaders());
    const times = { timeoutMs: 60_000, idleTimeoutMs: 30 };
    const error = await send(undefined, times)
      .then(textOf)
      .catch((thrown: unknown) => thrown);
    expect((error as TransportError).kind).toBe('timeout');
  });

  it('leaves no listener behind', async () => {
    const { send } = await listen((_request, response) => response.end('ok'));
    const { signal } = new AbortController();
    await textOf(await send(signal));
    await expect.poll(() => getEventListeners(signal, 'abort').length).toBe(0);
  });

  it('frees the connection of an answer that is given up', async () => {
    const { send, sockets } = await listen((_request, response) => response.write('x'));
    (await send()).discard();
    await expect.poll(() => sockets.size).toBe(0);
  });

  it('ends with what its reader throws', async () => {
    const { send, sockets } = await listen((_request, response) => response.end('all at once'));
    const answer = await send();
    const failing = answer.read(() => {
      throw new RangeError('full');
    });
    await expect(failing).rejects.toThrow(RangeError);
    await expect.poll(() => sockets.size).toBe(0);
  });

  it('takes another connection when a kept one was closed under it', async () => {
    let count = 0;
    const { send, sockets } = await listen((request, response) => {
      count++;
      if (count === 2) request.socket.resetAndDestroy();
      else response.end('ok');
    });
    expect(await textOf(await send())).toBe('ok');
    await expect.poll(() => sockets.size).toBe(1);
    expect(await textOf(await send())).toBe('ok');
    expect(count).toBe(3);
  });

  it('does not when the provider had it for a while: it may have been at work', async () => {
    let count = 0;
    const { send } = await listen((request, response) => {
      count++;
      if (count === 2) setTimeout(() => request.socket.resetAndDestroy(), 700);
      else response.end('ok');
    });
    expect(await textOf(await send())).toBe('ok');
    await expect(send()).rejects.toThrow(TransportError);
    expect(count).toBe(2);
  });

  it('ends with an answer that changes the protocol', async () => {
    const { send, server } = await listen(() => {});
    server.removeAllListeners('request');
    server.on('request', ({ socket }: IncomingMessage) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n');
    });
    await expect(send()).rejects.toThrow(TransportError);
  });

  it('does so once only, and not on a connection of its own', async () => {
    let count = 0;
    const { send } = await listen((request) => {
      count++;
      request.socket.resetAndDestroy();
    });
    await expect(send()).rejects.toThrow(TransportError);
    expect(count).toBe(1);
  });

  it('says that a connection broke off when the body is shorter than it was said to be', async () => {
    const { send } = await listen((_request, response) => {
      response.writeHead(200, { 'content-length': 10 });
      response.write('half', () => response.destroy());
    });
    const error = await send()
      .then(textOf)
      .catch((thrown: unknown) => thrown);
    expect((error as TransportError).kind).toBe('connection');
  });
});
