import {
  HTTPError,
  type Json,
  type OpSpec,
  type Principal,
  type RunEnd,
  type RunOutcome,
  type RunReport,
  type RunSpec,
  type RunUsage,
  type Via,
} from '@waymark/contract';

/** One journaled operation; `text` is its value as JSON, or its error. */
export interface StoredOp {
  readonly kind: OpSpec['kind'];
  readonly fingerprint: string;
  readonly ok: boolean;
  readonly text: string;
  readonly order: number;
}

/** One run as the journal keeps it. */
export interface StoredRun {
  readonly runId: string;
  readonly spec: RunSpec;
  readonly principal: Principal;
  /** Roots only. */
  readonly call: { readonly route: string; readonly values: Json; readonly via: Via } | undefined;
  readonly path: readonly string[];
  readonly ops: Map<number, StoredOp>;
  /** `text` is the value as JSON, or the error that the body threw. */
  end:
    | { readonly status: RunEnd<Json>['status']; readonly ok: boolean; readonly text: string }
    | 'cancelled'
    | undefined;
  /** Decisions that came: a leg that began before the newest one must not be parked. */
  wakes: number;
  /** Those that had come when it was parked; undefined while it never was. */
  parkedAt: number | undefined;
  lastOrder: number;
}

/** Nothing is counted in the trial. */
export const usage: RunUsage = {
  steps: 0,
  toolCalls: 0,
  handoffs: 0,
  compactions: 0,
  imagesDropped: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  costMicros: 0,
  tokenBudget: null,
  treeTokens: 0,
  treeBudget: null,
};

/** Every name of a run begins with its root's. */
export function toRootId(runId: string): string {
  return runId.split('.', 1)[0] ?? runId;
}

export function toOutcome<T extends Json>({ runId, end }: StoredRun): RunOutcome<T> {
  if (!end) throw new Error(`run ${runId} has not ended`);
  if (end === 'cancelled') return { status: 'cancelled', ...toReport(runId) };
  if (!end.ok) throw rebuild(end.text);
  // The value of this very run, as its own driver returned it.
  return { status: end.status, value: JSON.parse(end.text) as T, ...toReport(runId) };
}

/** Steps are not shown in the trial. */
export function toReport(runId: string): RunReport {
  return { runId, path: [], steps: [], usage };
}

export function toText(error: unknown): string {
  const { status = 500, message = 'internal error', members = {} } = error instanceof HTTPError ? error : {};
  return JSON.stringify({ status, message, members });
}

export function rebuild(text: string): HTTPError {
  const { status, message, members } = JSON.parse(text) as Pick<HTTPError, 'status' | 'message' | 'members'>;
  return new HTTPError(status, message, members);
}
