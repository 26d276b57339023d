import type { Awaitable, Values } from '@waymark/contract';
import { JSONRPCErrorException, type JSONRPCErrorResponse, JSONRPCServer } from 'json-rpc-2.0';
import type { RpcRequest } from './envelope.ts';
import type { McpContext } from './mcp.ts';
import { internalError, invalidParams, toErrorText, toResultText } from './rpc-text.ts';

/** Answers one method with its result, as JSON text: what is cached or serialised already is not serialised again. */
export type Method = (params: Values, context: McpContext) => Awaitable<string>;

/** The methods of a server. */
export interface Methods {
  /** Answers one request with a whole JSON-RPC response, as JSON text. Never rejects. */
  receive(request: RpcRequest, context: McpContext): Promise<string>;
}

/** Registers methods by name. The `onError` of a message is told everything that its caller reads as `internal error`. */
export function createMethods(methods: Readonly<Record<string, Method>>): Methods {
  const server = new JSONRPCServer<McpContext>({
    // The library would write to the console. Its listener cannot tell which request failed: see below.
    errorListener: () => {},
  });
  // Left as it is, the library would show the message of any Error to the caller.
  server.mapErrorToJSONRPCErrorResponse = (id, error: unknown): JSONRPCErrorResponse => {
    const known = error instanceof JSONRPCErrorException;
    return {
      jsonrpc: '2.0',
      id,
      error: known ? error.toObject() : { code: internalError, message: 'internal error' },
    };
  };
  for (const [name, method] of Object.entries(methods))
    server.addMethod(name, async (params: Values | undefined, context) => {
      try {
        return await method(params ?? {}, context);
      } catch (error) {
        if (!(error instanceof JSONRPCErrorException)) context.onError?.(error);
        throw error;
      }
    });
  return {
    async receive(request, context) {
      const response = await server.receive(request, context);
      if (response?.error)
        return toErrorText(request.id, response.error.code, response.error.message, response.error.data);
      // Results are the texts that the methods answered; only a request without id has no response, and it has one.
      return toResultText(request.id, String(response?.result));
    },
  };
}

/** The error for params that do not have the form their method asks for. */
export function badParams(rule: string): JSONRPCErrorException {
  return new JSONRPCErrorException(rule, invalidParams);
}
