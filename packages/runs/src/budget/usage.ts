import type { Spend } from '@waymark/contract/models';
import type { RunUsage } from '@waymark/contract/runs';
import type { OpRecord, RunRecord } from '@waymark/contract/stores';

/** All tokens of all attempts. Those of the cache are among the input. */
export function tokensOf(spend: readonly Spend[]): number {
  let tokens = 0;
  for (const { inputTokens, outputTokens } of spend) tokens += inputTokens + outputTokens;
  return tokens;
}

/** The usage of one run as of the last step it was given, so that a replay sees the same at the same place. */
export class UsageTally {
  readonly #kind: RunRecord['spec']['kind'];
  readonly #sums = {
    steps: 0,
    toolCalls: 0,
    handoffs: 0,
    compactions: 0,
    imagesDropped: 0,
    inputTokens: 0,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    treeTokens: 0,
  };
  #costMicros: number | null = 0;
  readonly #tokenBudget: number | null;
  readonly #treeBudget: number | null;

  constructor(run: RunRecord, root: RunRecord) {
    this.#kind = run.spec.kind;
    this.#tokenBudget = run.spec.tokenBudget;
    this.#treeBudget = root.spec.tokenBudget;
  }

  add(
    { kind, value, treeTokens }: Pick<OpRecord, 'kind' | 'value' | 'treeTokens'>,
    spend: readonly Spend[],
  ): void {
    const sums = this.#sums;
    const called = kind === 'call' || kind === 'run';
    if (this.#kind === 'agent' ? kind === 'model' : called || kind === 'ask' || kind === 'model')
      sums.steps++;
    if (called) sums.toolCalls++;
    if (kind === 'handoff') sums.handoffs++;
    if (kind === 'compaction') sums.compactions++;
    if (kind === 'model') sums.imagesDropped += droppedImages(value);
    for (const one of spend) {
      sums.inputTokens += one.inputTokens;
      sums.outputTokens += one.outputTokens;
      sums.cacheReadTokens += one.cacheReadTokens;
      sums.cacheWriteTokens += one.cacheWriteTokens;
      if (one.costMicros === null || this.#costMicros === null) this.#costMicros = null;
      else this.#costMicros += one.costMicros;
    }
    if (treeTokens > sums.treeTokens) sums.treeTokens = treeTokens;
  }

  get treeTokens(): number {
    return this.#sums.treeTokens;
  }

  get usage(): RunUsage {
    return {
      ...this.#sums,
      costMicros: this.#costMicros,
      tokenBudget: this.#tokenBudget,
      treeBudget: this.#treeBudget,
    };
  }
}

function droppedImages(value: OpRecord['value']): number {
  if (typeof value !== 'object' || value === null || !('imagesDropped' in value)) return 0;
  return typeof value.imagesDropped === 'number' ? value.imagesDropped : 0;
}
