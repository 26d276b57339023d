import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

/** An answer as it came. */
export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Of a problem document. */
  readonly detail: string | undefined;
}

/** Sends one request on a connection of its own. Unlike `fetch` it sends `Host` and `Origin` as they are given. */
export function ask(
  { port }: { readonly port: number },
  target: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answered> {
  const [method, path] = target.includes(' ') ? target.split(' ') : ['GET', target];
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, method, path, headers, agent: false });
    sent.on('response', (res) => void toAnswered(res).then(resolve, reject));
    sent.on('error', reject).end();
  });
}

/** Asks for a WebSocket with these headers besides; the status of the answer. */
export function askForSocket(
  { port }: { readonly port: number },
  path: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Answered> {
  const headers = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    ...more,
  };
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, headers, agent: false });
    sent.on('upgrade', (res, socket) => {
      socket.destroy();
      resolve({ status: 101, headers: res.headers, body: '', detail: undefined });
    });
    sent.on('response', (res) => void toAnswered(res).then(resolve, reject));
    sent.on('error', reject).end();
  });
}

async function toAnswered(res: IncomingMessage): Promise<Answered> {
  const body = await text(res);
  const problem = res.headers['content-type'] === 'application/problem+json' && body !== '';
  const detail = problem ? (JSON.parse(body) as { detail: string }).detail : undefined;
  return { status: res.statusCode ?? 0, headers: res.headers, body, detail };
}
