import Type from 'typebox';
import type { Approval, Wait } from '../stores/run-store.ts';
import type { RunUsage, RunWaiting } from './run.ts';

const Count = Type.Integer({ minimum: 0 });

/** The schema of what a run used, in wire names (decision 6.4). */
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

/** The schema of one step of a run, in wire names (decision 6.4). */
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
const pendingApprovalSchema = Type.Object({
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

/** A step that is tried again later, because a provider of models is out of reach, as whoever started its run sees it. */
export const runWaitSchema = Type.Object({
  run_id: Type.String(),
  agent: Type.String({ description: 'Who asks.' }),
  kind: Type.Literal('provider'),
  provider: Type.String(),
  model: Type.String(),
  reason: Type.String({ description: 'rate_limited, unavailable, timeout or quota.' }),
  message: Type.String(),
  attempts: Type.Integer({ minimum: 1, description: 'How often it was tried.' }),
  since_at_ms: Type.Integer({ description: 'When it failed first.' }),
  retry_at_ms: Type.Integer({ description: 'When it is tried again.' }),
  give_up_at_ms: Type.Integer({ description: 'When it has failed for good, unless it is answered.' }),
});

/** Schemas of what a run waits for, in the answers of agents, behaviours and flows. */
export const waitingSchemas = {
  pending_approvals: Type.Optional(Type.Array(pendingApprovalSchema)),
  waits: Type.Optional(
    Type.Array(runWaitSchema, { description: 'Steps whose provider is out of reach: they are tried again.' }),
  ),
};

/** The status of a run that waits. */
export const waitingStatusSchema = Type.Union([
  Type.Literal('awaiting_approval'),
  Type.Literal('waiting_provider'),
]);

/**
 * Words what a run used as it is sent.
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
function toPendingApproval(approval: Approval) {
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

/** A step that is tried again later, as it is sent. */
export function toWireWait(wait: Wait) {
  return {
    run_id: wait.runId,
    ...{ agent: wait.agent, kind: wait.kind, provider: wait.provider, model: wait.model },
    ...{ reason: wait.reason, message: wait.message, attempts: wait.attempts },
    since_at_ms: wait.sinceMs,
    retry_at_ms: wait.dueMs,
    give_up_at_ms: wait.giveUpMs,
  };
}

/** Words what a run waits for as it is sent to whoever started it. */
export function toWireWaiting({
  status,
  approvals,
  waits,
}: Pick<RunWaiting, 'status' | 'approvals' | 'waits'>) {
  return {
    ...(status === 'awaiting_approval' && { pending_approvals: approvals.map(toPendingApproval) }),
    ...(waits.length > 0 && { waits: waits.map(toWireWait) }),
  };
}
