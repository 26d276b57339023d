import assert from 'node:assert/strict';
import type { Outbox } from '../../stores/outbox.ts';
import type { Approval, BegunCall, Fence, RunFinish, RunRecord, RunStore } from '../../stores/run-store.ts';
import type { UsageStore } from '../../stores/stores.ts';
import { approvalRecord, opRecord, runRecord, spendRecord } from './run-records.ts';

/** A run store, and the stores of the same database that its commits reach. */
export interface StoresOfRuns {
  readonly runs: RunStore;
  readonly usage: UsageStore;
  readonly outbox: Outbox;
}

/** Long enough for any test. */
export const leaseMs = 600_000;
/** Over at once. */
export const noTime = 0;
/** In milliseconds. */
export const hourMs = 3_600_000;

/** A call of a model under way. */
export function begunCall(runId: string, seq: number): BegunCall {
  const spend = [{ ...spendRecord, estimated: true }];
  return { runId, seq, kind: 'model', name: 'fast', startedMs: 2_000, spend };
}

/** Of an op that waits. */
export const waiting = { state: 'waiting', value: null, endedMs: null } as const;
/** What a human says. */
export const approve = { status: 'approved', note: 'fine', by: 'ops' } as const;
/** Of an approval. */
export const notice = { id: 'n1', endpoint: 'watcher:yard', body: { type: 'approval' } };

/** A root that `p` executes. */
export async function start(runs: RunStore, run: RunRecord, ms = leaseMs): Promise<Fence> {
  const started = await runs.start(run, 'p', ms);
  assert.ok(started.outcome === 'started', started.outcome);
  return started.fence;
}

/** The end of a run. */
export function end(runId: string, fields: Partial<RunFinish> = {}): RunFinish {
  return { runId, status: 'completed', output: 'done', error: null, ...fields };
}

/** A root with one gated call. */
export async function asked(
  runs: RunStore,
  fields: Partial<Approval> = {},
  runId = 'r1',
  run = runRecord(runId),
): Promise<Fence> {
  const fence = await start(runs, run);
  await runs.commit(fence, {
    ops: [opRecord(runId, 1, waiting)],
    approvals: [approvalRecord(runId === 'r1' ? 'a1' : `a-${runId}`, { runId, ...fields })],
  });
  return fence;
}

/** A root with two children, each with one gated call; four numbers of it are taken. */
export async function tree(runs: RunStore): Promise<Fence> {
  const fence = await start(runs, runRecord('r1'));
  for (const seq of [1, 2])
    await runs.startChild(fence, runRecord(`r1.${seq}`, { rootId: 'r1', parentId: 'r1' }));
  await runs.commit(fence, {
    ops: [opRecord('r1.1', 1, waiting), opRecord('r1.2', 1, waiting)],
    approvals: [approvalRecord('a1', { runId: 'r1.1' }), approvalRecord('a2', { runId: 'r1.2' })],
  });
  return fence;
}
