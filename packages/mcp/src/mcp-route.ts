import {
  callSite,
  type Dispatcher,
  type Engine,
  type EngineContext,
  HTTPError,
  type Route,
  RouteResponse,
  type RouteTable,
  toRoute,
} from '@waymark/contract';
import { createMcp, type Mcp } from './create-mcp.ts';
import type { McpAnswer, McpContext, McpOptions } from './mcp.ts';
import { parseMessage } from './parse-message.ts';
import { parseError, toErrorText } from './rpc-text.ts';

/**
 * The route `POST {control_prefix}/mcp` over the table and the dispatcher it is reached through. It has no deadline:
 * each tool call runs under the one of its own route. GET and DELETE are left undeclared, so that they answer 405.
 */
export function mcpRoute(options: McpOptions): Route {
  const mcpOf = keepForEach(options);
  const engine: Engine = {
    kind: 'control',
    async answer(context) {
      if (!isJson(context.request.headers['content-type']))
        throw new HTTPError(415, 'the content type must be application/json');
      const parsed = parseMessage(context.request.body);
      if (!parsed.ok) return toResponse({ status: 400, body: toErrorText(null, parseError, parsed.rule) });
      return toResponse(await mcpOf(context).handle(parsed.message, toMcpContext(context)));
    },
  };
  return toRoute('POST', '/mcp', engine, {
    plane: 'control',
    declaredAt: callSite(mcpRoute),
    body: 'bytes',
    timeoutMs: Number.POSITIVE_INFINITY,
    summary: 'Serves the tools over MCP.',
    description: 'Model Context Protocol: JSON-RPC 2.0 over Streamable HTTP, without sessions.',
  });
}

/** One Mcp for each table and dispatcher, made at the first message: a route does not know where it will be mounted. */
function keepForEach(options: McpOptions): (context: Pick<EngineContext, 'table' | 'dispatcher'>) => Mcp {
  const kept = new WeakMap<RouteTable, WeakMap<Dispatcher, Mcp>>();
  return ({ table, dispatcher }) => {
    const known = kept.get(table)?.get(dispatcher);
    if (known) return known;
    const mcp = createMcp({ ...options, table, dispatcher });
    const siblings = kept.get(table) ?? new WeakMap<Dispatcher, Mcp>();
    kept.set(table, siblings.set(dispatcher, mcp));
    return mcp;
  };
}

function isJson(contentType: string | undefined): boolean {
  return (
    contentType === 'application/json' ||
    contentType?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json'
  );
}

function toMcpContext(context: EngineContext): McpContext {
  const { principal, requestId, signal, clientAddress, request } = context;
  const protocolVersion = request.headers['mcp-protocol-version'];
  return {
    principal,
    requestId,
    signal,
    charge: (cost) => context.charge(cost),
    onError: (error) => context.log('error', 'an MCP call failed', { error }),
    ...(clientAddress !== undefined && { clientAddress }),
    ...(protocolVersion !== undefined && { protocolVersion }),
  };
}

function toResponse({ status, body }: McpAnswer): RouteResponse {
  return new RouteResponse(status, body === undefined ? { kind: 'empty' } : { kind: 'json', text: body });
}
