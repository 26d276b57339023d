import Type from 'typebox';
import type { RunUsage } from './run.ts';
import type { Approval } from './run-store.ts';

const Count = Type.Integer({ minimum: 0 });

/** What a run used, in wire names (decision 6.4). */
export const runUsageSchema = Type.Object({
  input_tokens: Count,
  output_tokens: Count,
  cache_read_tokens: Count,
  cache_write_tokens: Count,
  steps: Count,
  tool_calls: Count,
  handoffs: Count,
  compactions: Count,
  images_dropped: Count,
  tree_tokens: Count,
  cost_usd: Type.Union([Type.Number(), Type.Null()], { description: 'Null where a model has no price.' }),
});

/** One step of a run, in wire names (decision 6.4). */
export const runStepSchema = Type.Object({
  seq: Type.Integer(),
  kind: Type.Union(
    [
      ...['model', 'tool_call', 'tool_refused', 'approval_requested', 'approval_decided'],
      ...['handoff', 'compaction', 'context'],
    ].map((kind) => Type.Literal(kind)),
  ),
  run_id: Type.String(),
  agent: Type.String(),
  at_ms: Type.Integer(),
  duration_ms: Type.Number(),
  tool: Type.Optional(Type.String()),
  arguments: Type.Optional(Type.Unknown()),
  result: Type.Optional(Type.Unknown()),
  error: Type.Optional(Type.String()),
});

/** An approval that a run waits for, as whoever started it sees it. */
export const pendingApprovalSchema = Type.Object({
  approval_id: Type.String(),
  run_id: Type.String(),
  agent: Type.String(),
  path: Type.Array(Type.String()),
  tool: Type.String(),
  arguments: Type.Unknown(),
  reason: Type.Optional(Type.String()),
  requested_at_ms: Type.Integer(),
  expires_at_ms: Type.Integer(),
});

/**
 * What a run used, as it is sent.
 *
 * @param treeTokens of the run and all below it; by default as of the last step the run was given
 */
export function toWireUsage(usage: RunUsage, treeTokens = usage.treeTokens) {
  const { costMicros } = usage;
  return {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cache_read_tokens: usage.cacheReadTokens,
    cache_write_tokens: usage.cacheWriteTokens,
    steps: usage.steps,
    tool_calls: usage.toolCalls,
    handoffs: usage.handoffs,
    compactions: usage.compactions,
    images_dropped: usage.imagesDropped,
    tree_tokens: treeTokens,
    cost_usd: costMicros === null ? null : costMicros / 1_000_000,
  };
}

/** A pending approval, as it is sent to whoever started the run. */
export function toPendingApproval(approval: Approval) {
  const { reason } = approval;
  return {
    approval_id: approval.approvalId,
    run_id: approval.runId,
    agent: approval.agent,
    path: approval.path,
    tool: approval.tool,
    arguments: approval.arguments,
    ...(reason !== null && { reason }),
    requested_at_ms: approval.requestedMs,
    expires_at_ms: approval.expiresMs,
  };
}
