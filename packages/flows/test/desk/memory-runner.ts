import { HTTPError, type Json, type ToolResult } from '@waymark/contract';
import { type Call, problemResponse } from '@waymark/contract/engine';
import { narrow } from '@waymark/contract/principal';
import {
  BudgetExhausted,
  type OpResult,
  type OpSpec,
  type RunEnd,
  RunFailed,
  type Runner,
  type RunOutcome,
  type RunReport,
  type RunScope,
  type RunSpec,
  type RunStep,
  type RunUsage,
  type Step,
} from '@waymark/contract/runs';

/** Runs that never wait and are forgotten: for tests of what a flow does in one go. */
export class MemoryRunner implements Runner {
  /** What every run was opened with. */
  readonly specs: RunSpec[] = [];
  /** What every step asked. */
  readonly asked: OpSpec[] = [];

  async open<T extends Json>(
    spec: RunSpec,
    call: Call,
    _input: object,
    body: (scope: RunScope) => Promise<RunEnd<T>>,
  ): Promise<RunOutcome<T>> {
    this.specs.push(spec);
    const runId = call.step?.key ?? `run${this.specs.length}`;
    const steps: RunStep[] = [];
    const report: RunReport = { runId, path: [spec.name], steps, usage: noUsage(spec) };
    const scope = {
      ...{ runId, rootId: runId, depth: 0, replaying: false, maxSteps: null },
      ...{ definition: copy(spec.definition ?? null), deadlineMs: 60_000 },
      principal: narrow(call.principal, `flow:${spec.name}`, spec.scopes),
      signal: new AbortController().signal,
      op: (asked: OpSpec, work: (step: Step) => Promise<OpResult<Json>>) =>
        this.#take(asked, work, runId, steps),
    };
    try {
      // What flows use of a scope.
      const { status, value } = await body(scope as unknown as RunScope);
      return { ...report, status, value: copy(value) };
    } catch (error) {
      const { status, message, members } = toHttpError(error);
      throw new RunFailed(report, { code: members.code ?? 'internal', message, status });
    }
  }

  async #take(
    spec: OpSpec,
    work: (step: Step) => Promise<OpResult<Json>>,
    runId: string,
    steps: RunStep[],
  ): Promise<Json> {
    const seq = this.asked.push(spec);
    const { kind, name, input } = spec;
    const base = { seq, run_id: runId, agent: '', at_ms: 0, duration_ms: 0 };
    try {
      const { value } = await work(toStep(runId, seq));
      if (kind === 'ask') steps.push({ ...base, kind: 'model', result: value });
      else steps.push({ ...base, kind: 'tool_call', tool: name, arguments: input, ...errorOf(value) });
      return copy(value);
    } catch (error) {
      steps.push({ ...base, kind: 'model', error: (error as Error).message });
      throw error;
    }
  }

  decide = (): Promise<never> => Promise.reject(new Error('nobody is asked'));
  cancel = (): Promise<never> => Promise.reject(new Error('not here'));
  cancelOwn = (): Promise<never> => Promise.reject(new Error('not here'));
  memos = (): Promise<never> => Promise.reject(new Error('not here'));
  newestMemo = (): Promise<never> => Promise.reject(new Error('not here'));
  acknowledge = (): Promise<never> => Promise.reject(new Error('not here'));
  countRuns = async () => new Map();
  tailSteps = () => ({ read: async () => ({ steps: [], missed: false }) });
  read = async () => problemResponse(404, 'not here');

  async *follow(): AsyncGenerator<never> {}
}

function toStep(runId: string, seq: number): Step {
  return {
    ...{ runId, seq, key: `${runId}.${seq}`, grantedTokens: null },
    gate: () => Promise.reject(new Error('nobody is asked')),
    begin: async () => {},
    again: async () => true,
    record: async () => {},
    onDrop: () => {},
  };
}

function errorOf(value: Json): { readonly error?: string } {
  // Of a call, whatever came of it.
  const result = value as ToolResult;
  return result.ok ? {} : { error: result.message };
}

function toHttpError(error: unknown): HTTPError {
  if (error instanceof HTTPError) return error;
  if (error instanceof BudgetExhausted) throw error;
  return new HTTPError(500, 'internal error', { cause: error });
}

function copy<T extends Json>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

function noUsage({ tokenBudget }: RunSpec): RunUsage {
  return {
    ...{ steps: 0, toolCalls: 0, handoffs: 0, compactions: 0, imagesDropped: 0, inputTokens: 0 },
    ...{ outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, costMicros: 0, treeTokens: 0 },
    ...{ tokenBudget, treeBudget: tokenBudget },
  };
}
