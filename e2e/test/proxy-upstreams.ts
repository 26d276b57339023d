import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createProxies, type ForwardingDeclaration, type UpstreamOptions, upstream } from '@waymark/pages';
import type { RunningApplication } from '@waymark/server';
import { onTestFinished } from 'vitest';
import { application, serve } from './served.ts';

/** A server that proxies forward to. */
export interface Upstream {
  readonly url: string;
  readonly port: number;
  /** Connections that are open. */
  readonly sockets: ReadonlySet<Socket>;
  /** Resolves once none is open. */
  quiet(): Promise<void>;
}

/** Starts an HTTP server until the test is over. */
export function httpUpstream(listener: RequestListener): Promise<Upstream> {
  const server = createHttpServer(listener);
  // Of an idle connection only whoever asked shall grow tired.
  server.keepAliveTimeout = 60_000;
  return listening(server);
}

/** Starts a server that is no more than its connections: what it says is the test's, byte for byte. */
export function rawUpstream(onConnection: (socket: Socket) => void): Promise<Upstream> {
  return listening(createServer(onConnection));
}

/** A raw server that answers each request, once its head is there, with these bytes. */
export function sayingUpstream(answer: string, then: (socket: Socket) => void = () => {}): Promise<Upstream> {
  return rawUpstream((socket) => {
    let head = '';
    socket.on('data', (chunk: Buffer) => {
      head += chunk.toString('latin1');
      if (!head.includes('\r\n\r\n')) return;
      head = '';
      socket.write(answer, 'latin1', () => then(socket));
    });
  });
}

async function listening(server: Server): Promise<Upstream> {
  const sockets = new Set<Socket>();
  let wake = (): void => {};
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => {
      sockets.delete(socket);
      wake();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    ...{ url: `http://127.0.0.1:${port}`, port, sockets },
    async quiet() {
      while (sockets.size > 0)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    },
  };
}

/** A port of this machine on which nobody listens. */
export async function deafPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Serves proxies of an upstream called `desk`. */
export function serveProxies(
  baseUrl: string,
  proxies: readonly ForwardingDeclaration[],
  options: UpstreamOptions = {},
): Promise<RunningApplication> {
  const app = application();
  app.add(createProxies([upstream('desk', baseUrl, options), ...proxies]));
  return serve(app);
}
