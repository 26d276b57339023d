import { type Approval, type RunReport, type RunStatus, type RunUsage, Type } from '@waymark/contract';

/** An approval that a run waits for, as whoever started it sees it. */
const PendingApproval = Type.Object({
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

const Count = Type.Integer({ minimum: 0 });

const Usage = Type.Object({
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

const Step = Type.Object({
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

/** What an agent answers over HTTP and MCP (decision 6.4). */
export const agentResult = Type.Object(
  {
    run_id: Type.String(),
    agent: Type.String({ description: 'Who answered: the last of the path.' }),
    path: Type.Array(Type.String(), { description: 'The agent, then those it was handed over to.' }),
    status: Type.Union(
      [
        ...['completed', 'max_tokens', 'step_limit', 'budget_exhausted'],
        ...['awaiting_approval', 'failed', 'cancelled'],
      ].map((status) => Type.Literal(status)),
    ),
    output: Type.String(),
    steps: Type.Array(Step),
    usage: Usage,
    session_id: Type.Optional(Type.String()),
    pending_approvals: Type.Optional(Type.Array(PendingApproval)),
  },
  { title: 'AgentResult' },
);

/** How a run left its caller, in wire names. */
export function toEnvelope(
  { runId, path, steps, usage }: RunReport,
  how: {
    readonly agent: string;
    readonly status: RunStatus;
    readonly output: string;
    readonly sessionId: string | undefined;
    readonly approvals?: readonly Approval[];
  },
) {
  const { agent, status, output, sessionId, approvals } = how;
  return {
    run_id: runId,
    agent: path.at(-1) ?? agent,
    path,
    ...{ status, output, steps },
    usage: toWireUsage(usage),
    ...(sessionId !== undefined && { session_id: sessionId }),
    ...(approvals && { pending_approvals: approvals.map(toWireApproval) }),
  };
}

function toWireUsage(usage: RunUsage) {
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
    tree_tokens: usage.treeTokens,
    cost_usd: costMicros === null ? null : costMicros / 1_000_000,
  };
}

function toWireApproval(approval: Approval) {
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
