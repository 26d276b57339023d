import type { Wire } from '../mcp.ts';
import { Exchange, type Pace } from '../transport/exchange.ts';
import { answerBatch } from './batch.ts';
import { initializeDialect } from './dialect.ts';
import { readEnvelope } from './envelope.ts';
import type { Methods } from './methods.ts';
import { refused } from './refusal.ts';
import { isInitializeRevision } from './revisions.ts';
import { invalidRequest } from './rpc-text.ts';

/**
 * The wire of the revisions that open with `initialize`. Errors of a readable request are answered with HTTP 200, what
 * is no request with 400; notifications and posted responses are taken with 202. A client that goes away cancels
 * nothing.
 *
 * No notification has an effect here, a `tools/call` without id included: MCP wants an id on every request. A server
 * without sessions cannot tell whose request `notifications/cancelled` means: ids of different clients collide.
 */
export function createInitializeWire(methods: Methods, pace: Pace): Wire {
  return {
    handle(message, context) {
      const version = context.headers?.['mcp-protocol-version'];
      const dialect = initializeDialect(isInitializeRevision(version) ? version : undefined);
      const alone = !Array.isArray(message);
      const exchange = new Exchange(context, { dialect, cancels: false, alone }, pace);
      if (!alone) return answerBatch(methods, message, exchange);
      const envelope = readEnvelope(message);
      if (envelope.kind === 'request') return exchange.answer(methods.receive(envelope.request, exchange));
      if (envelope.kind !== 'invalid') return { status: 202 };
      return refused(envelope.id, { status: 400, code: invalidRequest, message: envelope.rule });
    },
  };
}
