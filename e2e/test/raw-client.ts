import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** One answer as it stood on the wire. */
export interface RawAnswer {
  readonly status: number;
  /** Lower-cased names; several values of one name joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A connection without an HTTP client in between: every byte is the test's. */
export interface RawClient {
  readonly socket: Socket;
  /** Bytes that left this process. */
  readonly sent: number;
  send(bytes: string | Uint8Array): void;
  /** Resolves with the answers, interim ones included, once there are so many. @throws {Error} when it closes before */
  until(count: number): Promise<readonly RawAnswer[]>;
  /** Resolves with the answers when the other side closed, however it did. */
  closed(): Promise<readonly RawAnswer[]>;
}

/** What a client must know to read what it gets. */
export interface RawClientOptions {
  /** It asks with HEAD: answers have no body, whatever length they tell. */
  readonly head?: boolean;
}

/** Connects to a port of this machine. */
export async function rawClient(port: number, { head = false }: RawClientOptions = {}): Promise<RawClient> {
  const socket = connect({ port, host: '127.0.0.1' });
  let received = '';
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1');
  });
  // A reset is one of the ways a connection may end; `close` follows.
  socket.on('error', () => {});
  await once(socket, 'connect');
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  return {
    socket,
    get sent() {
      return socket.bytesWritten - socket.writableLength;
    },
    send: (bytes) => void socket.write(typeof bytes === 'string' ? toBytes(bytes) : bytes),
    async until(count) {
      for (;;) {
        const answers = parseAnswers(received, head);
        if (answers.length >= count) return answers;
        if (socket.closed) throw new Error(`closed after: ${received}`);
        await Promise.race([once(socket, 'data'), ended]);
      }
    },
    async closed() {
      await ended;
      return parseAnswers(received, head);
    },
  };
}

/** Sends bytes as they stand, and reads until the server closes. */
export async function exchange(
  port: number,
  bytes: string | Uint8Array,
  options?: RawClientOptions,
): Promise<readonly RawAnswer[]> {
  const client = await rawClient(port, options);
  client.send(bytes);
  return client.closed();
}

/**
 * Writes a request: one byte for each character of the texts. `lines` are whole header lines; `Host` and
 * `Content-Length` are added where they say nothing of them.
 */
export function rawRequest(method: string, target: string, lines: readonly string[] = [], body = ''): string {
  const says = (names: RegExp): boolean => lines.some((line) => names.test(line));
  const added = [
    ...(says(/^host\s*:/i) ? [] : ['Host: localhost']),
    ...(body === '' || says(/^(content-length|transfer-encoding)\s*:/i)
      ? []
      : [`Content-Length: ${body.length}`]),
  ];
  return [`${method} ${target} HTTP/1.1`, ...added, ...lines, '', body].join('\r\n');
}

/** The lines of a WebSocket handshake. */
export const handshakeLines = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
] as const;

/** The bytes of a text whose characters stand for one byte each. */
function toBytes(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}

function parseAnswers(received: string, head: boolean): readonly RawAnswer[] {
  const answers: RawAnswer[] = [];
  let rest = received;
  for (;;) {
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) return answers;
    const [statusLine = '', ...lines] = rest.slice(0, end).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1] ?? Number.NaN);
    const headers = toHeaders(lines);
    const content = rest.slice(end + 4);
    const body = head || status < 200 || status === 204 || status === 304 ? '' : bodyOf(headers, content);
    if (body === undefined) return answers;
    answers.push({ status, headers, body: body === '' ? '' : unchunked(headers, body) });
    // What follows is in the language of WebSocket.
    if (status === 101) return answers;
    rest = content.slice(body.length);
  }
}

function toHeaders(lines: readonly string[]): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  return headers;
}

/** The body as it stands on the wire; undefined as long as it is not complete. */
function bodyOf(headers: RawAnswer['headers'], content: string): string | undefined {
  if (headers['transfer-encoding'] === undefined) {
    const length = Number(headers['content-length'] ?? 0);
    return content.length < length ? undefined : content.slice(0, length);
  }
  const end = content.indexOf('0\r\n\r\n');
  return end === -1 ? undefined : content.slice(0, end + 5);
}

/** Good for texts without line ends of their own, which is all that tests send. */
function unchunked(headers: RawAnswer['headers'], body: string): string {
  if (headers['transfer-encoding'] === undefined) return body;
  return body
    .split('\r\n')
    .filter((_, i) => i % 2 === 1)
    .join('');
}
