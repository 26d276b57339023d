/** The id of a request, as MCP allows it. */
export type RpcId = string | number;

/** The JSON-RPC error codes in use. */
export const parseError = -32700;
export const invalidRequest = -32600;
export const methodNotFound = -32601;
export const invalidParams = -32602;
export const internalError = -32603;

/** The codes that MCP added with 2026-07-28: a header differs from the body, a capability or a revision is missing. */
export const headerMismatch = -32020;
export const missingCapability = -32021;
export const unsupportedVersion = -32022;

/** A response that carries a result. @param result JSON, already as text */
export function toResultText(id: RpcId, result: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
}

/** A response that carries an error. @param id null when the request had none that could be read */
export function toErrorText(id: RpcId | null, code: number, message: string, data?: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } });
}
