import type { StepTail, ToldStep } from '@waymark/contract/runs';
import type { RunHead, RunStore } from '@waymark/contract/stores';
import { toPageSteps } from './to-steps.ts';

/** Roots that a tail keeps the place of; the one that nothing was heard of for longest is forgotten first. */
const mostRoots = 1_000;

/** Roots under way that are known from the beginning. */
const mostRunning = 500;

/** Numbers of one root that are read at once, and steps that are given in one go. */
const pageSize = 32;
const mostSteps = 500;

/** Where a tail has read to, of a root of which it only knows that something happened. */
const unknown = -1;

/** What a tail works with. */
interface TailParts {
  readonly store: Pick<RunStore, 'heads' | 'page'>;
  readonly now: () => number;
}

/**
 * Reads the steps of all roots from the journal, as they come. It is told which roots to look at, and asks the table how far
 * those have come: one cheap statement, and a page for each that has gone on.
 */
export class JournalTail implements StepTail {
  readonly #parts: TailParts;
  /** The number of each root that was told last; those heard of last stand last. */
  readonly #told = new Map<string, number>();
  /** Those of them that have ended: not looked at again until something is heard of them. */
  readonly #ended = new Set<string>();
  #beganMs: number | undefined;

  constructor(parts: TailParts) {
    this.#parts = parts;
  }

  async read(touched: Iterable<string>): Promise<readonly ToldStep[]> {
    const isFirst = this.#beganMs === undefined;
    this.#beganMs ??= this.#parts.now();
    for (const runId of touched) {
      const [rootId = runId] = runId.split('.', 1);
      this.#ended.delete(rootId);
      this.#keep(rootId, this.#told.get(rootId) ?? unknown);
    }
    const roots = [...this.#told.keys()].filter((rootId) => !this.#ended.has(rootId));
    if (roots.length === 0 && !isFirst) return [];
    const heads = await this.#parts.store.heads({ roots, running: isFirst ? mostRunning : 0 });
    if (isFirst) {
      for (const { rootId, lastOrd } of heads) this.#keep(rootId, lastOrd);
      return [];
    }
    if (heads.length < roots.length) this.#forget(roots, heads);
    const steps: ToldStep[] = [];
    for (const head of heads) {
      if (steps.length >= mostSteps) break;
      steps.push(...(await this.#readRoot(head, mostSteps - steps.length)));
    }
    return steps;
  }

  async #readRoot({ rootId, lastOrd, createdMs, ended }: RunHead, most: number): Promise<ToldStep[]> {
    const beganMs = this.#beganMs ?? 0;
    const told = this.#told.get(rootId) ?? unknown;
    // What was recorded of it before anybody listened is no news.
    const isOld = told === unknown && createdMs < beganMs;
    const first = told === unknown ? (isOld ? Math.max(0, lastOrd - pageSize) : 0) : told;
    const steps: ToldStep[] = [];
    let seen = first;
    while (seen < lastOrd && steps.length < most) {
      const page = await this.#parts.store.page(rootId, seen, pageSize);
      if (!page) break;
      const upto = Math.min(seen + pageSize, lastOrd);
      for (const { arguments: _, result: __, ...step } of toPageSteps(page, seen, upto)) {
        // The audit log tells of approvals.
        if (step.kind === 'approval_requested' || step.kind === 'approval_decided') continue;
        const isNews = !isOld || step.at_ms + step.duration_ms >= beganMs;
        if (isNews) steps.push({ ...step, root_run_id: rootId });
      }
      seen = upto;
    }
    if (seen > told) this.#keep(rootId, seen);
    if (ended && seen >= lastOrd) this.#ended.add(rootId);
    return steps;
  }

  #keep(rootId: string, ord: number): void {
    this.#told.delete(rootId);
    this.#told.set(rootId, ord);
    if (this.#told.size <= mostRoots) return;
    for (const oldest of this.#told.keys()) {
      this.#told.delete(oldest);
      this.#ended.delete(oldest);
      return;
    }
  }

  /** What is not there was deleted, or never was a root. */
  #forget(asked: readonly string[], heads: readonly RunHead[]): void {
    const found = new Set(heads.map(({ rootId }) => rootId));
    for (const rootId of asked) if (!found.has(rootId)) this.#told.delete(rootId);
  }
}
