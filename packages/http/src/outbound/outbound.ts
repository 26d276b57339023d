import { createRequire } from 'node:module';
import type { LookupFunction } from 'node:net';
import { HTTPError } from '@waymark/contract';
import type { Outbound, OutboundRequest, OutboundResponse } from '@waymark/contract/http';
import type { Agent, buildConnector } from 'undici';
import { guardedConnector, isDeclarable, isPublic } from './address-guard.ts';
import { Exchange } from './outbound-exchange.ts';
import { withoutInterim } from './without-interim.ts';

const load = createRequire(import.meta.url);

/** Options of an outbound client. */
export interface OutboundOptions {
  /** Milliseconds between two pieces of an answer, where the request sets none; default: 30,000. */
  readonly idleTimeoutMs?: number;
  /** Resolver of host names; default: that of the system. */
  readonly lookup?: LookupFunction;
}

/** Outbound HTTP client that is closed by its owner. */
export interface ClosableOutbound extends Outbound {
  /** Aborts requests under way and closes all connections. */
  close(): Promise<void>;
}

/**
 * Makes the client for all outbound HTTP requests. It follows no redirect, asks for no compression, resolves a name once
 * for both check and connection, and shares no connection between `public` and `declared` requests.
 *
 * A failure is an `HTTPError` that names only scheme and host, as paths and queries may hold secrets and the words of an
 * upstream are not for callers. Its `cause` is for the log.
 */
export function createOutbound({ idleTimeoutMs = 30_000, lookup }: OutboundOptions = {}): ClosableOutbound {
  /** Made with the first request: a server that asks nobody loads none of it. */
  let agents: Readonly<Record<OutboundRequest['allow'], Agents>> | undefined;
  let closed = false;
  const close = async (): Promise<void> => {
    closed = true;
    const all = Object.values(agents ?? {}).flatMap(({ keeping, fresh }) => [keeping, fresh]);
    await Promise.all(all.map((agent) => agent.destroy()));
  };
  return {
    request: async (request) => {
      if (!agents) {
        agents = {
          public: toAgents(guardedConnector(isPublic, lookup)),
          declared: toAgents(guardedConnector(isDeclarable, lookup)),
        };
        if (closed) await close();
      }
      return send(agents[request.allow], request, idleTimeoutMs);
    },
    close,
  };
}

interface Agents {
  readonly keeping: Agent;
  /** Makes a connection for each request. */
  readonly fresh: Agent;
}

function toAgents(guarded: buildConnector.connector): Agents {
  const connect: buildConnector.connector = (options, callback) =>
    guarded(options, (...[error, socket]) =>
      error ? callback(error, null) : callback(null, withoutInterim(socket)),
    );
  // The part of it that is needed: all of undici takes three times as long to load.
  const Agents = load('undici/lib/dispatcher/agent.js') as typeof Agent;
  return { keeping: new Agents({ connect }), fresh: new Agents({ connect, pipelining: 0 }) };
}

async function send(
  { keeping, fresh }: Agents,
  request: OutboundRequest,
  idleTimeoutMs: number,
): Promise<OutboundResponse> {
  const url = parse(request.url);
  request.signal.throwIfAborted();
  const endMs = performance.now() + request.timeoutMs;
  try {
    return await exchange(keeping, request, url, idleTimeoutMs);
  } catch (error) {
    const timeoutMs = endMs - performance.now();
    if (!isLostOnTheWay(error) || !isSafe(request) || request.signal.aborted || timeoutMs <= 0) throw error;
    return exchange(fresh, { ...request, timeoutMs }, url, idleTimeoutMs);
  }
}

/**
 * A connection that was kept may be closed the moment it is used again; a request that does nothing is made once more
 * then, on a connection of its own (RFC 9110, 9.2.2).
 */
function isLostOnTheWay(error: unknown): boolean {
  const { code } = ((error as Error).cause ?? {}) as { readonly code?: string };
  return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE';
}

function isSafe({ method, body }: OutboundRequest): boolean {
  return (method === 'GET' || method === 'HEAD') && body === undefined;
}

function exchange(
  agent: Agent,
  request: OutboundRequest,
  url: URL,
  idleTimeoutMs: number,
): Promise<OutboundResponse> {
  return new Promise((resolve, reject) => {
    const handler = new Exchange(request, url.origin, { resolve, reject });
    agent.dispatch(
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method: request.method,
        headers: { ...basicAuth(url), ...request.headers },
        body: handler.body,
        // The exchange has the time to the headers: undici's would not count while it connects.
        headersTimeout: 0,
        bodyTimeout: request.idleTimeoutMs ?? idleTimeoutMs,
      },
      handler,
    );
  });
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
