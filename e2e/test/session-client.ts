import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { RunningApplication } from '@waymark/server';

/** An answer, its cookies as they are set. */
export interface Told {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** `name=value` of the cookies that are set, or `name=` of those that are taken back. */
  readonly cookies: readonly string[];
}

/** What is sent. */
export interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends one request with these headers and no others: `ask(at, 'POST /path', …)`. */
export function ask(
  { port }: Pick<RunningApplication, 'port'>,
  target: string,
  sent: Sent = {},
): Promise<Told> {
  const [method, path] = target.includes(' ') ? target.split(' ') : ['GET', target];
  const { headers = {}, body } = sent;
  return new Promise((resolve, reject) => {
    const req = request({ host: '127.0.0.1', port, method, path, headers, agent: false });
    req.on('upgrade', (res, socket) => {
      socket.destroy();
      resolve({ status: 101, headers: res.headers, text: '', cookies: [] });
    });
    req.on('response', (res) => {
      const cookies = (res.headers['set-cookie'] ?? []).map((cookie) => cookie.split(';')[0] ?? '');
      text(res).then(
        (told) => resolve({ status: res.statusCode ?? 0, headers: res.headers, text: told, cookies }),
        reject,
      );
    });
    req.on('error', reject).end(body);
  });
}

/** What a browser sends that asks for a WebSocket. */
export const upgrade = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
} as const;

/** Posts a form, as a page of the application's own does. */
export function postForm(
  at: Pick<RunningApplication, 'port'>,
  path: string,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Told> {
  return ask(at, `POST ${path}`, {
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(fields).toString(),
  });
}

/** Signs in with a key or token. @returns `name=value` of the cookie */
export async function signIn(
  at: Pick<RunningApplication, 'port'>,
  credential: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { status, cookies, text: told } = await postForm(at, '/_svc/session', { credential }, headers);
  const [cookie] = cookies;
  if (status !== 303 || cookie === undefined) throw new Error(`not signed in: ${status} ${told}`);
  return cookie;
}
