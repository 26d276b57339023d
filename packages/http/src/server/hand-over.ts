import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ListenedRequest } from './listened-request.ts';
import { SlicedSocket } from './sliced-socket.ts';

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

/** Makes a class of requests whose connections are handed over where they are wanted. */
export function handableRequest(
  Base: typeof ListenedRequest,
  { wants }: Pick<HandOver, 'wants'>,
): typeof ListenedRequest {
  return class extends Base {
    override isWanted(): boolean {
      return !isAnswering(this.socket) && wants(this);
    }
  };
}

/** An answer is under way there: what was sent ahead waits for its turn here. */
function isAnswering(socket: Duplex): boolean {
  return Boolean(answerOf(socket));
}

/** Calls back when no answer is under way any more. */
function whenAnswered(socket: Duplex, then: () => void): void {
  const answer = answerOf(socket);
  if (answer) answer.once('close', () => whenAnswered(socket, then));
  else then();
}

/** Node keeps the answer under way there. */
function answerOf(socket: Duplex): ServerResponse | null | undefined {
  return (socket as Duplex & { readonly _httpMessage?: ServerResponse | null })._httpMessage;
}

/** Takes a connection from its socket, unread from here on. @param head what was parsed and is to be parsed again */
export function takeConnection(socket: Duplex, head: Uint8Array): HandedConnection | undefined {
  // The event promises a Duplex, and hands out sockets; the handle is what passes to another process.
  const held = socket as unknown as { _handle: NodeHandle | null; parser?: { unconsume(): void } | null };
  const handle = held._handle;
  if (socket.destroyed || !handle) return undefined;
  const unparsed = unparsedOf(socket);
  // To take what was read may begin to read again.
  handle.readStop();
  // A parser that waits for the next request reads by itself.
  held.parser?.unconsume();
  // What node remembers of it, for a server of this process that takes it up.
  handle.reading = false;
  handle._consumed = false;
  held._handle = null;
  socket.on('error', () => {});
  socket.destroy();
  return { handle, head: unparsed.length > 0 ? Buffer.concat([head, unparsed]) : head };
}

/** What a socket has read, and nobody has parsed. */
function unparsedOf(socket: Duplex): Buffer {
  // While it flows it gives a part at a time, and to node's parser, which may listen still.
  socket.removeAllListeners('data').pause();
  const given = socket.readableLength > 0 ? (socket.read() as Buffer | null) : null;
  const held = socket instanceof SlicedSocket ? socket.takeHeld() : Buffer.alloc(0);
  return given ? Buffer.concat([given, held]) : held;
}

/** The head of a request as it was sent, and what came behind it. */
export function sentHead(req: IncomingMessage, rest: Uint8Array): Uint8Array {
  const { method, url, httpVersion, rawHeaders } = req;
  let text = `${method} ${url} HTTP/${httpVersion}\r\n`;
  for (let i = 0; i < rawHeaders.length; i += 2) text += `${rawHeaders[i]}: ${rawHeaders[i + 1]}\r\n`;
  return Buffer.concat([Buffer.from(`${text}\r\n`, 'latin1'), rest]);
}

/**
 * Lets a server go on with a connection in slices, once the answers before are written; behind the last one of a connection
 * nothing is begun. @param head what was parsed of it and is to be parsed again
 */
export function sliceConnection(server: Server, socket: Duplex, head: Uint8Array): void {
  // Node lets it flow where an answer drains.
  socket.on('resume', () => void socket.pause());
  whenAnswered(socket, () => {
    if (socket.writable) goOnInSlices(server, socket, head);
  });
}

function goOnInSlices(server: Server, socket: Duplex, head: Uint8Array): void {
  const connection = takeConnection(socket, head);
  if (!connection) return;
  const sliced = new SlicedSocket(connection.handle, connection.head);
  sliced.setNoDelay(true);
  server.emit('connection', sliced);
  // Where somebody listens node's parser no longer reads from the connection itself.
  const listener = (): void => {};
  sliced.on('data', listener).off('data', listener);
}

/** Connections of which something was read before this process has read anything. */
const begun = new WeakSet<Socket>();

/** Whether nothing of a connection was ever read. */
export function isFresh(socket: Socket): boolean {
  const isBegun = begun.has(socket) || socket instanceof SlicedSocket;
  return !isBegun && socket.bytesRead === 0 && socket.readableLength === 0;
}

/** Lets a server go on with a connection of another process. */
export function adoptConnection(server: Server, { handle, head }: HandedConnection): void {
  // What a server gives its own connections. Node's types know no handle.
  const socket = new Socket({ handle, allowHalfOpen: true, readable: true, writable: true } as object);
  socket.setNoDelay(true);
  if (head.length > 0) {
    socket.unshift(head);
    begun.add(socket);
  }
  server.emit('connection', socket);
}
