import type { Json } from '@waymark/contract';
import type { Spend } from '@waymark/contract/models';
import type { RunStep } from '@waymark/contract/runs';
import type { Approval, OpRecord, RunPage } from '@waymark/contract/stores';
import type { RunTree } from '../journal/run-tree.ts';
import { redactBytes } from './redact-bytes.ts';

/** The journal as results and listings show it (decision 6.4), oldest first. Computed, never stored. */
export function toSteps(tree: RunTree, runId?: string): readonly RunStep[] {
  const steps: RunStep[] = [];
  for (const { runId: id } of runId === undefined ? tree.runs : [tree.run(runId)].filter((run) => !!run)) {
    for (const op of tree.opsOf(id))
      put(steps, toOpStep(op, tree.spendOf(id, op.seq), tree.nameAt(id, op.seq)));
    for (const approval of tree.approvalsOf(id))
      put(steps, toRequestStep(approval), toDecisionStep(approval));
  }
  return steps.sort((a, b) => a.seq - b.seq);
}

/** Steps with a number between two others, oldest first: a page of the journal. */
export function toPageSteps(
  { ops, approvals }: RunPage,
  afterOrd: number,
  uptoOrd: number,
): readonly RunStep[] {
  const steps: RunStep[] = [];
  for (const { spend, agent, ...op } of ops) put(steps, toOpStep(op, spend, agent));
  for (const approval of approvals) put(steps, toRequestStep(approval), toDecisionStep(approval));
  return steps.filter(({ seq }) => seq > afterOrd && seq <= uptoOrd).sort((a, b) => a.seq - b.seq);
}

function put(steps: RunStep[], ...more: readonly (RunStep | undefined)[]): void {
  for (const step of more) if (step) steps.push(step);
}

/** @returns undefined for what is no step: values, the range of a session, and what has not come to an end */
function toOpStep(op: OpRecord, spend: readonly Spend[], agent: string): RunStep | undefined {
  const { ord, runId, startedMs, endedMs, state } = op;
  if (ord === null || endedMs === null) return undefined;
  const shown = toShown(op, spend);
  if (!shown) return undefined;
  const failure = state === 'failed' ? { error: messageOf(op.value) } : {};
  const base = { seq: ord, run_id: runId, agent, at_ms: startedMs, duration_ms: endedMs - startedMs };
  return { ...base, ...shown, ...failure };
}

function toRequestStep(approval: Approval): RunStep {
  const { requestedOrd, runId, agent, requestedMs, tool, approvalId, reason } = approval;
  return {
    seq: requestedOrd,
    kind: 'approval_requested',
    ...{ run_id: runId, agent, at_ms: requestedMs, duration_ms: 0, tool },
    arguments: redactBytes(approval.arguments),
    approval_id: approvalId,
    ...(reason !== null && { reason }),
  };
}

function toDecisionStep(approval: Approval): RunStep | undefined {
  const { decidedOrd, runId, agent, requestedMs, decidedMs, tool, approvalId, status, note } = approval;
  if (decidedOrd === null || status === 'pending') return undefined;
  const atMs = decidedMs ?? requestedMs;
  // Two times of the database's clock, which may have been set back between them.
  const waitedMs = Math.max(0, atMs - requestedMs);
  return {
    seq: decidedOrd,
    kind: 'approval_decided',
    ...{ run_id: runId, agent, at_ms: atMs, duration_ms: waitedMs, tool },
    approval_id: approvalId,
    status,
    ...(note !== '' && { note }),
  };
}

type Shown = Pick<RunStep, 'kind'> & { readonly [member: string]: Json };

/** Members that a kind adds. */
function toShown(op: OpRecord, spend: readonly Spend[]): Shown | undefined {
  const { kind, name, value } = op;
  if (kind === 'call') return toCall(op);
  if (kind === 'run')
    return { kind: 'tool_call', tool: name, arguments: redactBytes(op.input), result: redactBytes(value) };
  if (kind === 'model') return { kind: 'model', ...toCost(spend) };
  if (kind === 'ask') return { kind: 'model', ...toCost(spend), result: redactBytes(value) };
  if (kind === 'context') return { kind: 'context', name };
  if (kind === 'handoff') return { kind: 'handoff', to: name, ...membersOf(value) };
  if (kind === 'compaction') return { kind: 'compaction', ...toCost(spend) };
  return undefined;
}

/** Codes of calls that were not let through: nothing was executed. */
const refusals = ['declined', 'expired', 'approval_required', 'not_executed'];

function toCall({ name, input, value }: OpRecord): Shown {
  const result = membersOf(value);
  const called = { tool: name, arguments: redactBytes(input) };
  if (result['ok'] === true)
    return { kind: 'tool_call', ...called, result: redactBytes(result['value'] ?? null) };
  const { status, code } = result;
  const refused = status === 401 || status === 403 || refusals.includes(String(code));
  return { kind: refused ? 'tool_refused' : 'tool_call', ...called, error: String(result['message'] ?? '') };
}

function toCost(spend: readonly Spend[]): { readonly [member: string]: Json } {
  const last = spend.at(-1);
  if (!last) return {};
  const sum = (name: 'inputTokens' | 'outputTokens'): number =>
    spend.reduce((tokens, one) => tokens + one[name], 0);
  const isPriced = spend.every(({ costMicros }) => costMicros !== null);
  const micros = spend.reduce((cost, one) => cost + (one.costMicros ?? 0), 0);
  return {
    model: `${last.provider}/${last.model}`,
    input_tokens: sum('inputTokens'),
    output_tokens: sum('outputTokens'),
    cost_usd: isPriced ? micros / 1_000_000 : null,
  };
}

function membersOf(value: Json): { readonly [member: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as { readonly [member: string]: Json })
    : {};
}

function messageOf(value: Json): string {
  return String(membersOf(value)['message'] ?? '');
}
