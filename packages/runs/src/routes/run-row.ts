import type { Values } from '@waymark/contract';
import { toWireUsage } from '@waymark/contract/runs';
import type { Approval, ListedRun, RunStore } from '@waymark/contract/stores';
import type { RunTree } from '../journal/run-tree.ts';
import { toReport, waitingStatusOf } from '../told/report.ts';
import type { ShownStatus } from './run-schemas.ts';

type RunFilter = Parameters<RunStore['list']>[0];

/** One root of the listing (decision 8). */
export function toRunRow(run: ListedRun): Values {
  const { runId, spec, principal, call, createdMs, endedMs, error } = run;
  return {
    run_id: runId,
    kind: spec.kind,
    name: spec.name,
    status: toStatus(run),
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
  // Only roots have a state of their own: what is not done below one that waits, waits too.
  const waits = tree.root.status === 'waiting' && (run.status === 'waiting' || run.status === 'running');
  const waitsFor = waits ? waitingStatusOf(tree) : null;
  return {
    ...toRunRow({ ...run, waitsFor }),
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
function toStatus({ status, waitsFor }: ListedRun): string {
  return waitsFor ?? (status === 'ready' ? 'running' : status);
}

/** The roots whose rows say a status: what `toStatus` says, the other way round. */
export function toFilter(shown: ShownStatus): Pick<RunFilter, 'statuses' | 'waitsFor'> {
  if (shown === 'running') return { statuses: ['ready', 'running'] };
  if (shown === 'awaiting_approval' || shown === 'waiting_provider')
    return { statuses: ['waiting'], waitsFor: shown };
  return { statuses: [shown] };
}
