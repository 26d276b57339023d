import type { LookupFunction } from 'node:net';
import { HTTPError, type Outbound, type OutboundRequest, type OutboundResponse } from '@waymark/contract';
import { Agent } from 'undici';
import { guardedConnector, isDeclarable, isPublic } from './address-guard.ts';
import { Exchange } from './outbound-exchange.ts';

/** How an outbound client behaves besides what each request says. */
export interface OutboundOptions {
  /** Between two pieces of an answer, where the request does not say; 30 seconds. */
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
  request.signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const exchange = new Exchange(request, url.origin, { resolve, reject });
    agent.dispatch(
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method: request.method,
        headers: { ...basicAuth(url), ...request.headers },
        body: exchange.body,
        // The exchange has the time to the headers: undici's would not count while it connects.
        headersTimeout: 0,
        bodyTimeout: request.idleTimeoutMs ?? idleTimeoutMs,
      },
      exchange,
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
