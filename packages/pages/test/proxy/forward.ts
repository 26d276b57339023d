import type { Values } from '@waymark/contract';
import type { EngineContext, Plugin, RouteResponse } from '@waymark/contract/engine';
import type { Outbound, OutboundRequest, OutboundResponse } from '@waymark/contract/http';
import { testHost } from '@waymark/contract/testing';

/** An outbound client that keeps what it is asked, and gives one answer. */
export function answering(response: Partial<OutboundResponse> & { readonly text?: string } = {}) {
  const requests: OutboundRequest[] = [];
  const outbound: Outbound = {
    async request(request) {
      requests.push(request);
      const { status = 200, headers = {}, text = '', body = new Blob([text]).stream() } = response;
      return { status, headers, body };
    },
  };
  return { outbound, requests };
}

/** What a test says of a call. */
export interface Asked {
  readonly route: string;
  /** As sent; default: none, and all that is known are the values. */
  readonly path?: string;
  readonly input?: Values;
  readonly headers?: Readonly<Record<string, string>>;
  readonly via?: EngineContext['via'];
  readonly logged?: unknown[];
  readonly signal?: AbortSignal;
}

/** Starts a plugin and asks the engine of one of its routes. */
export async function forward(
  plugin: Plugin,
  outbound: Outbound,
  {
    route: name,
    path = '',
    input = {},
    headers = {},
    via = 'http',
    logged = [],
    signal = new AbortController().signal,
  }: Asked,
  env: Readonly<Record<string, string>> = {},
): Promise<RouteResponse> {
  await plugin.start?.(testHost({ outbound, env: (variable) => env[variable] }));
  const route = plugin.routes.find((one) => one.name === name);
  if (!route?.engine.answer) throw new Error(`no route ${name} that answers`);
  const context = {
    ...{ route, input, via, signal },
    request: { method: route.method, path, headers, query: {} },
    body: { contentLength: 0 },
    log: (...line: unknown[]) => logged.push(line),
  };
  // Only what engines of proxies look at.
  return (await route.engine.answer(context as unknown as EngineContext)) as RouteResponse;
}
