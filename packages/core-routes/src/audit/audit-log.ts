import type { Log, Trouble } from '@waymark/contract/engine';
import type { AuditEvent, AuditRecord, AuditStore } from '@waymark/contract/stores';
import { AuditBacklog, type AuditBatch, type AuditGap } from './audit-backlog.ts';

/** Events collect this long before they are written together; what is younger may be lost when the process is killed. */
const batchMs = 100;

/** What waits while the store is slow or refuses. */
const limits = { events: 10_000, length: 16 * 1_048_576 };

/** A refused batch is tried again after so long, which doubles up to the longest. */
const firstPauseMs = 100;
const longestPauseMs = 5_000;

/** A batch that waits longer is a trouble of the service. */
const behindMs = 1_000;

/** How long `flush` tries. */
const flushMs = 3_000;

/** Audit log that writes events to its store in batches. */
export interface AuditLog {
  /**
   * Takes an event without waiting. At most 10,000 wait, and 16 MiB of JSON; then the oldest are dropped, which one event
   * `audit_gap` says as soon as the store takes events again.
   */
  emit(event: AuditEvent): void;
  /**
   * Writes the events that wait, and resolves when they are stored; call it before the process ends. What is not stored
   * after so long is dropped and logged as lost.
   *
   * @param withinMs 3 s by default
   */
  flush(withinMs?: number): Promise<void>;
  /** `audit-behind` while events have waited for more than a second. */
  troubles(): readonly Trouble[];
}

/** What an audit log works with. */
export interface AuditLogParts {
  readonly now: () => number;
  readonly newId: () => string;
  readonly log: Log;
  /** Milliseconds of a clock that is never set; default: `performance.now`. */
  readonly monotonic?: () => number;
  /** Random number from 0, below 1, for the pauses between attempts; default: `Math.random`. */
  readonly random?: () => number;
}

/**
 * Makes an audit log over a store. An event gets its id and time when it is emitted, and is written within about 100 ms. A
 * batch that the store refuses is kept and tried again, in order, until it is taken.
 */
export function createAuditLog(store: AuditStore, parts: AuditLogParts): AuditLog {
  const log = new BatchedAuditLog(store, parts);
  return {
    emit: (event) => log.emit(event),
    flush: (withinMs) => log.flush(withinMs),
    troubles: () => log.troubles(),
  };
}

class BatchedAuditLog implements AuditLog {
  readonly #store: AuditStore;
  readonly #parts: Required<AuditLogParts>;
  readonly #backlog = new AuditBacklog(limits);
  #timer: NodeJS.Timeout | undefined;
  /** One batch at a time: what happens meanwhile waits in the backlog, where it is counted. */
  #writing: Promise<void> | undefined;
  #beganMs = 0;
  /** Attempts in a row that failed, and those since the pauses between them began to grow. */
  #refusals = 0;
  #pauses = 0;
  /** Ends the pause before the next attempt. */
  #hurry = (): void => {};
  #underWay: AuditBatch | undefined;
  /** Was under way when a flush ran out of time: not kept, whatever becomes of it. */
  #abandoned: AuditBatch | undefined;

  constructor(store: AuditStore, parts: AuditLogParts) {
    this.#store = store;
    this.#parts = { monotonic: () => performance.now(), random: Math.random, ...parts };
  }

  emit(event: AuditEvent): void {
    const { newId, now } = this.#parts;
    const before = this.#backlog.gap;
    this.#backlog.add({ ...event, id: newId(), at_ms: now() }, this.#writing !== undefined);
    this.#noticeLoss(before);
    if (!this.#writing) this.#timer ??= setTimeout(() => void this.#write(), batchMs).unref();
  }

  async flush(withinMs = flushMs): Promise<void> {
    this.#pauses = 0;
    this.#hurry();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        this.#giveUp();
        resolve();
      }, withinMs);
    });
    await Promise.race([late, this.#write()]);
    clearTimeout(timer);
  }

  troubles(): readonly Trouble[] {
    const waits = this.#writing !== undefined && this.#parts.monotonic() - this.#beganMs > behindMs;
    return waits ? [behind] : [];
  }

  #write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
      // What came in between.
      if (this.#hasMore()) void this.#write();
    });
    return this.#writing;
  }

  async #writeAll(): Promise<void> {
    this.#beganMs = this.#parts.monotonic();
    while (this.#hasMore()) {
      const batch = this.#backlog.take();
      this.#underWay = batch;
      try {
        await this.#store.append(toRecords(batch));
        this.#underWay = undefined;
        this.#taken(batch);
      } catch (error) {
        this.#underWay = undefined;
        if (batch !== this.#abandoned) await this.#refused(batch, error);
      }
    }
  }

  #hasMore(): boolean {
    return this.#backlog.size > 0 || this.#backlog.gap !== undefined;
  }

  #taken({ gap }: AuditBatch): void {
    const { log, monotonic } = this.#parts;
    if (this.#refusals > 0)
      log('info', 'audit events are written again', {
        waited_ms: Math.round(monotonic() - this.#beganMs),
      });
    if (gap) log('warn', 'audit events are lost', toFields(gap));
    this.#refusals = 0;
    this.#pauses = 0;
    this.#beganMs = monotonic();
  }

  async #refused(batch: AuditBatch, error: unknown): Promise<void> {
    const before = batch.gap ?? this.#backlog.gap;
    this.#backlog.putBack(batch);
    if (this.#refusals++ === 0)
      this.#parts.log('error', 'audit events wait: the store refuses them', {
        events: this.#backlog.size,
        error,
      });
    this.#noticeLoss(before);
    const pauseMs = Math.min(firstPauseMs * 2 ** this.#pauses++, longestPauseMs);
    await this.#pause(pauseMs * (1 - this.#parts.random() / 2));
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms).unref();
      this.#hurry = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Told at once, since the store may never answer, and counted for the end. */
  #noticeLoss(before: AuditGap | undefined): void {
    if (!before && this.#backlog.gap)
      this.#parts.log('warn', 'audit events are lost: more wait than are kept');
  }

  #giveUp(): void {
    const left = this.#backlog.take();
    this.#abandoned = this.#underWay;
    const batches = [this.#abandoned, left];
    const events = batches.reduce(
      (sum, one) => sum + (one ? one.records.length + (one.gap?.events ?? 0) : 0),
      0,
    );
    this.#parts.log('error', 'audit events are lost: the store did not take them in time', { events });
    this.#hurry();
  }
}

const behind: Trouble = {
  code: 'audit-behind',
  message:
    'Audit events cannot be written: they wait in memory, the newest 10,000 of them, until the database takes them again.',
};

function toRecords({ records, gap }: AuditBatch): readonly AuditRecord[] {
  if (!gap) return records;
  return [{ id: gap.id, at_ms: gap.toMs, kind: 'audit_gap', ...toFields(gap) }, ...records];
}

function toFields({ events, fromMs, toMs }: AuditGap): { events: number; from_ms: number; to_ms: number } {
  return { events, from_ms: fromMs, to_ms: toMs };
}
