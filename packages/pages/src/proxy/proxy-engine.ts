import { HTTPError } from '@waymark/contract';
import {
  type Engine,
  type EngineContext,
  type Partner,
  partnerFault,
  RouteResponse,
} from '@waymark/contract/engine';
import type { Outbound, OutboundResponse } from '@waymark/contract/http';
import type { PathPair } from './path-writer.ts';
import { type PublicRoute, toPublicAddress } from './public-address.ts';
import { toForwardedBody } from './request-body.ts';
import { toRequestHeaders } from './request-headers.ts';
import { toResponseBody, UnfitAnswer } from './response-body.ts';
import { toResponseHeaders } from './response-headers.ts';
import { type Base, toTarget } from './target.ts';

/** What an upstream is reached with, once the plugin has started. */
export interface Reach {
  readonly outbound: Outbound;
  /** Its own, bearer token included. */
  readonly headers: Readonly<Record<string, string>>;
  /** Told how each call goes. */
  readonly partner: Partner;
  /** Tells it of an answer that broke off on its way to the caller. */
  readonly onBreak: (error: HTTPError) => void;
}

/** An upstream at work. */
export interface Upstream {
  readonly name: string;
  readonly base: Base;
  readonly timeoutMs: number;
  readonly reach: () => Reach;
  /** Of all upstreams: where addresses in answers are looked up. */
  readonly addresses: readonly PublicRoute[];
}

/** Makes the engine of a proxy. It answers nothing where something is wrong with the declaration. */
export function toProxyEngine(upstream: Upstream | undefined, paths: PathPair | undefined): Engine {
  if (!upstream || !paths) return { kind: 'proxy' };
  return { kind: 'proxy', answer: (context) => forward(upstream, paths, context) };
}

async function forward(upstream: Upstream, paths: PathPair, context: EngineContext): Promise<RouteResponse> {
  const { request, signal } = context;
  const { outbound, headers, partner, onBreak } = upstream.reach();
  const target = toTarget(upstream.base, paths, context);
  const body = await toForwardedBody(context);
  let response: OutboundResponse | undefined;
  try {
    response = await outbound.request({
      method: request.method,
      url: target,
      headers: toRequestHeaders(request.headers, { ...body?.headers, ...headers }),
      ...(body && { body: body.content }),
      timeoutMs: upstream.timeoutMs,
      idleTimeoutMs: upstream.timeoutMs,
      // Nothing is held: it is for whoever reads to say when it is enough.
      maxBytes: Number.POSITIVE_INFINITY,
      allow: 'declared',
      signal,
      onBreak,
    });
    const answer = await toRouteResponse(response, target, upstream, context);
    const fault = faultOf(response.status, headers);
    if (fault === undefined) partner.answered();
    else partner.failed(fault);
    return answer;
  } catch (error) {
    // The caller has gone, or the deadline has come, and whoever ended the call has its reason.
    const failure = signal.aborted ? undefined : toFailure(error, upstream);
    if (!failure) throw error;
    // What breaks behind the headers has been told.
    if (!response) partner.failed(partnerFault(error));
    context.log('warn', 'upstream failed', { upstream: upstream.name, error });
    throw failure;
  }
}

async function toRouteResponse(
  response: OutboundResponse,
  target: string,
  { addresses }: Upstream,
  context: EngineContext,
): Promise<RouteResponse> {
  const { status, headers } = response;
  if (status > 599) {
    await response.body.cancel();
    throw new UnfitAnswer(`has the status ${status}`);
  }
  const body = await toResponseBody(response, context);
  return new RouteResponse(
    status,
    body,
    toResponseHeaders(headers, context.route.scopes.length > 0, (address) =>
      toPublicAddress(address, target, addresses),
    ),
  );
}

/** What is wrong with an answer that lies with the upstream. It may know a caller and refuse that one, but not our own token. */
function faultOf(status: number, own: Reach['headers']): string | undefined {
  if (status >= 500) return `answers ${status}`;
  return status === 401 && own['authorization'] !== undefined ? 'refuses its token' : undefined;
}

/**
 * What callers are told. They know an upstream by its name; where it is and what went wrong is for the log.
 *
 * @returns undefined for what is wrong with the request of the caller
 */
function toFailure(error: unknown, { name, timeoutMs }: Upstream): HTTPError | undefined {
  if (error instanceof UnfitAnswer)
    return new HTTPError(502, `the answer of upstream "${name}" ${error.message}`, { cause: error });
  if (!(error instanceof HTTPError)) return undefined;
  if (error.status === 504)
    return new HTTPError(504, `upstream "${name}" took longer than ${timeoutMs} ms`, { cause: error });
  // 403: its address is not allowed, which is no fault of the caller.
  return error.status === 502 || error.status === 403
    ? new HTTPError(502, `upstream "${name}" did not answer`, { cause: error })
    : undefined;
}
