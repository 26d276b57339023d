import type {
  Approval,
  BegunCall,
  Fence,
  OpCommit,
  Redo,
  RunFinish,
  RunRecord,
  Transaction,
} from '@waymark/contract';
import type { EngineParts } from './engine-parts.ts';
import { never } from './never.ts';
import { persist } from './persist.ts';

/** Thrown into the transaction of an effect whose run is no longer ours: nothing of it may stay. */
export class LostRun extends Error {
  override readonly name = 'LostRun';
}

/**
 * The fenced writes of one leg. Whoever waits for one that does not count any more waits for ever: the leg writes nothing
 * and answers nobody.
 */
export class Journal {
  readonly fence: Fence;
  readonly #parts: EngineParts;
  readonly #onLost: () => void;
  readonly #onStep: (() => void) | undefined;
  #sealed = false;
  #closed = false;

  /**
   * @param onLost another owner has the root, or it was cancelled, or the store was out of reach for a whole lease
   * @param onStep something was stored
   */
  constructor(parts: EngineParts, fence: Fence, onLost: () => void, onStep?: () => void) {
    this.#parts = parts;
    this.fence = fence;
    this.#onLost = onLost;
    this.#onStep = onStep;
  }

  /** @returns the numbers of what was committed, in the order in which the store gives them */
  async commit(commit: OpCommit): Promise<readonly number[]> {
    const last = await this.#write(() => this.#parts.store.commit(this.fence, commit));
    this.#onStep?.();
    return toNumbers(last, commit);
  }

  /**
   * Commits with an effect. A failure undoes both, so it is thrown. It is stored when the transaction has ended: `recorded`
   * is called then.
   *
   * @throws {LostRun}
   */
  async record(commit: OpCommit, transaction: Transaction): Promise<readonly number[]> {
    if (this.#sealed) throw new LostRun('the run is not ours any more');
    const last = await this.#parts.store.commit(this.fence, commit, transaction);
    if (last !== undefined && !this.#sealed) return toNumbers(last, commit);
    if (last === undefined) this.#lose();
    throw new LostRun('the run is not ours any more');
  }

  /** What the store has made of questions: since when they are asked is said by its clock. */
  approvals(ids: readonly string[]): Promise<readonly (Approval | undefined)[]> {
    return this.#write(() => Promise.all(ids.map((id) => this.#parts.store.approval(id))));
  }

  /** Nobody waits for it: what goes wrong is a row of the ledger that may be missing. */
  begin(call: BegunCall): void {
    const { store, log } = this.#parts;
    if (this.#sealed) return;
    store.begin(this.fence, call).catch((error: unknown) => {
      log('warn', 'a call under way could not be noted', { run_id: this.fence.rootId, error });
    });
  }

  /** What was committed with an effect is stored by now. Inside its transaction nobody may be told: nothing else can be read there. */
  recorded(): void {
    this.#onStep?.();
  }

  startChild(run: RunRecord): Promise<number> {
    return this.#write(() => this.#parts.store.startChild(this.fence, run));
  }

  /** @param alone nothing else ends with the run */
  finish(finish: RunFinish, alone: boolean): Promise<number> {
    return this.#write(() => this.#parts.store.finish(this.fence, alone ? { ...finish, alone } : finish));
  }

  /** Failures of a run are undone. */
  redo(redo: Redo): Promise<number> {
    return this.#write(() => this.#parts.store.redo(this.fence, redo));
  }

  /** The root ends: nothing is written any more but this. */
  seal(finish: RunFinish): Promise<number> {
    this.#sealed = true;
    return this.#write(() => this.#parts.store.finish(this.fence, finish), 'last');
  }

  /** From now on nothing is written. */
  close(): void {
    this.#sealed = true;
    this.#closed = true;
  }

  async #write<T>(work: () => Promise<T | undefined>, rank?: 'last'): Promise<T> {
    const over = (): boolean => (rank === 'last' ? this.#closed : this.#sealed);
    const written = await persist(this.#parts, this.fence.rootId, work, over);
    if (written !== undefined && !over()) return written;
    if (!over()) this.#lose();
    return never();
  }

  #lose(): void {
    if (this.#closed) return;
    this.close();
    this.#onLost();
  }
}

function toNumbers(last: number, { ops, approvals = [] }: OpCommit): readonly number[] {
  const settled = ops.filter(({ state }) => state === 'done' || state === 'failed').length;
  const count = settled + approvals.length;
  return Array.from({ length: count }, (_, i) => last - count + 1 + i);
}
