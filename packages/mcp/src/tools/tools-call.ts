import type { Route, Values } from '@waymark/contract';
import type { Awaitable, Dispatcher, RouteResponse } from '@waymark/contract/engine';
import { holds } from '@waymark/contract/principal';
import { toolFailure } from '@waymark/contract/tools';
import { JSONRPCErrorException } from 'json-rpc-2.0';
import { toCallResult } from '../content/call-result.ts';
import type { McpContext, StepUp } from '../mcp.ts';
import { checkCapabilities } from '../protocol/client-capabilities.ts';
import { isRecord, type RpcRequest } from '../protocol/envelope.ts';
import { badParams, type Method } from '../protocol/methods.ts';
import type { Refusal } from '../protocol/refusal.ts';
import { capabilitiesKey, metaOf, traceOf } from '../protocol/request-meta.ts';
import { invalidRequest } from '../protocol/rpc-text.ts';
import type { Exchange } from '../transport/exchange.ts';
import { idempotencyKeyOf } from './idempotency-key.ts';
import { checkParameterHeaders } from './parameter-headers.ts';
import { progressNotifier, progressTokenOf } from './progress.ts';
import type { Catalogue, Description } from './tool-catalogue.ts';
import { CancellableToolUse, ToolUse } from './tool-use.ts';

/**
 * Calls a tool as the caller. Any known tool is dispatched, also a gated one or one beyond the caller's scopes: the
 * dispatcher refuses, so that the refusal is audited and worded in one place. A caller who can ask for a token with more
 * scopes is told so by a 403, which is all that clients step up for; others read the refusal as the result.
 */
export function toolsCall(options: {
  readonly catalogue: Catalogue;
  readonly dispatcher: Pick<Dispatcher, 'dispatch'>;
  readonly stepUp: StepUp | undefined;
}): Method {
  const { catalogue, dispatcher, stepUp } = options;
  return (params, exchange) => {
    const { name, arguments: values = {} } = params;
    if (typeof name !== 'string') throw badParams('name must be a string');
    if (!isRecord(values)) throw badParams('arguments must be an object');
    const { context, dialect } = exchange;
    const route = toolNamed(name, catalogue, context);
    if (!route) throw badParams(`unknown tool "${name.slice(0, maxNameEcho)}"`);
    const key = idempotencyKeyOf({ params });
    const trace = traceOf({ params });
    if (trace) context.log?.('info', 'an MCP call of a trace', { tool: name, ...trace });
    const token = exchange.listens ? progressTokenOf({ params }) : undefined;
    const observe =
      token === undefined ? undefined : progressNotifier(token, (message) => exchange.tell(message));
    const asked = { observe, key };
    const use = exchange.cancels
      ? new CancellableToolUse(route, values, exchange, asked)
      : new ToolUse(route, values, exchange, asked);
    const toResult = (response: RouteResponse): Awaitable<string> => {
      if (stepUp && isBeyond(response, route, context) && forbids(stepUp, route, exchange))
        throw new JSONRPCErrorException(toolFailure(name, 403, detailOf(response)), invalidRequest);
      return toCallResult(response, {
        name,
        values,
        structure: catalogue.describe(route).structure,
        dialect,
        signal: () => (exchange.cancels ? exchange.signal : undefined),
        onError: (error) => context.log?.('error', 'an MCP call failed', { error, tool: name }),
      });
    };
    const response = dispatcher.dispatch(use);
    return response instanceof Promise ? response.then(toResult) : toResult(response);
  };
}

/** Whether it was the route's own scopes that a call was refused for. */
function isBeyond({ status }: RouteResponse, { scopes }: Route, { principal }: McpContext): boolean {
  return status === 403 && !holds(principal, scopes);
}

function forbids(stepUp: StepUp, { scopes }: Route, exchange: Exchange): boolean {
  const { principal, headers } = exchange.context;
  const challenge = stepUp(principal, scopes, headers?.['host']);
  return challenge !== undefined && exchange.forbid(challenge);
}

function detailOf({ body }: RouteResponse): string {
  return body.kind === 'problem' ? body.detail : 'a scope is missing';
}

/** What 2026-07-28 asks of a call besides its params: headers that repeat arguments, and what its client can do. */
export function checkToolCall(catalogue: Catalogue) {
  return ({ method, params = {} }: RpcRequest, context: McpContext): Refusal | undefined => {
    const { name, arguments: values = {} } = params;
    // What is malformed, or unknown, is the method's to refuse.
    if (method !== 'tools/call' || typeof name !== 'string' || !isRecord(values)) return undefined;
    const route = toolNamed(name, catalogue, context);
    // Whoever lacks its scopes learns nothing of a tool: the dispatcher refuses, and it is audited.
    if (!route || !holds(context.principal, route.scopes)) return undefined;
    return checkDescribed(catalogue.describe(route), values, metaOf({ params }), context);
  };
}

function checkDescribed(
  { headers, capabilities }: Description,
  values: Values,
  meta: Values | undefined,
  context: McpContext,
): Refusal | undefined {
  const wrong = headers.length > 0 && checkParameterHeaders(headers, values, context.headers ?? {});
  if (wrong) return wrong;
  const declared = meta?.[capabilitiesKey];
  return capabilities && checkCapabilities(capabilities, isRecord(declared) ? declared : {});
}

function toolNamed(name: string, catalogue: Catalogue, { tools }: McpContext): Route | undefined {
  return tools === undefined || tools.has(name) ? catalogue.tool(name) : undefined;
}

/** No tool has a longer name, so nobody misses the rest of one. */
const maxNameEcho = 64;
