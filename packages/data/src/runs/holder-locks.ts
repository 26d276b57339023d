import { existsSync, rmSync } from 'node:fs';
import type { Connection } from '../database/driver/connection.ts';
import { makePrivate } from '../database/private-files.ts';
import { toSqlFault } from '../database/sql-fault.ts';

/**
 * Tells whether the processes that share a database file are alive: each holds the lock on a file of its own beside it, and
 * the system lets go of that when the process ends, however it ends. Unlike the number of a process this holds over
 * containers, and cannot be given to another process later.
 */
export class HolderLocks {
  readonly #file: string;
  /** Those of this process: it is alive. */
  readonly #own = new Set<string>();

  /** @param file of the database */
  constructor(file: string) {
    this.#file = file;
  }

  /** @returns ends the life of the holder */
  async enter(holder: string): Promise<() => void> {
    const lock = await this.#lock(holder);
    this.#own.add(holder);
    return () => {
      this.#own.delete(holder);
      this.#remove(holder, lock);
    };
  }

  /** @returns undefined: the holder is alive, or nobody can say; else takes away what is left of it */
  async gone(holder: string): Promise<(() => void) | undefined> {
    // It ended in order, or was of a release that had no such file: its lease says how long to wait.
    if (this.#own.has(holder) || !existsSync(this.#path(holder))) return undefined;
    try {
      const lock = await this.#lock(holder);
      return () => this.#remove(holder, lock);
    } catch (error) {
      if (toSqlFault(error)?.code.startsWith('SQLITE_BUSY')) return undefined;
      throw error;
    }
  }

  async #lock(holder: string): Promise<Connection> {
    // The driver is native and large: what only declares does not wait for it.
    const { Connection } = await import('../database/driver/connection.ts');
    makePrivate(this.#path(holder));
    return new Connection(this.#path(holder), 'BEGIN EXCLUSIVE');
  }

  #remove(holder: string, lock: Connection): void {
    lock.close();
    for (const end of ['', '-journal']) rmSync(this.#path(holder) + end, { force: true });
  }

  #path(holder: string): string {
    return `${this.#file}-holder-${holder}`;
  }
}
