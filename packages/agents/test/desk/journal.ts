import { HTTPError, type Json, type ToolResult } from '@waymark/contract';
import type { Spend } from '@waymark/contract/models';
import type { Principal } from '@waymark/contract/principal';
import {
  BudgetExhausted,
  type OpSpec,
  type RunSpec,
  type RunStep,
  type RunUsage,
} from '@waymark/contract/runs';
import type { Approval } from '@waymark/contract/stores';

/** One recorded step. */
export interface Row {
  readonly runId: string;
  readonly seq: number;
  readonly kind: OpSpec['kind'];
  readonly name: string;
  readonly input: Json;
  readonly ok: boolean;
  /** As it would be stored. */
  readonly text: string;
  readonly ord: number;
  readonly spend: readonly Spend[];
}

/** What a human was asked, and has said. */
export interface Asked {
  readonly key: string;
  readonly tool: string;
  readonly arguments: Json;
  readonly reason: string | undefined;
  status: 'pending' | 'approved' | 'declined' | 'expired' | 'withdrawn';
  note: string;
}

/** Everything that is kept of one root. */
export interface Journal {
  readonly spec: RunSpec;
  readonly principal: Principal;
  readonly rows: Row[];
  readonly asked: Asked[];
  ord: number;
}

/** What must be the same when a step is asked for again (runs.md, 5). */
export function fingerprint(kind: OpSpec['kind'], name: string, input: Json): string {
  if (kind === 'model' || kind === 'compaction' || kind === 'history') return kind;
  if (kind === 'context' || kind === 'handoff' || kind === 'value') return `${kind} ${name}`;
  return `${kind} ${name} ${JSON.stringify(input)}`;
}

export function toErrorText(error: unknown): string {
  if (error instanceof HTTPError)
    return JSON.stringify({ status: error.status, message: error.message, members: error.members });
  const { name, message } = error as Error;
  return JSON.stringify({ name, message });
}

export function fromErrorText(text: string): Error {
  const { name, status, message, members } = JSON.parse(text) as {
    readonly name?: string;
    readonly status?: number;
    readonly message: string;
    readonly members?: HTTPError['members'];
  };
  if (status !== undefined) return new HTTPError(status, message, members);
  return name === 'BudgetExhausted' ? new BudgetExhausted(message) : new Error(message);
}

export function tokensOf(spend: readonly Spend[]): number {
  return spend.reduce((sum, { inputTokens, outputTokens }) => sum + inputTokens + outputTokens, 0);
}

/** The rows of a run as its result shows them: enough to see that they travel. */
export function toSteps(rows: readonly Row[], agent: string): readonly RunStep[] {
  const kinds = {
    model: 'model',
    ask: 'model',
    handoff: 'handoff',
    compaction: 'compaction',
    context: 'context',
  } as const;
  return rows.flatMap(({ runId, kind, name, input, text, ok, ord }): readonly RunStep[] => {
    const base = { seq: ord, run_id: runId, agent, at_ms: 0, duration_ms: 0 };
    if (kind === 'call') {
      const result = JSON.parse(text) as ToolResult;
      const refused = !result.ok && (result.status === 403 || result.code === 'not_executed');
      const more = result.ok ? { result: result.value } : { error: result.message };
      const step = refused ? ('tool_refused' as const) : ('tool_call' as const);
      return [{ ...base, kind: step, tool: name, arguments: input, ...more }];
    }
    if (!(kind in kinds)) return [];
    const failure = ok ? {} : { error: fromErrorText(text).message };
    return [{ ...base, kind: kinds[kind as keyof typeof kinds], name, ...failure }];
  });
}

export function toUsage(rows: readonly Row[], spec: RunSpec, tree: readonly Row[]): RunUsage {
  const count = (kind: Row['kind']): number => rows.filter((row) => row.kind === kind).length;
  const spend = rows.flatMap((row) => row.spend);
  const sum = (name: 'inputTokens' | 'outputTokens' | 'cacheReadTokens' | 'cacheWriteTokens'): number =>
    spend.reduce((total, one) => total + one[name], 0);
  const dropped = rows
    .filter(({ kind, ok }) => kind === 'model' && ok)
    .map(({ text }) => (JSON.parse(text) as { readonly imagesDropped: number }).imagesDropped);
  const costs = spend.map(({ costMicros }) => costMicros);
  return {
    steps: spec.kind === 'agent' ? count('model') : count('call') + count('ask'),
    toolCalls: count('call'),
    handoffs: count('handoff'),
    compactions: count('compaction'),
    imagesDropped: dropped.reduce((total, one) => total + one, 0),
    inputTokens: sum('inputTokens'),
    outputTokens: sum('outputTokens'),
    cacheReadTokens: sum('cacheReadTokens'),
    cacheWriteTokens: sum('cacheWriteTokens'),
    costMicros: costs.includes(null) ? null : costs.reduce<number>((total, one) => total + (one ?? 0), 0),
    tokenBudget: spec.tokenBudget,
    treeTokens: tokensOf(tree.flatMap((row) => row.spend)),
    treeBudget: spec.tokenBudget,
  };
}

export function toApproval(asked: Asked, { spec, principal }: Journal): Approval {
  const runId = asked.key.slice(0, asked.key.lastIndexOf('.'));
  return {
    approvalId: `approval-${asked.key}`,
    runId,
    rootId: runId.split('.', 1)[0] ?? runId,
    seq: Number(asked.key.slice(asked.key.lastIndexOf('.') + 1)),
    n: 1,
    kind: spec.kind,
    agent: spec.name,
    path: [spec.name],
    caller: principal.rootId,
    tool: asked.tool,
    arguments: asked.arguments,
    argumentsHash: '',
    reason: asked.reason ?? null,
    status: 'pending',
    note: '',
    decidedBy: null,
    requestedOrd: 1,
    decidedOrd: null,
    requestedMs: 1_000,
    decidedMs: null,
    expiresMs: 2_000,
  };
}
