import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connections } from './connections.ts';
import { type HandedConnection, isFresh, takeConnection } from './hand-over.ts';

const sweepMs = 10;

/**
 * Lets a server end without a request lost: it takes no new connections, answers what is under way, and hands over each
 * connection as soon as nothing is. Resolves when none is left, or after `timeoutMs`.
 */
export async function retireServer(
  server: Server,
  { open }: Connections,
  give: (connection: HandedConnection) => void,
  timeoutMs: number,
): Promise<void> {
  const endsMs = performance.now() + timeoutMs;
  // `close` destroys kept connections, with the requests that are on their way on them.
  server.closeIdleConnections = () => {};
  server.close();
  Reflect.deleteProperty(server, 'closeIdleConnections');
  const sweep = (): void => {
    for (const socket of atRest(server, open)) {
      const connection = takeConnection(socket, new Uint8Array(0));
      if (connection) give(connection);
    }
  };
  // Told before the next request is read: clients that never pause are handed over, too.
  server.on('request', (_, res) => void res.once('close', sweep));
  for (;;) {
    sweep();
    if (open.size === 0 || performance.now() > endsMs) return;
    await sleep(Math.min(sweepMs, Math.max(0, endsMs - performance.now())));
  }
}

/**
 * Connections between two requests, or before their first: nothing of a next one is read yet. Node knows which they are,
 * partly read heads included, and tells only by destroying them.
 */
function atRest(server: Server, open: ReadonlySet<Socket>): readonly Socket[] {
  const found = new Set<Socket>();
  for (const socket of open) {
    if (isFresh(socket)) found.add(socket);
    socket.destroy = () => {
      found.add(socket);
      return socket;
    };
  }
  server.closeIdleConnections();
  for (const socket of open) Reflect.deleteProperty(socket, 'destroy');
  // Node calls them idle once the last of an answer is given to the socket, and behind the last answer, too.
  return [...found].filter(({ writable, writableLength }) => writable && writableLength === 0);
}
