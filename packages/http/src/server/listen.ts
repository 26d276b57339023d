import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Door } from '../door/door.ts';
import { closeServer } from './close-server.ts';
import { Connections } from './connections.ts';
import { serverOptions } from './server-options.ts';
import { SoleRequest } from './sole-request.ts';

/**
 * Connections the system may hold for us until we accept them; it takes less where its own limit is lower. Beyond it
 * clients believe to be connected and are not: a shutdown then cuts them without a word. Node's own 511 is used up by one
 * burst.
 */
const backlog = 4096;

/** Where a door is opened, and how its server behaves. */
export interface ListenOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Takes the paths that the table does not know. */
  readonly fallback?: RequestListener;
  /** Stands in for the door's own listener: an application that calls `door.middleware` itself. */
  readonly listener?: RequestListener;
  /** Whether nobody but the door reads bodies, so that their memory is given back at once; true without `listener`. */
  readonly readsAlone?: boolean;
  /** `close` resolves within it, whatever hangs. */
  readonly shutdownTimeoutMs: number;
  /** For a whole request to arrive, its body included; 30 seconds. 0 leaves bodies all the time they want. */
  readonly requestTimeoutMs?: number;
}

/** A door that is open to the network. */
export interface Listening {
  /** Where clients on this machine reach it. */
  readonly url: string;
  readonly port: number;
  /**
   * Drains: requests under way are answered, new ones are 503, sockets close with 1001. Whatever is left at the end of
   * `shutdownTimeoutMs` is cut. Calling it twice is harmless.
   */
  close(): Promise<void>;
}

/** The address cannot be had; the message says which, and why. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
  /** Of the system: `EADDRINUSE`, `EACCES`, `EADDRNOTAVAIL`, `ENOTFOUND` … */
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
 * Opens a door on a server of its own.
 *
 * @throws {ListenError} when the address cannot be had
 */
export async function listen(door: Door, options: ListenOptions): Promise<Listening> {
  const { host, port, fallback, shutdownTimeoutMs, requestTimeoutMs = 30_000 } = options;
  const { listener = door.listener(fallback), readsAlone = options.listener === undefined } = options;
  const server = createServer(
    { ...serverOptions(requestTimeoutMs), ...(readsAlone && { IncomingMessage: SoleRequest }) },
    listener,
  );
  // With a listener node leaves the invitation to us: it is sent when the body is first read.
  server.on('checkContinue', listener);
  // Expectations that nobody knows are ignored (RFC 9110, 10.1.1); node's own 417 would bear none of our headers.
  server.on('checkExpectation', listener);
  server.on('upgrade', door.upgrade);
  server.on('clientError', door.clientError);
  const connections = new Connections(server);
  await open(server, host, port);
  const address = server.address() as AddressInfo;
  let closing: Promise<void> | undefined;
  return {
    url: `http://${urlHost(address)}:${address.port}`,
    port: address.port,
    close: () => (closing ??= closeServer(server, door, connections, shutdownTimeoutMs)),
  };
}

async function open(server: Server, host: string, port: number): Promise<void> {
  server.listen({ host, port, backlog });
  try {
    await once(server, 'listening');
  } catch (cause) {
    throw new ListenError(host, port, cause as NodeJS.ErrnoException);
  }
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
