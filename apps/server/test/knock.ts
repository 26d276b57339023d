import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { toRoute } from '@waymark/contract';
import type { Application, Route } from '@waymark/server';
import { application } from './serve.ts';

/** An answer with every header, which `fetch` does not give for upgrades. */
export interface Knocked {
  readonly status: number;
  /** Lower-cased names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
  /** `detail` of a problem document. */
  readonly detail: string | undefined;
}

/** What a client that is no browser can choose, the headers included that `fetch` keeps for itself. */
export interface Knock {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The address to come from: any of 127/8. */
  readonly from?: string;
}

/** Sends one request on a connection of its own. */
export async function knock(url: string, options: Knock = {}): Promise<Knocked> {
  const { method = 'GET', headers = {}, body, from } = options;
  const outgoing = request(url, {
    method,
    headers,
    agent: false,
    ...(from !== undefined && { localAddress: from }),
  });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve).once('error', reject);
    outgoing.once('upgrade', (res: IncomingMessage) => {
      res.socket.destroy();
      resolve(res);
    });
  });
  outgoing.end(body);
  const res = await answered;
  let text = '';
  if (res.statusCode !== 101) {
    res.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    await once(res, 'end');
  }
  const isProblem = res.headers['content-type'] === 'application/problem+json';
  return {
    status: res.statusCode ?? 0,
    headers: res.headers as Knocked['headers'],
    text,
    detail: isProblem && text !== '' ? (JSON.parse(text) as { detail: string }).detail : undefined,
  };
}

/** Headers that ask for a WebSocket. */
export const upgrade = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
} as const;

/** A socket route that answers every message with itself. */
export function echo(path: string, options: { readonly scopes?: readonly string[] } = {}): Route {
  return toRoute(
    'GET',
    path,
    { kind: 'handler', accept: (peer) => void peer.onMessage((message) => peer.send(message)) },
    { socket: true, ...options },
  );
}

/** An application whose table answers from inside express. */
export const insideExpress: typeof application = (...options): Application =>
  application(...options).use((_req, _res, next) => next());

/** An application behind each of the two doors: the policies are the same. */
export const doors = [
  ['table first', application],
  ['inside express', insideExpress],
] as const;
