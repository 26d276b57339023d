import { answerBatch } from './batch.ts';
import { readEnvelope } from './envelope.ts';
import type { McpAnswer, McpContext } from './mcp.ts';
import type { Methods } from './methods.ts';
import { invalidRequest, toErrorText } from './rpc-text.ts';

/** The rules of a family of revisions: what may be sent, and which HTTP status answers it. */
export interface Wire {
  handle(message: unknown, context: McpContext): Promise<McpAnswer>;
}

/**
 * The wire of the revisions that open with `initialize`. Errors of a readable request are answered with HTTP 200, what
 * is no request with 400; notifications and posted responses are taken with 202.
 *
 * No notification has an effect here, a `tools/call` without id included: MCP wants an id on every request. A server
 * without sessions cannot tell whose request `notifications/cancelled` means: ids of different clients collide.
 */
export function createInitializeWire(methods: Methods): Wire {
  return {
    async handle(message, context) {
      if (Array.isArray(message)) return answerBatch(methods, message, context);
      const envelope = readEnvelope(message);
      if (envelope.kind === 'silent') return { status: 202 };
      if (envelope.kind === 'invalid')
        return { status: 400, body: toErrorText(envelope.id, invalidRequest, envelope.rule) };
      return { status: 200, body: await methods.receive(envelope.request, context) };
    },
  };
}
