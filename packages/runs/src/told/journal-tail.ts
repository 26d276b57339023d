import type { StepNews, StepTail, ToldStep } from '@waymark/contract/runs';
import type { AuditRecord, RunHead, RunStore } from '@waymark/contract/stores';
import { retried, TailPlaces, unknown } from './tail-places.ts';
import { toPageSteps } from './to-steps.ts';

/** Roots that a tail keeps the place of. */
const mostRoots = 1_000;

/** Numbers of one root that are read at once, and steps that are given in one go. */
const pageSize = 32;
const mostSteps = 500;

/**
 * Reads the steps of all roots from the journal, as they come. It is told what was said of which roots, and asks the table how
 * far those have come: one cheap statement, and a page for each that has gone on.
 *
 * What is news is a matter of numbers, since clocks are set, and those of other processes differ: at first it is seen how far
 * the roots have come that have not ended; any other begins, or goes on after its end, later, and the number from which is known.
 */
export class JournalTail implements StepTail {
  readonly #store: Pick<RunStore, 'heads' | 'page'>;
  readonly #places = new TailPlaces(mostRoots);
  #hasBegun = false;

  constructor(store: Pick<RunStore, 'heads' | 'page'>) {
    this.#store = store;
  }

  async read(said: readonly AuditRecord[]): Promise<StepNews> {
    if (!this.#hasBegun) return this.#begin();
    for (const record of said) this.#hear(record);
    const roots = this.#places.open;
    if (roots.length === 0) return { steps: [], missed: false };
    const heads = await this.#store.heads({ roots, open: 0 });
    if (heads.length < roots.length) this.#forget(roots, heads);
    const steps: ToldStep[] = [];
    let missed = false;
    for (const head of heads) {
      if (steps.length >= mostSteps) break;
      missed = this.#place(head) || missed;
      steps.push(...(await this.#readRoot(head, mostSteps - steps.length)));
    }
    return { steps, missed };
  }

  async #begin(): Promise<StepNews> {
    const heads = await this.#store.heads({ roots: [], open: mostRoots });
    this.#hasBegun = true;
    for (const { rootId, lastOrd } of heads) this.#places.keep(rootId, lastOrd);
    if (heads.length === mostRoots) this.#places.lacksSome = true;
    return { steps: [], missed: false };
  }

  #hear({ kind, run_id: runId, at }: AuditRecord): void {
    if (typeof runId !== 'string') return;
    const [rootId = runId] = runId.split('.', 1);
    if (kind === 'run_started') this.#places.reopen(rootId, 0);
    // What it has of another root is history.
    else if (kind === 'run_forked' && typeof at === 'number') this.#places.reopen(rootId, at - 1);
    else this.#places.reopen(rootId, kind === 'run_retried' ? retried : unknown);
  }

  /** Finds the place of a root that was not seen to begin. @returns whether steps may be lost */
  #place({ rootId, lastOrd, retryOrd, ended }: RunHead): boolean {
    const place = this.#places.of(rootId);
    if (place >= 0) return false;
    // It may have rested for days, nobody knows at which number.
    const isLost = this.#places.lacksSome && lastOrd > 0;
    // It had ended before and is heard of late; or it goes on after its end, or is new and its begin was not written yet.
    const isOld = ended && place !== retried;
    this.#places.keep(rootId, isLost || isOld ? lastOrd : retryOrd);
    return isLost;
  }

  async #readRoot({ rootId, lastOrd, ended }: RunHead, most: number): Promise<ToldStep[]> {
    const told = this.#places.of(rootId);
    const steps: ToldStep[] = [];
    let seen = told;
    while (seen < lastOrd && steps.length < most) {
      const page = await this.#store.page(rootId, seen, pageSize);
      if (!page) break;
      const upto = Math.min(seen + pageSize, lastOrd);
      for (const { arguments: _, result: __, ...step } of toPageSteps(page, seen, upto)) {
        // The audit log tells of approvals.
        if (step.kind === 'approval_requested' || step.kind === 'approval_decided') continue;
        steps.push({ ...step, root_run_id: rootId });
      }
      seen = upto;
    }
    if (seen > told) this.#places.keep(rootId, seen);
    if (ended && seen >= lastOrd) this.#places.end(rootId);
    return steps;
  }

  /** What is not there was deleted, or never was a root. */
  #forget(asked: readonly string[], heads: readonly RunHead[]): void {
    const found = new Set(heads.map(({ rootId }) => rootId));
    for (const rootId of asked) if (!found.has(rootId)) this.#places.forget(rootId);
  }
}
