import type { Values } from '@waymark/contract';
import { toWireUsage, toWireWait } from '@waymark/contract/runs';
import type { Approval, ListedRun, RunStore, RunTotals } from '@waymark/contract/stores';
import type { RunTree } from '../journal/run-tree.ts';
import { cutStep, cutValue } from '../told/cut-value.ts';
import { redactBytes } from '../told/redact-bytes.ts';
import { toReport, waitingStatusOf } from '../told/report.ts';
import type { ShownStatus } from './run-schemas.ts';

type RunFilter = Parameters<RunStore['list']>[0];

/** One root of the listing (decision 8). */
export function toRunRow(run: ListedRun): Values {
  const { runId, spec, principal, call, createdMs, endedMs, error, totals } = run;
  return {
    run_id: runId,
    kind: spec.kind,
    name: spec.name,
    status: toStatus(run),
    caller: principal.rootId,
    via: call?.via ?? null,
    created_at_ms: createdMs,
    ended_at_ms: endedMs,
    // Two times of a clock that may have been set back between them.
    duration_ms: endedMs === null ? null : Math.max(0, endedMs - createdMs),
    step_count: totals.steps,
    tokens: totals.inputTokens + totals.outputTokens,
    cost_usd: totals.costMicros === null ? null : totals.costMicros / 1_000_000,
    error: error && { code: error.code, message: error.message, status: error.status },
  };
}

/** One run with everything below it: steps, tokens, cost. @param cut characters of JSON of one value that are shown */
export function toRunDetail(tree: RunTree, cut: number, runId = tree.rootId): Values {
  const run = tree.run(runId);
  if (!run) return {};
  const { usage, steps, path } = toReport(tree, runId);
  const below = tree.runs
    .filter(({ parentId }) => parentId === runId)
    .map((child) => toRunDetail(tree, cut, child.runId));
  // Only roots have a state of their own: what is not done below one that waits, waits too.
  const waits = tree.root.status === 'waiting' && (run.status === 'waiting' || run.status === 'running');
  const waitsFor = waits ? waitingStatusOf(tree) : null;
  const { tokens, costMicros } = tree.usedBelow(runId);
  const own = steps.filter(({ kind }) => !kind.startsWith('approval_')).length;
  const totals: RunTotals = {
    ...{ steps: below.reduce((sum, one) => sum + Number(one['step_count']), own), costMicros },
    ...{ inputTokens: tokens, outputTokens: 0 },
  };
  return {
    ...toRunRow({ ...run, waitsFor, totals }),
    path,
    depth: run.depth,
    input: cutValue(redactBytes(run.call?.values ?? null), cut),
    output: redactBytes(run.output),
    steps: steps.map((step) => cutStep(step, cut)),
    waits: tree.waits.filter((wait) => wait.runId === runId).map(toWireWait),
    usage: toWireUsage(usage, tokens),
    runs: below,
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
    status: approval.status,
    decided_by: approval.decidedBy,
    decided_at_ms: approval.decidedMs,
    ...(approval.note !== '' && { note: approval.note }),
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
