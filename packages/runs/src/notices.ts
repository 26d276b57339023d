import type { Log } from '@waymark/contract/engine';
import type { Approval, Delivery, RunFinish, RunRecord } from '@waymark/contract/stores';
import type { RunTree } from './journal/run-tree.ts';

/** A question to a human, as it is about to be stored: its times are of the clock of this process. */
export type AskedApproval = Omit<Approval, 'requestedOrd' | 'decidedOrd'>;

/** What a root has used when it ends, as far as it is recorded. */
export interface RunFigures {
  /** From its start on, waiting included. */
  readonly durationMs: number;
  /** Of it and all below it. */
  readonly tokens: number;
  /** The same; null where a model has no price. */
  readonly costMicros: number | null;
}

/**
 * Makes deliveries of what happens to runs: they are put into the outbox in the commit in which it happens, so none is lost,
 * and none is of what did not happen. Each is asked once for a commit, and must be a pure function: a commit that could not
 * be made may be tried again. One that throws is logged, and loses its deliveries alone.
 */
export interface RunNotices {
  /** A human is asked: `approvalId` is unique. */
  approvalRequested?(approval: AskedApproval): readonly Delivery[];
  /** A root has ended, however: one that is retried may end again, at another `endedMs`. */
  runFinished?(run: RunRecord, figures: RunFigures): readonly Delivery[];
}

/** Notices of a runner, its clock, and where it logs. */
interface NoticeParts {
  readonly notices?: RunNotices | undefined;
  readonly log: Log;
  now(): number;
}

const none: readonly Delivery[] = [];

/** The deliveries that belong to questions of one commit. */
export function noticesOfApprovals(
  { notices, log }: NoticeParts,
  asked: readonly AskedApproval[],
): readonly Delivery[] {
  if (!notices?.approvalRequested) return none;
  return asked.flatMap(
    (approval) => made(log, approval.runId, () => notices.approvalRequested?.(approval)) ?? none,
  );
}

/** The deliveries that belong to the end of a root; none to that of a run below it. */
export function noticesOfEnd(
  { notices, log, now }: NoticeParts,
  tree: RunTree,
  { runId, status, output, error }: Pick<RunFinish, 'runId' | 'status' | 'output' | 'error'>,
): readonly Delivery[] {
  if (!notices?.runFinished || runId !== tree.rootId) return none;
  const run: RunRecord = { ...tree.root, status, output, error, endedMs: now() };
  const durationMs = Math.max(0, now() - run.createdMs);
  return made(log, runId, () => notices.runFinished?.(run, { durationMs, ...tree.usedBelow(runId) })) ?? none;
}

function made(log: Log, runId: string, make: () => readonly Delivery[] | undefined) {
  try {
    return make();
  } catch (error) {
    log('error', 'the deliveries of a run could not be made', { run_id: runId, error });
    return undefined;
  }
}
