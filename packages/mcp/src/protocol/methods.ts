import type { Values } from '@waymark/contract';
import type { Awaitable } from '@waymark/contract/engine';
import { JSONRPCErrorException, type JSONRPCErrorResponse, JSONRPCServer } from 'json-rpc-2.0';
import type { Exchange } from '../transport/exchange.ts';
import type { RpcRequest } from './envelope.ts';
import { internalError, invalidParams, toErrorText, toResultText } from './rpc-text.ts';

/** Answers one method with its result, as JSON text: what is cached or serialised already is not serialised again. */
export type Method = (params: Values, exchange: Exchange) => Awaitable<string>;

/** The methods of a server. */
export interface Methods {
  has(method: string): boolean;
  /** Answers one request with a whole JSON-RPC response, as JSON text. Neither throws nor rejects. */
  receive(request: RpcRequest, exchange: Exchange): Awaitable<string>;
}

/** What not every method shares. */
export interface MethodsOptions {
  /**
   * Methods that are called without json-rpc-2.0. Under load, what goes through its `receive` outlives the young
   * generation of the heap: a small request cost 207 µs of a crowded core, without it 135 (measured). Once in a
   * conversation that is nothing; tools are called all the time.
   */
  readonly direct: Readonly<Record<string, Method>>;
  /** Members that every result begins with: JSON without braces. Results must then have members of their own. */
  readonly opening?: string;
}

/** Registers methods by name. The `log` of a message is told everything that its caller reads as `internal error`. */
export function createMethods(
  methods: Readonly<Record<string, Method>>,
  { direct, opening }: MethodsOptions,
): Methods {
  const server = createServer(methods);
  const directly = new Map(Object.entries(direct));
  const begin = opening === undefined ? undefined : `{${opening},`;
  const toText: ToText = (request, result) =>
    toResultText(request.id, begin === undefined ? result : begin + result.slice(1));
  return {
    has: (method) => directly.has(method) || server.hasMethod(method),
    receive(request, exchange) {
      const method = directly.get(request.method);
      return method
        ? callDirectly(method, request, exchange, toText)
        : throughServer(server, request, exchange, toText);
    },
  };
}

/** The response of a request whose method gave a result. */
type ToText = (request: RpcRequest, result: string) => string;

/** At once, if the method answers at once. */
function callDirectly(
  method: Method,
  request: RpcRequest,
  exchange: Exchange,
  toText: ToText,
): Awaitable<string> {
  const fail = (error: unknown): string => {
    tell(error, exchange);
    return toFailure(request, toRpcError(error));
  };
  try {
    const result = method(request.params ?? {}, exchange);
    return result instanceof Promise
      ? result.then((text) => toText(request, text), fail)
      : toText(request, result);
  } catch (error) {
    return fail(error);
  }
}

async function throughServer(
  server: JSONRPCServer<Exchange>,
  request: RpcRequest,
  exchange: Exchange,
  toText: ToText,
): Promise<string> {
  const response = await server.receive(request, exchange);
  if (response?.error) return toFailure(request, response.error);
  // Results are the texts that the methods answered; only a request without id has no response, and it has one.
  return toText(request, String(response?.result));
}

/** The error for params that do not have the form their method asks for. */
export function badParams(rule: string): JSONRPCErrorException {
  return new JSONRPCErrorException(rule, invalidParams);
}

function createServer(methods: Readonly<Record<string, Method>>): JSONRPCServer<Exchange> {
  const server = new JSONRPCServer<Exchange>({
    // The library would write to the console. Its listener cannot tell which request failed: see `tell`.
    errorListener: () => {},
  });
  // Left as it is, the library would show the message of any Error to the caller.
  server.mapErrorToJSONRPCErrorResponse = (id, error: unknown): JSONRPCErrorResponse => ({
    jsonrpc: '2.0',
    id,
    error: toRpcError(error),
  });
  for (const [name, method] of Object.entries(methods))
    server.addMethod(name, async (params: Values | undefined, exchange) => {
      try {
        return await method(params ?? {}, exchange);
      } catch (error) {
        tell(error, exchange);
        throw error;
      }
    });
  return server;
}

type RpcError = JSONRPCErrorResponse['error'];

function toRpcError(error: unknown): RpcError {
  return error instanceof JSONRPCErrorException
    ? error.toObject()
    : { code: internalError, message: 'internal error' };
}

function toFailure({ id }: RpcRequest, { code, message, data }: RpcError): string {
  return toErrorText(id, code, message, data);
}

function tell(error: unknown, { context }: Exchange): void {
  if (!(error instanceof JSONRPCErrorException)) context.log?.('error', 'an MCP call failed', { error });
}
