import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** One header line: nothing is folded, sorted or checked. */
export type Header = readonly [name: string, value: string];

/** What is sent, byte for byte. */
export interface WireRequest {
  readonly method?: string;
  /** Path and query, as they stand in the request line. */
  readonly target: string;
  readonly headers?: readonly Header[];
  readonly body?: string;
}

/** What came back. */
export interface WireAnswer {
  readonly status: number;
  /** Lower-cased names; values of one name joined with a comma. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  /** Head and body as they came. */
  readonly text: string;
}

/** A request on the wire; `host` is added, and the length where there is a body. */
export function toBytes({ method, target, headers = [], body }: WireRequest): Buffer {
  const lines = [
    `${method ?? (body === undefined ? 'GET' : 'POST')} ${target} HTTP/1.1`,
    ...(headers.some(([name]) => name.toLowerCase() === 'host') ? [] : ['host: localhost']),
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined ? [] : [`content-length: ${Buffer.byteLength(body)}`]),
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`);
}

/**
 * One connection to a server, without a client library: requests may be malformed, have a header twice, or be sent
 * before the last answer came.
 */
export class Connection {
  readonly socket: Socket;
  /** Resolves when it is closed, whoever closed it and how. */
  readonly closed: Promise<void>;
  #received: Buffer = Buffer.alloc(0);
  #wake = (): void => {};

  private constructor(socket: Socket) {
    this.socket = socket;
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
    // A reset is one of the ways a connection may end; `close` follows.
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
      this.#wake();
    });
    void this.closed.then(() => this.#wake());
  }

  /** @param localAddress whom the server shall see: all of 127/8 is ours */
  static async open(port: number, localAddress?: string): Promise<Connection> {
    const socket = connect({ port, host: '127.0.0.1', ...(localAddress !== undefined && { localAddress }) });
    const connection = new Connection(socket);
    await Promise.race([once(socket, 'connect'), connection.closed]);
    if (socket.closed) throw new Error(`port ${port} takes no connections`);
    return connection;
  }

  send(bytes: Uint8Array | string): void {
    this.socket.write(bytes);
  }

  /** The next answer, in the order of the requests; undefined when the connection closed before it was whole. */
  async next(): Promise<WireAnswer | undefined> {
    for (;;) {
      const found = parse(this.#received, this.socket.closed);
      if (found) {
        this.#received = this.#received.subarray(found.end);
        return found.answer;
      }
      if (this.socket.closed) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Whatever came after the last answer, once there is something: the frames of a WebSocket. */
  async rest(): Promise<Uint8Array> {
    while (this.#received.length === 0 && !this.socket.closed)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    return this.#received;
  }

  close(): void {
    this.socket.destroy();
  }
}

/** One request on a connection of its own. @throws {Error} when no whole answer comes */
export async function ask(port: number, request: WireRequest, localAddress?: string): Promise<WireAnswer> {
  const connection = await Connection.open(port, localAddress);
  try {
    connection.send(toBytes(request));
    const answer = await connection.next();
    if (!answer) throw new Error(`no answer to ${request.method ?? ''} ${request.target}`);
    return answer;
  } finally {
    connection.close();
  }
}

/**
 * Sends many requests over one connection without waiting in between, and gives their answers in order.
 *
 * @throws {Error} when the connection closes before the last answer
 */
export async function pipeline(
  port: number,
  requests: readonly WireRequest[],
  localAddress?: string,
): Promise<readonly WireAnswer[]> {
  const connection = await Connection.open(port, localAddress);
  try {
    const answers: WireAnswer[] = [];
    // Neither side's buffers should hold them all.
    for (let at = 0; at < requests.length; at += batch) {
      const some = requests.slice(at, at + batch);
      connection.send(Buffer.concat(some.map(toBytes)));
      for (const { target } of some) {
        const answer = await connection.next();
        if (!answer)
          throw new Error(`the connection closed before the answer ${answers.length} to ${target}`);
        answers.push(answer);
      }
    }
    return answers;
  } finally {
    connection.close();
  }
}

const batch = 100;

/** The headers of a WebSocket handshake. */
export const handshake: readonly Header[] = [
  ['connection', 'Upgrade'],
  ['upgrade', 'websocket'],
  ['sec-websocket-version', '13'],
  ['sec-websocket-key', 'dGhlIHNhbXBsZSBub25jZQ=='],
];

/** Answers of this server have a length, or none of it, or last until the end: it streams nothing here. */
function parse(
  bytes: Buffer,
  closed: boolean,
): { readonly answer: WireAnswer; readonly end: number } | undefined {
  const mark = bytes.indexOf('\r\n\r\n');
  if (mark === -1) return undefined;
  const [first = '', ...lines] = bytes.subarray(0, mark).toString('latin1').split('\r\n');
  const status = Number(first.split(' ')[1]);
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    const known = headers.get(name);
    headers.set(name, known === undefined ? value : `${known}, ${value}`);
  }
  const start = mark + 4;
  const length = status === 101 || status === 204 || status === 304 ? 0 : headers.get('content-length');
  if (length === undefined && !closed) return undefined;
  const end = length === undefined ? bytes.length : start + Number(length);
  if (bytes.length < end) return undefined;
  const text = bytes.subarray(0, end).toString();
  return { answer: { status, headers, body: bytes.subarray(start, end).toString(), text }, end };
}
