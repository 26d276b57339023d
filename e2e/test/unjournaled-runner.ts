import type { Json } from '@waymark/contract';
import { type Call, problemResponse } from '@waymark/contract/engine';
import { narrow } from '@waymark/contract/principal';
import type { Runner, RunScope, RunSpec, RunUsage, Step } from '@waymark/contract/runs';

/**
 * A runner that narrows as the contract says and keeps nothing: runs happen at once, in memory, and every gate is
 * approved. For tests about who may do what.
 */
export function unjournaledRunner(): Runner {
  let runs = 0;
  return {
    async open(spec, call, _input, body) {
      const scope = scopeOf(`run-${runs++}`, call, spec);
      const { status, value } = await body(scope);
      return { status, value, runId: scope.runId, path: [spec.name], steps: [], usage };
    },
    decide: () => Promise.reject(new Error('no run of this runner waits')),
    cancel: () => Promise.reject(new Error('no run of this runner can be cancelled')),
    cancelOwn: () => Promise.reject(new Error('no run of this runner can be cancelled')),
    read: async (rootId) => problemResponse(404, `no run ${rootId}`),
    follow: () => {
      throw new Error('this runner keeps no events');
    },
    memos: () => Promise.reject(new Error('this runner keeps no memos')),
    newestMemo: () => Promise.reject(new Error('this runner keeps no memos')),
    acknowledge: () => Promise.reject(new Error('this runner keeps no memos')),
    countRuns: async () => new Map(),
    tailSteps: () => ({ read: async () => ({ steps: [], missed: false }) }),
  };
}

function scopeOf(runId: string, call: Call, spec: RunSpec): RunScope {
  let ops = 0;
  return {
    runId,
    rootId: runId,
    depth: 0,
    principal: narrow(call.principal, `${spec.kind}:${spec.name}`, spec.scopes),
    signal: call.signal ?? new AbortController().signal,
    replaying: false,
    deadlineMs: call.deadlineMs ?? Number.POSITIVE_INFINITY,
    definition: spec.definition ?? null,
    maxSteps: spec.maxSteps,
    history: async () => [],
    value: (_, make) => make(),
    peek: () => undefined,
    usage: () => usage,
    async op<T extends Json>(_: unknown, body: (step: Step) => Promise<{ readonly value: T }>) {
      const { value } = await body(stepOf(runId, ops++));
      return value;
    },
    write: () => undefined,
    onDrop: () => undefined,
  };
}

function stepOf(runId: string, seq: number): Step {
  return {
    runId,
    seq,
    key: `${runId}.${seq}`,
    grantedTokens: null,
    gate: () => Promise.resolve({ approved: true, note: '' }),
    begin: () => Promise.resolve(),
    again: async () => true,
    record: () => Promise.resolve(),
    onDrop: () => undefined,
  };
}

const usage: RunUsage = {
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
