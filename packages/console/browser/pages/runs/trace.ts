import type { RunDetail } from '../../client/control.ts';
import type { Stretch } from './time-scale.ts';

/** A step as the control plane tells it; each kind has members of its own. */
export interface Step {
  readonly seq: number;
  readonly kind: string;
  readonly run_id: string;
  readonly agent: string;
  readonly at_ms: number;
  readonly duration_ms: number;
  readonly [member: string]: unknown;
}

/** What a line of the trace is about. */
export type TraceKind = 'run' | 'model' | 'tool' | 'refused' | 'wait' | 'handoff' | 'other';

/** One line: a run, or a step of it, with its place in the tree and in time. */
export interface TraceRow extends Stretch {
  readonly key: string;
  readonly depth: number;
  readonly kind: TraceKind;
  readonly title: string;
  /** Whether it has not come to an end. */
  readonly open: boolean;
  readonly failed: boolean;
  readonly step?: Step;
  readonly run?: RunDetail;
}

/**
 * Lays a run and everything below it out as lines, each below what it belongs to and in the order in which they began.
 *
 * @param nowMs where what has not ended reaches to
 */
export function toTrace(run: RunDetail, nowMs: number): readonly TraceRow[] {
  return traceOf(run, 0, nowMs);
}

function traceOf(run: RunDetail, depth: number, nowMs: number): readonly TraceRow[] {
  const own: TraceRow = {
    key: run.run_id,
    depth,
    kind: 'run',
    title: run.name,
    fromMs: run.created_at_ms,
    untilMs: Math.max(run.created_at_ms, run.ended_at_ms ?? nowMs),
    open: run.ended_at_ms === null,
    failed: run.status === 'failed',
    run,
  };
  const ended = new Set((run.steps as readonly Step[]).map(approvalOf));
  const steps = (run.steps as readonly Step[]).flatMap((step) => {
    const row = toStepRow(step, depth + 1, nowMs, ended);
    return row ? [[row]] : [];
  });
  const below = run.runs.map((child) => traceOf(child, depth + 1, nowMs));
  const parts = [...steps, ...below].sort((a, b) => (a[0]?.fromMs ?? 0) - (b[0]?.fromMs ?? 0));
  return [own, ...parts.flat()];
}

/** A question and its answer are one line: as long as somebody was waited for. */
function toStepRow(
  step: Step,
  depth: number,
  nowMs: number,
  decided: ReadonlySet<string | undefined>,
): TraceRow | undefined {
  const { seq, kind, at_ms: atMs, duration_ms: tookMs } = step;
  const base = { key: String(seq), depth, step };
  if (kind === 'approval_decided') {
    const title = `${step['status'] === 'approved' ? 'approved' : 'not approved'}: ${textOf(step, 'tool')}`;
    return { ...base, kind: 'wait', title, fromMs: atMs - tookMs, untilMs: atMs, open: false, failed: false };
  }
  if (kind === 'approval_requested') {
    if (decided.has(`decided ${textOf(step, 'approval_id')}`)) return undefined;
    const title = `waits for approval: ${textOf(step, 'tool')}`;
    return {
      ...base,
      kind: 'wait',
      title,
      fromMs: atMs,
      untilMs: Math.max(atMs, nowMs),
      open: true,
      failed: false,
    };
  }
  return {
    ...base,
    ...toTitle(step),
    fromMs: atMs,
    untilMs: atMs + tookMs,
    open: false,
    failed: step['error'] !== undefined,
  };
}

function approvalOf(step: Step): string | undefined {
  return step.kind === 'approval_decided' ? `decided ${textOf(step, 'approval_id')}` : undefined;
}

function toTitle(step: Step): Pick<TraceRow, 'kind' | 'title'> {
  const text = (name: string): string => textOf(step, name);
  if (step.kind === 'model') return { kind: 'model', title: text('model') || 'model' };
  if (step.kind === 'tool_call') return { kind: 'tool', title: text('tool') };
  if (step.kind === 'tool_refused') return { kind: 'refused', title: `refused: ${text('tool')}` };
  if (step.kind === 'handoff') return { kind: 'handoff', title: `hands over to ${text('to')}` };
  if (step.kind === 'context') return { kind: 'other', title: `context ${text('name')}` };
  return { kind: 'other', title: step.kind };
}

/** When something was done: neither the runs themselves nor waits for humans. */
export function busyOf(rows: readonly TraceRow[]): readonly Stretch[] {
  return rows.filter(({ kind }) => kind !== 'run' && kind !== 'wait');
}

function textOf(step: Step, name: string): string {
  return String(step[name] ?? '');
}
