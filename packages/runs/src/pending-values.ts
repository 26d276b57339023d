import type { OpRecord } from '@waymark/contract';

/** Values of a frame that no commit took yet. Its code has them already; what acts on the world waits until they are stored. */
export class PendingValues {
  #rows: Omit<OpRecord, 'ord'>[] = [];
  #commit: Promise<unknown> | undefined;

  get some(): boolean {
    return this.#rows.length > 0;
  }

  /** The commit that took the last ones; undefined when there never were any. */
  get commit(): Promise<unknown> | undefined {
    return this.#commit;
  }

  add(row: Omit<OpRecord, 'ord'>): void {
    this.#rows.push(row);
  }

  /** Gives them to a commit. */
  take(): readonly Omit<OpRecord, 'ord'>[] {
    const rows = this.#rows;
    if (rows.length > 0) this.#rows = [];
    return rows;
  }

  takenBy(commit: Promise<unknown>): void {
    this.#commit = commit;
  }
}
