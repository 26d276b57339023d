import type { Json } from '@waymark/contract';
import {
  RunFailed,
  type RunOutcome,
  type RunReport,
  type RunUsage,
  type WaitingStatus,
} from '@waymark/contract/runs';
import type { RunRecord } from '@waymark/contract/stores';
import { UsageTally } from '../budget/usage.ts';
import type { RunTree } from '../journal/run-tree.ts';
import { internal } from '../journal/stored-error.ts';
import { toSteps } from './to-steps.ts';

/** Makes the report of a run from its rows. */
export function toReport(tree: RunTree, runId: string): RunReport {
  const run = tree.run(runId);
  if (!run) throw new Error(`run ${runId} has no row`);
  return {
    runId,
    path: [run.spec.name, ...tree.handoffs(runId)],
    steps: toSteps(tree, runId),
    usage: usageOf(tree, run),
  };
}

/** Sums up what a run has used, from its rows. */
function usageOf(tree: RunTree, run: RunRecord): RunUsage {
  const tally = new UsageTally(run, tree.root);
  for (const op of tree.opsOf(run.runId)) if (op.ord !== null) tally.add(op, tree.spendOf(op.runId, op.seq));
  return tally.usage;
}

/** Names what a tree waits for: humans come first, since a provider comes back by itself. */
export function waitingStatusOf({ pending, waits }: RunTree): WaitingStatus {
  return pending.length === 0 && waits.length > 0 ? 'waiting_provider' : 'awaiting_approval';
}

/**
 * Tells how a run ended, or that it waits, from its rows: the caller that waited and everybody later are told the same.
 *
 * @throws {RunFailed}
 */
export function toOutcome(
  tree: RunTree,
  runId: string,
  report: RunReport = toReport(tree, runId),
): RunOutcome<Json> {
  const run = tree.run(runId);
  if (!run) throw new Error(`run ${runId} has no row`);
  const { status, output, error } = run;
  if (status === 'running' || status === 'ready' || status === 'waiting')
    return { ...report, status: waitingStatusOf(tree), approvals: tree.pending, waits: tree.waits };
  if (status === 'cancelled') return { ...report, status };
  if (error) throw new RunFailed(report, error);
  if (status === 'failed' && output === null)
    throw new RunFailed(report, { code: internal, message: 'internal error', status: 500 });
  return { ...report, status, value: output };
}
