import type {
  Approval,
  BegunCall,
  Fence,
  OpCommit,
  Redo,
  RunFinish,
  RunRecord,
  Transaction,
} from '@waymark/contract/stores';
import { isDropped, type LegState } from '../core/state.ts';
import type { EngineParts } from '../engine-parts.ts';
import { never } from './never.ts';
import { persist } from './persist.ts';

/** Thrown into the transaction of an effect whose run is no longer ours: nothing of it may stay. */
export class LostRun extends Error {
  override readonly name = 'LostRun';
}

/** Who hears of what is written. */
export interface JournalTold {
  /** Something was stored. */
  readonly onStep?: (() => void) | undefined;
  /** Something could not be stored, and is tried again. */
  readonly onFailure?: ((error: unknown) => void) | undefined;
}

/**
 * The fenced writes of one leg. Whoever waits for one that does not count any more waits for ever: the leg writes nothing
 * and answers nobody.
 */
export class Journal {
  readonly fence: Fence;
  readonly #parts: EngineParts;
  readonly #leg: Pick<LegState, 'phase'>;
  readonly #onLost: () => void;
  readonly #told: JournalTold;

  /**
   * @param leg what it writes counts as long as the leg does
   * @param onLost another owner has the root, or it was cancelled, or the store was out of reach for a whole lease
   */
  constructor(
    parts: EngineParts,
    fence: Fence,
    leg: Pick<LegState, 'phase'>,
    onLost: () => void,
    told: JournalTold = {},
  ) {
    this.#parts = parts;
    this.fence = fence;
    this.#leg = leg;
    this.#onLost = onLost;
    this.#told = told;
  }

  /** @returns the numbers of what was committed, in the order in which the store gives them */
  async commit(commit: OpCommit): Promise<readonly number[]> {
    const last = await this.#write(() => this.#parts.store.commit(this.fence, commit));
    this.#told.onStep?.();
    return toNumbers(last, commit);
  }

  /**
   * Commits with an effect. A failure undoes both, so it is thrown. It is stored when the transaction has ended: `recorded`
   * is called then.
   *
   * @throws {LostRun}
   */
  async record(commit: OpCommit, transaction: Transaction): Promise<readonly number[]> {
    if (isDropped(this.#leg)) throw new LostRun('the run is not ours any more');
    const last = await this.#parts.store.commit(this.fence, commit, transaction);
    if (last !== undefined && !isDropped(this.#leg)) return toNumbers(last, commit);
    if (last === undefined) this.#onLost();
    throw new LostRun('the run is not ours any more');
  }

  /** What the store has made of questions: since when they are asked is said by its clock. */
  approvals(ids: readonly string[]): Promise<readonly (Approval | undefined)[]> {
    return this.#write(() => Promise.all(ids.map((id) => this.#parts.store.approval(id))));
  }

  /** Nobody waits for it: what goes wrong is a row of the ledger that may be missing. */
  begin(call: BegunCall): void {
    const { store, log } = this.#parts;
    if (isDropped(this.#leg)) return;
    store.begin(this.fence, call).catch((error: unknown) => {
      log('warn', 'a call under way could not be noted', { run_id: this.fence.rootId, error });
    });
  }

  /** What was committed with an effect is stored by now. Inside its transaction nobody may be told: nothing else can be read there. */
  recorded(): void {
    this.#told.onStep?.();
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

  /** The root fails, whatever runs: nothing else is written any more. */
  seal(finish: RunFinish): Promise<number> {
    const isOver = (): boolean => this.#leg.phase === 'over';
    return this.#write(() => this.#parts.store.finish(this.fence, finish), isOver);
  }

  async #write<T>(
    work: () => Promise<T | undefined>,
    isOver: () => boolean = () => isDropped(this.#leg),
  ): Promise<T> {
    const written = await persist(this.#parts, this.fence.rootId, work, {
      over: isOver,
      failed: this.#told.onFailure,
    });
    if (written !== undefined && !isOver()) return written;
    if (!isOver()) this.#onLost();
    return never();
  }
}

function toNumbers(last: number, { ops, approvals = [] }: OpCommit): readonly number[] {
  let count = approvals.length;
  for (const { state } of ops) if (state === 'done' || state === 'failed') count++;
  if (count === 1) return [last];
  return Array.from({ length: count }, (_, i) => last - count + 1 + i);
}
