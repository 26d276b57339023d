import type { Log } from '@waymark/contract/engine';
import type { Principal } from '@waymark/contract/principal';
import type { RunSpec } from '@waymark/contract/runs';
import type { RunFinish, RunRecord } from '@waymark/contract/stores';
import { isBelow, type RunTree } from '../journal/run-tree.ts';
import { toRunError } from '../journal/stored-error.ts';
import type { BodyEnd } from './body-end.ts';

/** The row of a run that begins inside another. @param runId the key of the parent's step */
export function toChild(
  { runId: parentId, rootId, depth }: RunRecord,
  runId: string,
  spec: RunSpec,
  principal: Principal,
  createdMs: number,
): RunRecord {
  return {
    ...{ runId, rootId, parentId, spec, principal, createdMs, depth: depth + 1 },
    ...{
      call: null,
      idempotencyKey: null,
      inputHash: null,
      status: 'running',
      output: null,
      error: null,
      endedMs: null,
    },
  };
}

/** Makes the end of a run from what its code came to. What was not written for callers is logged and kept from them. */
export function toFinish({ runId, spec }: RunRecord, end: BodyEnd, log: Log): RunFinish {
  if (end.ok) {
    const { status, session } = end.end;
    const append = session && status !== 'failed' && spec.session && { session };
    return { runId, status, output: end.output, error: null, ...append };
  }
  const { error } = end;
  if (error instanceof Error && error.name === 'BudgetExhausted')
    return { runId, status: 'budget_exhausted', output: null, error: null };
  const stored = toRunError(error);
  if (stored.status === 500) log('error', 'a run failed', { run_id: runId, error });
  return { runId, status: 'failed', output: null, error: stored };
}

/** Changes the rows of a tree as the store does when a run ends. @returns the run */
export function applyEnd(
  tree: RunTree,
  { runId, status, output, error }: RunFinish,
  endedMs: number,
): RunRecord {
  for (const run of tree.runs)
    if (run.runId !== runId && isBelow(run.runId, runId) && run.status === 'running')
      tree.putRun({ ...run, status: 'cancelled', endedMs });
  for (const approval of tree.pending)
    if (isBelow(approval.runId, runId))
      tree.putApproval({ ...approval, status: 'withdrawn', decidedMs: endedMs });
  tree.dropWaits(runId);
  const run = tree.run(runId);
  if (!run) throw new Error(`run ${runId} has no row`);
  const ended: RunRecord = { ...run, status, output, error, endedMs };
  tree.putRun(ended);
  return ended;
}
