import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { toSqlFault } from '../sql-fault.ts';
import { unavailable } from '../to-db-error.ts';
import type { Connection } from './connection.ts';
import type { Synchronous } from './driver.ts';

/** One piece of work on the writing connection. It must not begin or end transactions. */
export interface WriteJob {
  /** `group`: done at once, stored together with others. `alone`: may wait, and has a transaction of its own. */
  readonly mode: 'group' | 'alone';
  /** What it outlasts, at least. */
  readonly synchronous: Synchronous;
  /**
   * Does the work, whole or not at all. What it throws is the trouble of this work only.
   *
   * @param only nothing else is in the transaction, which is undone when this throws
   */
  work(connection: Connection, only: boolean): void | Promise<void>;
  /** It is stored. */
  done(): void;
  /** Nothing of it is stored. */
  failed(error: unknown): void;
}

/** Where a `WriteQueue` writes, as seen from outside. */
export interface WritePlace {
  /** Whether it was not there when that was looked at last. */
  readonly isGone: boolean;
  /**
   * Looks whether what was written is kept. Asked once for each commit, on the event loop.
   *
   * @param outlasts what the commit should
   * @returns why it is not
   */
  refusal(outlasts: Synchronous): Error | undefined;
  /** Something is stored. @param changed whether it had to be written */
  stored(changed: boolean): void;
  /** Another process has kept the lock for so long by now. */
  locked(ms: number): void;
}

/** The limits of a `WriteQueue`. */
export interface WriteQueueOptions {
  /** Writes that wait, 1 or more; one more is refused (503). */
  readonly maxWaiting: number;
  /** How long a write may wait to begin; then it is 503. */
  readonly deadlineMs: number;
  /** None in memory. */
  readonly place?: WritePlace | undefined;
}

interface Wait {
  readonly untilMs: number;
  /** Lets go of the signal. */
  end(): void;
}

/** Writes stored by one COMMIT. */
const groupSize = 32;
const firstRetryMs = 5;
const lastRetryMs = 100;

/**
 * All writing of one process to one local database, in order, up to 32 writes in one transaction.
 *
 * A write is done when COMMIT returned and the file is still in its place, and not before. The event loop goes on while COMMIT
 * waits for the disk, and what comes meanwhile is the next group: the slower the disk, the larger the groups. `BEGIN IMMEDIATE`
 * is the only call that can find the database locked by another process: it is tried again after 5 ms and up to 100 ms, with
 * jitter, while the event loop turns.
 */
export class WriteQueue {
  readonly #connection: Connection;
  readonly #maxWaiting: number;
  readonly #deadlineMs: number;
  readonly #place: WritePlace | undefined;
  // In the order they came; deadlines are in the same order.
  readonly #waiting = new Map<WriteJob, Wait>();
  #pumping: Promise<void> | undefined;
  #closing = false;

  constructor(connection: Connection, { maxWaiting, deadlineMs, place }: WriteQueueOptions) {
    this.#connection = connection;
    this.#maxWaiting = maxWaiting;
    this.#deadlineMs = deadlineMs;
    this.#place = place;
  }

  /** @param signal takes the job back as long as it has not begun */
  add(job: WriteJob, signal?: AbortSignal): void {
    const refusal = this.#refusal(signal);
    if (refusal !== undefined) {
      job.failed(refusal);
      return;
    }
    const abort = (): void => {
      this.#leave(job);
      job.failed(signal?.reason);
    };
    signal?.addEventListener('abort', abort);
    this.#waiting.set(job, {
      untilMs: performance.now() + this.#deadlineMs,
      end: () => signal?.removeEventListener('abort', abort),
    });
    this.#pumping ??= this.#pump();
  }

  #refusal(signal: AbortSignal | undefined): unknown {
    if (signal?.aborted) return signal.reason;
    if (this.#closing) return unavailable('is being closed');
    return this.#waiting.size >= this.#maxWaiting ? unavailable('has too much to write') : undefined;
  }

  /** Stops taking work and finishes what waits, each within its deadline. */
  async close(): Promise<void> {
    this.#closing = true;
    await this.#pumping;
  }

  async #pump(): Promise<void> {
    // Everything that comes in one turn of the event loop is one group, and the loop turns between groups.
    await nextTurn();
    while (this.#waiting.size > 0) {
      const jobs = await this.#begin();
      if (jobs) await this.#runGroup(jobs);
      await nextTurn();
    }
    this.#pumping = undefined;
  }

  /** @returns the group that the transaction is for; undefined when nothing is left that waits, or the database refused for another reason than a lock */
  async #begin(): Promise<readonly WriteJob[] | undefined> {
    const startMs = performance.now();
    for (let retryMs = firstRetryMs; this.#waiting.size > 0; retryMs = Math.min(retryMs * 2, lastRetryMs)) {
      const jobs = this.#nextGroup();
      const refusal = this.#place?.isGone ? this.#place.refusal('full') : undefined;
      if (refusal) {
        for (const job of jobs) this.#fail(job, refusal);
        return undefined;
      }
      try {
        this.#connection.begin(mostOf(jobs));
        for (const job of jobs) this.#leave(job);
        return jobs;
      } catch (error) {
        if (!toSqlFault(error)?.code.startsWith('SQLITE_BUSY')) {
          this.#rollBack();
          for (const job of jobs) this.#fail(job, error);
          return undefined;
        }
        this.#place?.locked(performance.now() - startMs);
        this.#failLate(error);
      }
      await sleep(firstRetryMs + Math.random() * (retryMs - firstRetryMs));
    }
    return undefined;
  }

  /** Writes that waited too long; the rest is given another try. */
  #failLate(error: unknown): void {
    const nowMs = performance.now();
    for (const [job, { untilMs }] of this.#waiting) {
      if (untilMs > nowMs) return;
      this.#fail(job, error);
    }
  }

  #fail(job: WriteJob, error: unknown): void {
    this.#leave(job);
    job.failed(error);
  }

  #leave(job: WriteJob): void {
    this.#waiting.get(job)?.end();
    this.#waiting.delete(job);
  }

  #nextGroup(): readonly WriteJob[] {
    const jobs: WriteJob[] = [];
    for (const job of this.#waiting.keys()) {
      if (jobs.length > 0 && (job.mode === 'alone' || jobs.length === groupSize)) break;
      jobs.push(job);
      if (job.mode === 'alone') break;
    }
    return jobs;
  }

  async #runGroup(jobs: readonly WriteJob[]): Promise<void> {
    const worked: WriteJob[] = [];
    for (const job of jobs) {
      try {
        const pending = job.work(this.#connection, jobs.length === 1);
        // Awaiting what is done already would let other work in between.
        if (pending) await pending;
        worked.push(job);
      } catch (error) {
        if (job.mode === 'group' && this.#connection.inTransaction && !endsGroup(error)) {
          job.failed(error);
          continue;
        }
        // SQLite has undone everything, or nothing can be trusted: what nobody was told is stored is given up.
        this.#rollBack();
        job.failed(error);
        const lost = [...worked, ...jobs.slice(jobs.indexOf(job) + 1)];
        const reason = endsGroup(error)
          ? error
          : unavailable('undid this together with another write', error);
        for (const other of lost) other.failed(reason);
        return;
      }
    }
    if (worked.length > 0) await this.#commit(worked);
    else this.#rollBack();
  }

  async #commit(worked: readonly WriteJob[]): Promise<void> {
    try {
      const pending = this.#connection.commit();
      if (pending) await pending;
    } catch (error) {
      this.#rollBack();
      for (const job of worked) job.failed(error);
      return;
    }
    // Asked last: what is committed to a file without a name is gone when the process ends.
    const refusal = this.#place?.refusal(mostOf(worked));
    if (!refusal) this.#place?.stored(this.#connection.hasChanged);
    for (const job of worked) {
      if (refusal) job.failed(refusal);
      else job.done();
    }
  }

  #rollBack(): void {
    if (!this.#connection.inTransaction) return;
    try {
      this.#connection.exec('ROLLBACK');
    } catch {
      // SQLite rolls back by itself when it has to; the next BEGIN shows whether it did.
    }
  }
}

/** What all of them outlast together. */
function mostOf(jobs: readonly WriteJob[]): Synchronous {
  return jobs.some(({ synchronous }) => synchronous === 'full') ? 'full' : 'normal';
}

/** Troubles of the database itself, not of the write that met them. */
function endsGroup(error: unknown): boolean {
  const code = toSqlFault(error)?.code ?? '';
  return /^SQLITE_(FULL|IOERR|CORRUPT|NOTADB|NOMEM|CANTOPEN|READONLY|BUSY|LOCKED)/.test(code);
}
