import { type BigIntStats, existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from '../database/driver/connection.ts';
import { makePrivate } from '../database/private-files.ts';
import { toSqlFault } from '../database/sql-fault.ts';

/** Holders that are looked at in one go; the next start looks at those that are left. */
const maxLookedAt = 500;

/** Whoever looks whether a new holder is alive has its lock for less than this. */
const maxTries = 100;
const retryMs = 10;

/**
 * Tells whether the processes that share a database file are alive: each holds the lock on a file of its own beside it, and
 * the system lets go of that when the process ends, however it ends. Unlike the number of a process this holds over
 * containers, and cannot be given to another process later.
 */
export class HolderLocks {
  readonly #file: string;
  /** Those of this process: it is alive. Kept here, since a lock that nobody refers to is closed. */
  readonly #own = new Map<string, Connection>();

  /** @param file of the database */
  constructor(file: string) {
    this.#file = file;
  }

  /** @returns ends the life of the holder */
  async enter(holder: string): Promise<() => void> {
    const lock = await this.#enter(holder);
    this.#own.set(holder, lock);
    return () => {
      this.#own.delete(holder);
      this.#remove(holder, lock);
    };
  }

  /**
   * Takes away what is left of a holder that is gone.
   *
   * @param before done while nobody else can take it away; where this fails, it stays
   * @returns false: the holder is alive, or nobody can say
   */
  async bury(holder: string, before: () => Promise<void>): Promise<boolean> {
    // It ended in order, or was of a release that had no such file: its lease says how long to wait.
    if (this.#own.has(holder) || !existsSync(this.#path(holder))) return false;
    const lock = await this.#lock(holder).catch((error: unknown) => {
      if (isBusy(error)) return undefined;
      throw error;
    });
    if (!lock) return false;
    try {
      await before();
    } catch (error) {
      lock.close();
      throw error;
    }
    this.#remove(holder, lock);
    return true;
  }

  /** Holders that have a file, whether they are alive or not: some of them, if there are many. */
  list(): readonly string[] {
    const start = basename(this.#path(''));
    return (
      readdirSync(dirname(this.#file))
        .filter((name) => name.startsWith(start) && !/-(?:journal|wal|shm)$/.test(name))
        .map((name) => name.slice(start.length))
        .filter((holder) => !this.#own.has(holder))
        .slice(0, maxLookedAt)
        // Nothing is ever written to a file of ours.
        .filter((holder) => isEmptyFile(this.#node(holder)))
    );
  }

  /** Who looks whether this one is alive may be faster, and may take its file away. */
  async #enter(holder: string): Promise<Connection> {
    for (let tries = 1; ; tries++) {
      try {
        const lock = await this.#lock(holder);
        if (lock) return lock;
      } catch (error) {
        if (!isBusy(error) || tries >= maxTries) throw error;
      }
      await sleep(retryMs);
    }
  }

  /** @returns undefined: what was locked is not the file that has the name */
  async #lock(holder: string): Promise<Connection | undefined> {
    // The driver is native and large: what only declares does not wait for it.
    const { Connection } = await import('../database/driver/connection.ts');
    makePrivate(this.#path(holder));
    const before = this.#node(holder);
    const lock = new Connection(this.#path(holder), 'BEGIN EXCLUSIVE');
    if (isSameNode(before, this.#node(holder))) return lock;
    lock.close();
    return undefined;
  }

  /** The name goes before the lock: whoever has opened the file meanwhile sees that it is nobody's any more. */
  #remove(holder: string, lock: Connection): void {
    const path = this.#path(holder);
    try {
      rmSync(path, { force: true });
    } catch {
      // Some systems keep what is open. There, nobody else has it open below, or it stays.
    }
    lock.close();
    for (const end of ['', '-journal']) rmSync(path + end, { force: true });
  }

  #node(holder: string): BigIntStats | undefined {
    return statSync(this.#path(holder), { bigint: true, throwIfNoEntry: false });
  }

  #path(holder: string): string {
    return `${this.#file}-holder-${holder}`;
  }
}

function isEmptyFile(node: BigIntStats | undefined): boolean {
  return node?.isFile() === true && node.size === 0n;
}

function isSameNode(a: BigIntStats | undefined, b: BigIntStats | undefined): boolean {
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino;
}

function isBusy(error: unknown): boolean {
  return toSqlFault(error)?.code.startsWith('SQLITE_BUSY') ?? false;
}
