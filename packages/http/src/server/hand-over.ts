import type { IncomingMessage, Server } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ListenedRequest } from './stop-parsing.ts';

/** A connection that another process goes on with. */
export interface HandedConnection {
  /** What node knows the connection by; `process.send` passes it on. Whoever holds it closes it. */
  readonly handle: { close(): void };
  /** What was read of it and is not answered: the head of a request, and what came behind. */
  readonly head: Uint8Array;
}

/** Passes connections on to the process that answers them. */
export interface HandOver {
  /** Whether another process has to answer a request, and all that follow on its connection. Asked for each, so it must be quick. */
  wants(req: IncomingMessage): boolean;
  give(connection: HandedConnection): void;
}

/** The handle of a socket, as node's own code sees it. */
interface NodeHandle {
  reading: boolean;
  _consumed: boolean;
  readStop(): void;
  close(): void;
}

const wanted = Symbol('wanted');

interface AskedRequest extends IncomingMessage {
  [wanted]?: boolean;
}

/** Whether the connection of a request is handed over. */
export function isWanted(req: IncomingMessage): boolean {
  return (req as AskedRequest)[wanted] === true;
}

/**
 * Makes a class of requests that pass for upgrades where their connection is wanted: node's parser leaves off behind the
 * head and hands out the connection with exactly what came behind it.
 */
export function handableRequest(
  Base: typeof ListenedRequest,
  { wants }: Pick<HandOver, 'wants'>,
): typeof ListenedRequest {
  const Handable = class extends Base {};
  const told = Symbol('told');
  type Told = AskedRequest & { [told]?: unknown };
  Object.defineProperty(Handable.prototype, 'upgrade', {
    get(this: Told): unknown {
      // Node asks once it has assigned the headers.
      if (this[wanted] === undefined && this.rawHeaders.length > 0)
        this[wanted] = !isAnswering(this.socket) && wants(this);
      return this[wanted] === true ? true : this[told];
    },
    set(this: Told, value: unknown) {
      this[told] = value;
    },
  });
  return Handable;
}

/** An answer is under way there: what was sent ahead waits for its turn here. */
function isAnswering(socket: Duplex): boolean {
  // Node keeps the answer under way there.
  return Boolean((socket as Duplex & { readonly _httpMessage?: unknown })._httpMessage);
}

/** Takes a connection from its socket, unread from here on. @param head what was read and is to be read again */
export function takeConnection(socket: Duplex, head: Uint8Array): HandedConnection | undefined {
  // The event promises a Duplex, and hands out sockets; the handle is what passes to another process.
  const held = socket as unknown as { _handle: NodeHandle | null; parser?: { unconsume(): void } | null };
  const handle = held._handle;
  if (socket.destroyed || !handle) return undefined;
  handle.readStop();
  // A parser that waits for the next request reads by itself.
  held.parser?.unconsume();
  // What node remembers of it, for a server of this process that takes it up.
  handle.reading = false;
  handle._consumed = false;
  held._handle = null;
  socket.on('error', () => {});
  socket.destroy();
  return { handle, head };
}

/** The head of a request as it was sent, and what came behind it. */
export function sentHead(req: IncomingMessage, rest: Uint8Array): Uint8Array {
  const { method, url, httpVersion, rawHeaders } = req;
  let text = `${method} ${url} HTTP/${httpVersion}\r\n`;
  for (let i = 0; i < rawHeaders.length; i += 2) text += `${rawHeaders[i]}: ${rawHeaders[i + 1]}\r\n`;
  return Buffer.concat([Buffer.from(`${text}\r\n`, 'latin1'), rest]);
}

/** Lets a server go on with a connection of another process. */
export function adoptConnection(server: Server, { handle, head }: HandedConnection): void {
  // What a server gives its own connections. Node's types know no handle.
  const socket = new Socket({ handle, allowHalfOpen: true, readable: true, writable: true } as object);
  socket.setNoDelay(true);
  if (head.length > 0) socket.unshift(head);
  server.emit('connection', socket);
}
