import type { McpAnswer } from '../mcp.ts';
import { type RpcId, toErrorText } from './rpc-text.ts';

/** Why a message is not answered by its method. */
export interface Refusal {
  readonly status: 400 | 404 | 413;
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** The answer to a message that is refused. */
export function refused(id: RpcId | null, { status, code, message, data }: Refusal): McpAnswer {
  return { status, body: toErrorText(id, code, message, data) };
}
