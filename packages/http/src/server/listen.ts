import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createNetServer, type Server as NetServer } from 'node:net';
import type { Door } from '../door/door.ts';
import { closeServer } from './close-server.ts';
import { Connections } from './connections.ts';
import {
  adoptConnection,
  type HandedConnection,
  type HandOver,
  handableRequest,
  sentHead,
  sliceConnection,
  takeConnection,
} from './hand-over.ts';
import { keepAnswering } from './keep-answering.ts';
import { ListenedRequest, leaveOf } from './listened-request.ts';
import { retireServer } from './retire-server.ts';
import { serverOptions } from './server-options.ts';
import { SoleRequest } from './sole-request.ts';
import { tooManyHeaders } from './too-many-headers.ts';

/**
 * Connections the system may hold for us until we accept them; it takes less where its own limit is lower. Beyond it
 * clients believe to be connected and are not: a shutdown then cuts them without a word. Node's own 511 is used up by one
 * burst.
 */
const backlog = 4096;

/** Options of `listen`: the address, and the limits of the server. */
export interface ListenOptions {
  /** Address or name to bind: `127.0.0.1`; `0.0.0.0` binds all IPv4 addresses. */
  readonly host: string;
  /** Port to bind; 0 takes any free one. */
  readonly port: number;
  /** Handler of the paths that the table does not know; default: they are 404. */
  readonly fallback?: RequestListener;
  /** Request listener instead of the door's own: an application that calls `door.middleware` itself. */
  readonly listener?: RequestListener;
  /** Takes upgrades instead of the door, as an application does whose middleware is asked before it calls `door.upgrade`. */
  readonly upgrade?: Door['upgrade'];
  /**
   * Promises that only the door reads bodies, so that their memory is freed at once; default: true without `listener`.
   */
  readonly readsAlone?: boolean;
  /** Milliseconds within which `close` resolves, whatever hangs. */
  readonly shutdownTimeoutMs: number;
  /** Milliseconds for a whole request to arrive, its body included; default: 30,000. 0 sets no limit to bodies. */
  readonly requestTimeoutMs?: number;
  /** Where connections go that another process answers; default: nowhere. */
  readonly handOver?: HandOver;
  /** Where another process listens for this one, which then only adopts connections; default: this one listens itself. */
  readonly heldAt?: Pick<Listening, 'url' | 'port'>;
}

/** Server that listens, as `listen` returns it. */
export interface Listening {
  /** URL for clients on this machine. */
  readonly url: string;
  readonly port: number;
  /**
   * Drains: requests under way are answered, new ones are 503, sockets close with 1001. Whatever is left at the end of
   * `shutdownTimeoutMs` is cut. Calling it twice is harmless.
   */
  close(): Promise<void>;
  /** Goes on with a connection that another process has handed over. */
  adopt(connection: HandedConnection): void;
  /**
   * Takes no new connections, and gives each one away as soon as no request is under way on it. Resolves when none is left,
   * or after `timeoutMs`. `close` follows.
   */
  retire(give: (connection: HandedConnection) => void, timeoutMs: number): Promise<void>;
}

/** Error of an address that cannot be bound; the message names it and the reason. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
  /** Error code of the system: `EADDRINUSE`, `EACCES`, `EADDRNOTAVAIL`, `ENOTFOUND` … */
  readonly code: string;
  readonly host: string;
  readonly port: number;

  constructor(host: string, port: number, cause: NodeJS.ErrnoException) {
    super(`cannot listen on ${host} port ${port}: ${reason(cause)}`, { cause });
    this.code = cause.code ?? '';
    this.host = host;
    this.port = port;
  }
}

/**
 * Starts a server of `node:http` for a door, and resolves once it listens.
 *
 * @throws {ListenError} the address cannot be bound
 */
export async function listen(door: Door, options: ListenOptions): Promise<Listening> {
  const { host, port, fallback, shutdownTimeoutMs, requestTimeoutMs = 30_000 } = options;
  const {
    listener = door.listener(fallback),
    readsAlone = options.listener === undefined,
    upgrade = door.upgrade,
    handOver,
  } = options;
  const Request = readsAlone ? SoleRequest : ListenedRequest;
  const server = createServer(
    {
      ...serverOptions(requestTimeoutMs),
      IncomingMessage: handOver ? handableRequest(Request, handOver) : Request,
    },
    listener,
  );
  // With a listener node leaves the invitation to us: it is sent when the body is first read.
  server.on('checkContinue', listener);
  // Expectations that nobody knows are ignored (RFC 9110, 10.1.1); node's own 417 would bear none of our headers.
  server.on('checkExpectation', listener);
  server.on('upgrade', (req, socket, head) => {
    const leave = leaveOf(req as ListenedRequest);
    if (leave === undefined) return upgrade(req, socket, head);
    if (leave === 'wanted') {
      const connection = takeConnection(socket, sentHead(req, head));
      if (connection) handOver?.give(connection);
      return;
    }
    keepAnswering(socket);
    if (leave === 'crowded')
      door.clientError(Object.assign(new Error(tooManyHeaders), { code: 'TOO_MANY_HEADERS' }), socket);
    if (leave === 'sliced') sliceConnection(server, socket, sentHead(req, head));
  });
  server.on('clientError', door.clientError);
  const connections = new Connections(server);
  const { heldAt = await open(server, host, port) } = options;
  // Node looks for slow clients, and knows which connections are at rest, from this event on.
  if (options.heldAt) server.emit('listening');
  // A connection that cannot be accepted (no descriptor is left) is lost to its client, who sees it. The server listens on.
  server.on('error', () => {});
  let closing: Promise<void> | undefined;
  return {
    ...{ url: heldAt.url, port: heldAt.port },
    close: () => (closing ??= closeServer(server, door, connections, shutdownTimeoutMs)),
    adopt: (connection) => adoptConnection(server, connection),
    retire: (give, timeoutMs) => retireServer(server, connections, give, timeoutMs),
  };
}

/**
 * Listens for other processes: each connection is given away as it comes, and nothing of it is read.
 *
 * @throws {ListenError} the address cannot be bound
 */
export async function listenForOthers(
  host: string,
  port: number,
  give: (connection: HandedConnection) => void,
): Promise<Pick<Listening, 'url' | 'port'> & { close(): void }> {
  const server = createNetServer({ pauseOnConnect: true, allowHalfOpen: true }, (socket) => {
    const connection = takeConnection(socket, new Uint8Array(0));
    if (connection) give(connection);
  });
  const address = await open(server, host, port);
  server.on('error', () => {});
  return { ...address, close: () => void server.close() };
}

async function open(server: NetServer, host: string, port: number): Promise<Pick<Listening, 'url' | 'port'>> {
  server.listen({ host, port, backlog });
  try {
    await once(server, 'listening');
  } catch (cause) {
    throw new ListenError(host, port, cause as NodeJS.ErrnoException);
  }
  const address = server.address() as AddressInfo;
  return { url: `http://${urlHost(address)}:${address.port}`, port: address.port };
}

function reason({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'EADDRINUSE') return 'the port is in use';
  if (code === 'EACCES') return 'this user may not use the port';
  if (code === 'EADDRNOTAVAIL') return 'this machine does not have the address';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'no address is known for that name';
  return message;
}

/** A wildcard is where to bind, not where to go. */
function urlHost({ address, family }: AddressInfo): string {
  if (address === '0.0.0.0') return '127.0.0.1';
  if (address === '::') return '[::1]';
  return family === 'IPv6' ? `[${address}]` : address;
}
