import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http';
import type { Header } from '../wire/connection.ts';

/** What came back, as far as it was read: an answer without a length is not waited for. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** What is sent. */
export interface Knock {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly Header[];
  readonly body?: string | Buffer;
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** Sends a request; header lines go as they stand, twice where they are there twice. */
export function knock(port: number, { method, target, headers, body }: Knock): Promise<Answer> {
  const length = ['content-length', String(Buffer.byteLength(body ?? ''))] as const;
  const known = body === undefined || headers.some(([name]) => name === 'content-length');
  return exchange(
    { port, method, path: target, headers: lines(known ? headers : [...headers, length]), agent },
    body,
  );
}

/** Reads one answer. */
export function get(port: number, target: string, headers: readonly Header[]): Promise<Answer> {
  return knock(port, { method: 'GET', target, headers });
}

/** Asks for a socket, which is closed again at once. */
export function upgrade(port: number, target: string, headers: readonly Header[]): Promise<Answer> {
  const handshake: readonly Header[] = [
    ['connection', 'Upgrade'],
    ['upgrade', 'websocket'],
    ['sec-websocket-version', '13'],
    ['sec-websocket-key', 'dGhlIHNhbXBsZSBub25jZQ=='],
  ];
  return exchange({
    port,
    method: 'GET',
    path: target,
    headers: lines([...handshake, ...headers]),
    agent: false,
  });
}

/** `node:http` sends a list as it is, and then adds no `Host` of its own. */
function lines(headers: readonly Header[]): string[] {
  return [['host', 'localhost'], ...headers].flat();
}

function exchange(options: RequestOptions, body?: string | Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const req = request({ host: '127.0.0.1', ...options } as RequestOptions);
    const told = (res: IncomingMessage, text: string): void =>
      resolve({ status: res.statusCode ?? 0, headers: res.headers, body: text });
    req.once('error', reject);
    req.once('upgrade', (res, socket) => {
      socket.destroy();
      told(res, '');
    });
    req.once('response', (res) => {
      // A stream lasts as long as it likes.
      if (res.headers['content-length'] === undefined && res.statusCode === 200) {
        told(res, '');
        req.destroy();
        return;
      }
      let text = '';
      res.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      res.once('end', () => told(res, text));
    });
    if (body === undefined) req.end();
    else req.end(body);
  });
}
