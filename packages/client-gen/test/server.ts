import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as it arrived. */
export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** What a server answers next; `undefined` members have defaults. */
export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** A server that keeps what it is sent and answers what it is told. */
export interface ScriptedServer {
  readonly url: string;
  readonly seen: readonly Seen[];
  /** Answers in this order; the last one again and again. Without any: 200 and `{}`. */
  answer(...answers: readonly Answer[]): void;
  /** Leaves the next requests open, until the server closes. */
  hang(): void;
  close(): Promise<void>;
}

/** Starts a server on a free port. */
export async function startServer(): Promise<ScriptedServer> {
  const seen: Seen[] = [];
  let answers: readonly Answer[] | undefined = [];
  const server = createServer((request, response) => {
    void take(request).then((one) => {
      seen.push(one);
      if (answers === undefined) return;
      const [first, ...rest] = answers;
      if (rest.length > 0) answers = rest;
      send(response, first ?? { headers: { 'content-type': 'application/json' }, body: '{}' });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    answer: (...given) => {
      answers = given;
      seen.length = 0;
    },
    hang: () => {
      answers = undefined;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function take(request: IncomingMessage): Promise<Seen> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return {
    method: request.method ?? '',
    url: request.url ?? '',
    headers: request.headers,
    body: Buffer.concat(chunks),
  };
}

function send(response: ServerResponse, { status = 200, headers = {}, body = '' }: Answer): void {
  response.writeHead(status, headers).end(body);
}
