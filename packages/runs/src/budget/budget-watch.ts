import type { Host } from '@waymark/contract/engine';
import type { RunRecord } from '@waymark/contract/stores';
import type { TokenCounter } from './token-budget.ts';

/** The part of a root's budget after which somebody is told. */
const warnedAt = 0.8;

/** Audits once that most of the root's budget is used; not again in a later leg. */
export class BudgetWatch {
  readonly #root: RunRecord;
  readonly #counter: TokenCounter;
  readonly #emit: Host['emit'];
  #warned: boolean;

  constructor(root: RunRecord, counter: TokenCounter, emit: Host['emit']) {
    this.#root = root;
    this.#counter = counter;
    this.#emit = emit;
    this.#warned = this.#isNear;
  }

  look(): void {
    if (this.#warned || !this.#isNear) return;
    this.#warned = true;
    const { used, limit } = this.#counter;
    this.#emit({ kind: 'budget_warning', run_id: this.#root.runId, tokens: used, token_budget: limit });
  }

  get #isNear(): boolean {
    const { used, limit } = this.#counter;
    return limit !== null && used >= warnedAt * limit;
  }
}
