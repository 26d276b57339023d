import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { type Awaitable, goingOn } from '@waymark/contract/engine';
import { toSqlFault } from '../sql-fault.ts';
import type { SqlResult } from '../sql-result.ts';
import { unavailable } from '../to-db-error.ts';
import type { BoundStatement, Synchronous } from './driver.ts';
import type { GroupOutcome, Outcome } from './run-group.ts';
import type { SignalGiver } from './signal-giver.ts';
import { WriteOrder } from './write-order.ts';
import type { Writer } from './writer.ts';

/** Writes that are stored together with others. */
export interface GroupJob {
  readonly mode: 'group';
  /** What it outlasts, at least. */
  readonly synchronous: Synchronous;
  /** Whose it is: those that wait take turns by caller. */
  readonly caller?: unknown;
  /** All of them or none. */
  readonly statements: readonly BoundStatement[];
  /** It is stored. */
  done(results: readonly SqlResult[]): void;
  /** Nothing of it is stored. */
  failed(error: unknown): void;
}

/** Work that may wait, and has a transaction of its own. */
export interface AloneJob {
  readonly mode: 'alone';
  /** What it outlasts. */
  readonly synchronous: Synchronous;
  /** Whose it is: those that wait take turns by caller. */
  readonly caller?: unknown;
  /** Does the work; what it throws undoes all of it. It must not begin or end transactions. */
  work(writer: Writer): Promise<void>;
  /** It is stored. */
  done(): void;
  /** Nothing of it is stored. */
  failed(error: unknown): void;
}

/** One piece of work of a `WriteQueue`. */
export type WriteJob = GroupJob | AloneJob;

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
  /** How long a write may wait while another process holds the lock; then it is 503. */
  readonly deadlineMs: number;
  /** None in memory. */
  readonly place?: WritePlace | undefined;
  /** Makes what has to outlast the end of the power, where the event loop must not wait for that. */
  readonly aside?: Writer | undefined;
}

interface Wait {
  readonly untilMs: number;
  readonly giver: SignalGiver | undefined;
  /** Undefined until it is watched. */
  signal: AbortSignal | undefined;
  /** Lets go of the signal. */
  end(): void;
}

/** Writes stored by one COMMIT. */
const groupSize = 32;
/** Of those that are stored together so many are told, then others, until the milliseconds of a turn are used up. */
const toldTogether = 8;
const tellingMs = 2;
const firstRetryMs = 5;
const lastRetryMs = 100;

/** After a transaction that was open for longer, the next one waits until whoever else tries has tried. */
const longMs = 1_000;
const pauseMs = 2 * lastRetryMs;

/**
 * All writing of one process to one local database, up to 32 writes in one transaction, in the order of a `WriteOrder`: those
 * of a caller come in theirs, callers take turns, and a write waits for one transaction at most.
 *
 * A write is done when COMMIT returned and the file is still in its place, and not before. The event loop goes on while COMMIT
 * waits for the disk, and what comes meanwhile is the next group: the slower the disk, the larger the groups. `BEGIN IMMEDIATE`
 * is the only call that can find the database locked by another process: it is tried again after 5 ms and up to 100 ms, with
 * jitter, while the event loop turns.
 */
export class WriteQueue {
  readonly #writer: Writer;
  readonly #aside: Writer;
  readonly #maxWaiting: number;
  readonly #deadlineMs: number;
  readonly #place: WritePlace | undefined;
  // In the order they came; deadlines are in the same order.
  readonly #waiting = new Map<WriteJob, Wait>();
  readonly #order = new WriteOrder<WriteJob>();
  /** Those that are being written: they wait on only where the database is locked. */
  #begun: readonly WriteJob[] = [];
  /** Those whose signal nobody has asked for, since it was not known that they wait. */
  #unwatched: WriteJob[] = [];
  /** No transaction begins before. */
  #pauseUntilMs = 0;
  #pumping: Promise<void> | undefined;
  #closing = false;

  /** @param writer makes what need not outlast the end of the power */
  constructor(writer: Writer, { maxWaiting, deadlineMs, place, aside = writer }: WriteQueueOptions) {
    this.#writer = writer;
    this.#aside = aside;
    this.#maxWaiting = maxWaiting;
    this.#deadlineMs = deadlineMs;
    this.#place = place;
  }

  /**
   * @param giver takes the job back as long as it has not begun; one that is no signal is asked for its own where the job
   *   waits for others
   */
  add(job: WriteJob, giver?: AbortSignal | SignalGiver): void {
    const isSignal = giver instanceof AbortSignal;
    const refusal = isSignal && giver.aborted ? giver.reason : this.#refusal();
    if (refusal !== undefined) {
      job.failed(refusal);
      return;
    }
    this.#waiting.set(job, {
      untilMs: performance.now() + this.#deadlineMs,
      giver: isSignal ? { signal: giver } : giver,
      signal: undefined,
      end: () => undefined,
    });
    if (job.mode === 'alone') this.#order.addTransaction(job, job.caller);
    else this.#order.addWrite(job, job.caller);
    if (isSignal || this.#begun.length > 0) this.#watch(job);
    else if (giver) this.#unwatched.push(job);
    this.#pumping ??= this.#pump();
  }

  #watch(job: WriteJob): void {
    const wait = this.#waiting.get(job);
    const signal = wait?.giver?.signal;
    if (!wait || !signal) return;
    const abort = (): void => {
      if (!this.#begun.includes(job)) this.#fail(job, signal.reason);
    };
    wait.signal = signal;
    wait.end = () => signal.removeEventListener('abort', abort);
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
  }

  /** They wait for others from now on. */
  #watchAllBut(jobs: readonly WriteJob[]): void {
    const unwatched = this.#unwatched;
    this.#unwatched = unwatched.filter((job) => jobs.includes(job));
    for (const job of unwatched) if (!jobs.includes(job)) this.#watch(job);
  }

  #refusal(): unknown {
    if (this.#closing) return unavailable('is being closed');
    return this.#waiting.size - this.#begun.length >= this.#maxWaiting
      ? unavailable('has too much to write')
      : undefined;
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
      await this.#storeNext();
      await nextTurn();
    }
    this.#pumping = undefined;
  }

  /** Until a group is stored or refused, or nothing is left that waits. */
  async #storeNext(): Promise<void> {
    const startMs = performance.now();
    for (let retryMs = firstRetryMs; this.#waiting.size > 0; retryMs = Math.min(retryMs * 2, lastRetryMs)) {
      const jobs = this.#order.next(groupSize);
      const pauseLeftMs = jobs[0]?.mode === 'alone' ? this.#pauseUntilMs - startMs : 0;
      if (pauseLeftMs > 0) return sleep(pauseLeftMs);
      const gone = this.#place?.isGone ? this.#place.refusal('full') : undefined;
      this.#begun = jobs;
      if (this.#unwatched.length > 0) this.#watchAllBut(jobs);
      const pending = gone ?? this.#store(jobs);
      // Awaiting what is done already would let other work in between.
      const refusal = pending instanceof Promise ? await pending : pending;
      this.#begun = [];
      if (refusal !== undefined) this.#watchAllBut([]);
      this.#unwatched = [];
      if (refusal === undefined) return;
      if (!toSqlFault(refusal)?.code.startsWith('SQLITE_BUSY')) {
        for (const job of jobs) this.#fail(job, refusal);
        return;
      }
      this.#place?.locked(performance.now() - startMs);
      this.#failLate(jobs, refusal);
      await sleep(firstRetryMs + Math.random() * (retryMs - firstRetryMs));
    }
  }

  /** Writes that were taken back meanwhile, or waited too long; the rest is given another try. */
  #failLate(jobs: readonly WriteJob[], error: unknown): void {
    for (const job of jobs) {
      const signal = this.#waiting.get(job)?.signal;
      if (signal?.aborted) this.#fail(job, signal.reason);
    }
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
    this.#order.leave(job);
  }

  /** @returns why it could not begin */
  #store(jobs: readonly WriteJob[]): Awaitable<unknown> {
    const writer = mostOf(jobs) === 'full' ? this.#aside : this.#writer;
    const [first] = jobs;
    if (first?.mode === 'alone') return this.#runAlone(writer, first);
    // Of several none is alone.
    const group = jobs.filter((job) => job.mode === 'group');
    const pending = writer.group(group.map(({ statements }) => statements));
    return pending instanceof Promise
      ? pending.then(
          (outcome) => this.#settle(group, outcome),
          (error: unknown) => error,
        )
      : this.#settle(group, pending);
  }

  #settle(jobs: readonly GroupJob[], { refusal, outcomes, changed }: GroupOutcome): unknown {
    if (refusal !== undefined) return refusal;
    const stored = jobs.filter((_, i) => outcomes[i]?.kind === 'stored');
    const lost = stored.length > 0 ? this.#check(stored, changed) : undefined;
    const told = jobs.map((job, i) => ({ job, outcome: outcomes[i] }));
    for (const job of jobs) this.#leave(job);
    this.#tell(told, lost, performance.now());
    return undefined;
  }

  /** What they go on with is begun at once, as far as a turn of the event loop has room. @param sinceMs when it began */
  #tell(told: readonly Told[], lost: Error | undefined, sinceMs: number): void {
    for (const one of told.slice(0, toldTogether)) tell(one, lost);
    if (told.length <= toldTogether) return;
    const others = told.slice(toldTogether);
    // Behind all that those bring about as soon as nothing else is run.
    queueMicrotask(() =>
      process.nextTick(() => {
        if (performance.now() - sinceMs < tellingMs) this.#tell(others, lost, sinceMs);
        else this.#tellLater(others, lost);
      }),
    );
  }

  /** That of each caller in turn. */
  #tellLater(told: readonly Told[], lost: Error | undefined): void {
    for (const one of told)
      goingOn.wait(one.job.caller, () => {
        // The file may be gone by now.
        tell(one, lost ?? this.#place?.refusal(one.job.synchronous));
      });
  }

  /** Asked last: what is committed to a file without a name is gone when the process ends. */
  #check(stored: readonly WriteJob[], changed: boolean): Error | undefined {
    const refusal = this.#place?.refusal(mostOf(stored));
    if (!refusal) this.#place?.stored(changed);
    return refusal;
  }

  /** Another process can write while nothing does here: of transactions without a pause it would wait for all. */
  #ended(job: AloneJob, beganMs: number): void {
    this.#order.end(job);
    const nowMs = performance.now();
    if (nowMs - beganMs > longMs) this.#pauseUntilMs = nowMs + pauseMs;
  }

  async #runAlone(writer: Writer, job: AloneJob): Promise<unknown> {
    try {
      // In memory nothing may come between this and the work, which keeps readers out.
      const pending = writer.begin();
      if (pending instanceof Promise) await pending;
    } catch (error) {
      return error;
    }
    const startMs = performance.now();
    let refusal: Error | undefined;
    try {
      await job.work(writer);
      refusal = this.#check([job], await writer.commit());
      this.#ended(job, startMs);
    } catch (error) {
      // Of a thread that has ended nothing is open.
      await Promise.resolve(writer.rollBack()).catch(() => undefined);
      this.#ended(job, startMs);
      this.#fail(job, error);
      return undefined;
    }
    this.#leave(job);
    if (refusal) job.failed(refusal);
    else job.done();
    return undefined;
  }
}

/** A write, and what became of it. */
interface Told {
  readonly job: GroupJob;
  readonly outcome: Outcome | undefined;
}

/** @param lost why what was stored is not kept */
function tell({ job, outcome }: Told, lost: Error | undefined): void {
  if (outcome?.kind !== 'stored') job.failed(toReason(outcome));
  else if (lost) job.failed(lost);
  else job.done(outcome.results);
}

/** What is said of a write that is not stored. */
function toReason(outcome: Exclude<Outcome, { kind: 'stored' }> | undefined): unknown {
  const error = outcome?.error;
  return outcome?.kind === 'undone' ? unavailable('undid this together with another write', error) : error;
}

/** What all of them outlast together. */
function mostOf(jobs: readonly WriteJob[]): Synchronous {
  return jobs.some(({ synchronous }) => synchronous === 'full') ? 'full' : 'normal';
}
