import type { Values } from '@waymark/contract';
import type { RpcId } from './rpc-text.ts';

/** A request that has the form JSON-RPC and MCP ask for. */
export interface RpcRequest {
  readonly jsonrpc: '2.0';
  readonly id: RpcId;
  readonly method: string;
  readonly params?: Values;
}

/** What a message is. Only requests are answered. */
export type Envelope =
  | { readonly kind: 'request'; readonly request: RpcRequest }
  | { readonly kind: 'notification' }
  | { readonly kind: 'response' }
  | { readonly kind: 'invalid'; readonly id: RpcId | null; readonly rule: string };

/** The longest id that is echoed, in characters. */
export const maxIdLength = 128;

const notification: Envelope = { kind: 'notification' };
const response: Envelope = { kind: 'response' };

/**
 * Reads the envelope of one message. json-rpc-2.0 is not asked: it throws on null, and takes ids, methods and params
 * that MCP forbids.
 */
export function readEnvelope(message: unknown): Envelope {
  if (!isRecord(message)) return { kind: 'invalid', id: null, rule: 'a message is an object' };
  const { jsonrpc, id, method, params, result, error } = message;
  const invalid = (rule: string): Envelope => ({ kind: 'invalid', id: isRpcId(id) ? id : null, rule });
  if (jsonrpc !== '2.0') return invalid('jsonrpc must be "2.0"');
  if (result !== undefined || error !== undefined)
    return method === undefined ? response : invalid('a message is either a request or a response');
  if (typeof method !== 'string') return invalid('method must be a string');
  if (id !== undefined && !isRpcId(id))
    return invalid(`id must be an integer or a string of at most ${maxIdLength} characters`);
  if (params !== undefined && !isRecord(params)) return invalid('params must be an object');
  // The fields were checked one by one just above.
  return id === undefined ? notification : { kind: 'request', request: message as unknown as RpcRequest };
}

/** Says whether a value is a JSON object: no array, not null. */
export function isRecord(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Integers beyond 2^53 could not be echoed exactly. */
function isRpcId(id: unknown): id is RpcId {
  return typeof id === 'string' ? id.length <= maxIdLength : Number.isSafeInteger(id);
}
