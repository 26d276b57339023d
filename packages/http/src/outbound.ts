import type { LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import { HTTPError, type Outbound, type OutboundRequest, type OutboundResponse } from '@waymark/contract';
import { Agent, type Dispatcher } from 'undici';
import { AddressRefused, guardedConnector, isDeclarable, isPublic } from './address-guard.ts';

/** How an outbound client behaves besides what each request says. */
export interface OutboundOptions {
  /** Between two pieces of an answer; 30 seconds. */
  readonly idleTimeoutMs?: number;
  /** Resolves names; the system's resolver. */
  readonly lookup?: LookupFunction;
}

/** The outbound client, and the end of it. */
export interface ClosableOutbound extends Outbound {
  /** Cuts what is under way and gives idle connections back. */
  close(): Promise<void>;
}

/**
 * Makes the one client of the product. It follows no redirect, asks for no compression, resolves names once for
 * checking and connecting, and shares no connection between `public` and `declared` requests.
 *
 * What goes wrong is an `HTTPError` that names scheme and host and nothing else: paths and queries hold secrets too,
 * and an upstream's own words are not for our callers. The cause goes with it, for the log.
 */
export function createOutbound({ idleTimeoutMs = 30_000, lookup }: OutboundOptions = {}): ClosableOutbound {
  const agents: Readonly<Record<OutboundRequest['allow'], Agent>> = {
    public: new Agent({ connect: guardedConnector(isPublic, lookup) }),
    declared: new Agent({ connect: guardedConnector(isDeclarable, lookup) }),
  };
  return {
    request: (request) => send(agents[request.allow], request, idleTimeoutMs),
    async close() {
      await Promise.all([agents.public.destroy(), agents.declared.destroy()]);
    },
  };
}

async function send(
  agent: Agent,
  request: OutboundRequest,
  idleTimeoutMs: number,
): Promise<OutboundResponse> {
  const url = parse(request.url);
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), request.timeoutMs);
  // To the headers the deadline is the caller's; after them the answer may take as long as it keeps coming.
  const signal = AbortSignal.any([request.signal, late.signal]);
  try {
    const { statusCode, headers, body } = await agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: request.method,
      headers: { ...basicAuth(url), ...request.headers },
      body: request.body instanceof ReadableStream ? Readable.fromWeb(request.body) : (request.body ?? null),
      signal,
      headersTimeout: 0,
      bodyTimeout: idleTimeoutMs,
    });
    if (Number(headers['content-length'] ?? 0) > request.maxBytes && request.method !== 'HEAD') {
      discard(body);
      throw tooLarge(url, request.maxBytes);
    }
    return {
      status: statusCode,
      headers: flat(headers),
      body: capped(body, url, request),
    };
  } catch (cause) {
    request.signal.throwIfAborted();
    throw toHTTPError(cause, url, late.signal.aborted);
  } finally {
    clearTimeout(timer);
  }
}

function parse(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new HTTPError(403, 'only http and https addresses can be reached');
}

/** Cameras are often declared as `http://user:password@host/`. */
function basicAuth({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

function flat(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value = '']) => [
      name,
      typeof value === 'string' ? value : value.join(', '),
    ]),
  );
}

/** The body as it comes, up to the cap. Not a generator: cancelled before its first read, one would never free the connection. */
function capped(body: Readable, url: URL, { maxBytes, signal }: OutboundRequest): ReadableStream<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  let length = 0;
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { done, value } = await chunks.next();
          if (done) return controller.close();
          length += value.length;
          if (length > maxBytes) throw tooLarge(url, maxBytes);
          controller.enqueue(value);
        } catch (cause) {
          discard(body);
          throw signal.aborted ? signal.reason : toHTTPError(cause, url, false);
        }
      },
      cancel: () => discard(body),
    },
    { highWaterMark: 0 },
  );
}

/** Frees the connection; what the rest of the body would have said, errors too, concerns nobody. */
function discard(body: Readable): void {
  body.on('error', () => {}).destroy();
}

function toHTTPError(cause: unknown, url: URL, late: boolean): HTTPError {
  if (cause instanceof HTTPError) return cause;
  const refused = [cause, (cause as Error).cause].find((error) => error instanceof AddressRefused);
  if (refused) return new HTTPError(403, refused.message, { cause });
  const { code } = cause as { readonly code?: string };
  if (late || (code !== undefined && timeouts.has(code)))
    return new HTTPError(504, `${url.origin} took too long to answer`, { cause });
  return new HTTPError(502, `${url.origin} did not answer`, { cause });
}

const timeouts = new Set([
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'ETIMEDOUT',
]);

function tooLarge(url: URL, maxBytes: number): HTTPError {
  return new HTTPError(502, `the answer of ${url.origin} is larger than ${maxBytes} bytes`);
}
