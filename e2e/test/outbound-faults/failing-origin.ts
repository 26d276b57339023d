import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@waymark/contract/testing';

/**
 * How a request to the outside fails: nobody listens, the answer breaks off in its middle, none comes, it is a 500, it is not
 * HTTP, or it says something else than it should.
 */
export const failures = ['refused', 'reset', 'silence', '500', 'junk', 'nonsense'] as const;
export type Failure = (typeof failures)[number];

/** Which request of an origin fails. */
export interface Fault {
  readonly failure: Failure;
  /** From 1; 0 is none. */
  readonly nth: number;
}

/** A request that came whole. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: Buffer;
}

/** How an origin answers. */
export interface Said {
  readonly status?: number;
  readonly type?: string;
  readonly body: string | Uint8Array;
}

/** Somebody outside whom a service asks, and of whose answers one fails. */
export interface FailingOrigin {
  readonly url: string;
  /** What arrived, whatever became of its answer. */
  readonly asked: readonly Asked[];
  /** When the failure was met, milliseconds of `performance.now`. */
  readonly failedMs: number | undefined;
  /** What is asked from now on is counted. Nobody listens where the first request is to be refused. */
  begin(): void;
  /** Somebody listens again. */
  comeBack(): void;
  close(): void;
}

/** Whoever is refused finds nobody until it has said so, and for no longer than this. */
const awayMs = 10_000;

/** Starts one. @param answer to each request that does not fail */
export async function startOrigin(
  { failure, nth }: Fault,
  answer: (asked: Asked, url: string) => Said,
): Promise<FailingOrigin> {
  const asked: Asked[] = [];
  let count = 0;
  let failedMs: number | undefined;
  const back = new AbortController();
  const server = createServer((req, res) => {
    // Whoever is asked and gives up on it is no error of this process.
    hear(req, res).catch(() => res.destroy());
  });
  server.keepAliveTimeout = 120_000;
  const listen = (port: number): Promise<unknown> => once(server.listen(port, '127.0.0.1'), 'listening');
  const port = await freePort();
  await listen(port);
  const url = `http://127.0.0.1:${port}`;
  const leave = async (): Promise<void> => {
    failedMs = performance.now();
    server.close();
    server.closeAllConnections();
    await sleep(awayMs, undefined, { signal: back.signal }).catch(() => {});
    await listen(port);
  };
  const hear = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const number = ++count;
    const one = { method: req.method ?? '', path: req.url ?? '', body: await buffer(req) };
    asked.push(one);
    const said = answer(one, url);
    if (failure === 'refused') {
      send(res, said);
      if (number === nth - 1) res.once('finish', () => void leave());
    } else if (number === nth) {
      failedMs = performance.now();
      fail(res, said, failure);
    } else send(res, said);
  };
  return {
    url,
    asked,
    get failedMs() {
      return failedMs;
    },
    begin() {
      count = 0;
      asked.length = 0;
      if (failure === 'refused' && nth === 1) void leave();
    },
    comeBack: () => back.abort(),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function send(res: ServerResponse, { status = 200, type = 'application/json', body }: Said): void {
  res.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) });
  res.end(body);
}

function fail(res: ServerResponse, { type = 'application/json', body }: Said, failure: Failure): void {
  const { socket } = res;
  if (failure === '500') send(res, { status: 500, type: 'text/plain', body: 'no' });
  if (failure === 'nonsense') send(res, { body: '{"surprise":[]}' });
  if (failure === 'junk') socket?.end('\u0016\u0003\u0001 whatever this is\r\n\r\n');
  if (failure !== 'reset') return;
  const bytes = Buffer.from(body);
  res.writeHead(200, { 'content-type': type, 'content-length': bytes.length });
  // Headers have come, and half of the rest.
  res.write(bytes.subarray(0, bytes.length / 2), () => void setTimeout(() => socket?.resetAndDestroy(), 20));
}
