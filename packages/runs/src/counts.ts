import type { Host } from '@waymark/contract/engine';
import type { RunStore, SessionStore } from '@waymark/contract/stores';

/** Counts are at most so old (decision 10.1). */
const oldestMs = 100;

/** How long whoever asks is kept waiting by a store that does not answer. */
const patienceMs = 1_000;

/** Counts for health. */
export type RunCounts = Readonly<Record<'pending_approvals' | 'provider_waits' | 'sessions', number>>;

/** Stores that are counted, and a clock. */
export interface CountsParts extends Pick<Host, 'log' | 'monotonic'> {
  readonly store: Pick<RunStore, 'countPending' | 'countWaits'>;
  readonly sessions: Pick<SessionStore, 'count'>;
}

/** Counts when it is asked, and shares what it counted for a moment, unless this process changed it. */
export class Counts {
  readonly #parts: CountsParts;
  #known: RunCounts = { pending_approvals: 0, provider_waits: 0, sessions: 0 };
  #shared: { readonly counts: Promise<RunCounts>; readonly atMs: number } | undefined;

  constructor(parts: CountsParts) {
    this.#parts = parts;
  }

  /** Something was written after which there may be other counts: whoever asks from now on has it in them. */
  changed(): void {
    this.#shared = undefined;
  }

  /** Never rejects: a store that fails, or is too slow, leaves the counts as they were known last. */
  current(): Promise<RunCounts> {
    const nowMs = this.#parts.monotonic();
    if (!this.#shared || nowMs - this.#shared.atMs >= oldestMs)
      this.#shared = { counts: this.#count(), atMs: nowMs };
    return this.#shared.counts;
  }

  async #count(): Promise<RunCounts> {
    const { store, sessions, log } = this.#parts;
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('the store did not answer')), patienceMs);
    });
    try {
      const counting = Promise.all([store.countPending(), store.countWaits(), sessions.count()]);
      const [pending, waits, conversations] = await Promise.race([counting, patience]);
      this.#known = { pending_approvals: pending, provider_waits: waits, sessions: conversations };
    } catch (error) {
      log('warn', 'approvals, waits and sessions could not be counted', { error });
    } finally {
      clearTimeout(timer);
    }
    return this.#known;
  }
}
