import { type Approval, type RunRecord, toWireUsage, type Values } from '@waymark/contract';
import { toReport } from '../report.ts';
import type { RunTree } from '../run-tree.ts';

/** One root of the listing (decision 8). */
export function toRunRow(run: RunRecord): Values {
  const { runId, spec, principal, call, status, createdMs, endedMs, error } = run;
  return {
    run_id: runId,
    kind: spec.kind,
    name: spec.name,
    status: toStatus(status),
    caller: principal.rootId,
    via: call?.via ?? null,
    created_at_ms: createdMs,
    ended_at_ms: endedMs,
    error: error && { code: error.code, message: error.message, status: error.status },
  };
}

/** One run with everything below it: steps, tokens, cost. */
export function toRunDetail(tree: RunTree, runId = tree.rootId): Values {
  const run = tree.run(runId);
  if (!run) return {};
  const { usage, steps, path } = toReport(tree, runId);
  const below = tree.runs.filter(({ parentId }) => parentId === runId);
  return {
    ...toRunRow(run),
    // Only roots have a state of their own: what is not done below one that waits, waits too.
    ...(tree.root.status === 'waiting' && run.status === 'running' && { status: 'awaiting_approval' }),
    path,
    depth: run.depth,
    output: run.output,
    steps,
    usage: toWireUsage(usage, tree.tokensBelow(runId)),
    runs: below.map((child) => toRunDetail(tree, child.runId)),
  };
}

/** One approval of the listing (decision 8). */
export function toApprovalRow(approval: Approval, nowMs: number): Values {
  const { approvalId, runId, rootId, kind, agent, path, caller, tool, reason, requestedMs, expiresMs } =
    approval;
  return {
    approval_id: approvalId,
    run_id: runId,
    root_run_id: rootId,
    kind,
    agent,
    path,
    caller,
    tool,
    arguments: approval.arguments,
    ...(reason !== null && { reason }),
    requested_at_ms: requestedMs,
    expires_at_ms: expiresMs,
    age_secs: Math.max(0, Math.floor((nowMs - requestedMs) / 1_000)),
  };
}

/** The word callers know; a root that is ready runs as soon as somebody takes it. */
function toStatus(status: RunRecord['status']): string {
  if (status === 'waiting') return 'awaiting_approval';
  return status === 'ready' ? 'running' : status;
}
