import type { AuditRecord } from '@waymark/contract/stores';

/** What a backlog holds. */
export interface BacklogLimits {
  readonly events: number;
  /** Characters of JSON of the events that are added while the store is busy or refuses. */
  readonly length: number;
}

/** Events that were dropped: how many, and when the first and the last of them happened. */
export interface AuditGap {
  readonly events: number;
  readonly fromMs: number;
  readonly toMs: number;
  /** Of the last one, whose place in the log the record of the gap takes. */
  readonly id: string;
}

/** What is to be written next: a record of what is missing first, then the events, oldest first. */
export interface AuditBatch {
  readonly records: readonly AuditRecord[];
  readonly gap: AuditGap | undefined;
}

/** Events that wait for their store, oldest first. Beyond its limits the oldest are dropped, and counted. */
export class AuditBacklog {
  readonly #limits: BacklogLimits;
  #records: AuditRecord[] = [];
  /** As many as records; 0 for those that were not measured. */
  #lengths: number[] = [];
  #length = 0;
  #gap: AuditGap | undefined;

  constructor(limits: BacklogLimits) {
    this.#limits = limits;
  }

  /** How many events wait. */
  get size(): number {
    return this.#records.length;
  }

  /** What was dropped since the last batch was taken. */
  get gap(): AuditGap | undefined {
    return this.#gap;
  }

  /**
   * Adds the newest event.
   *
   * @param measured whether its length counts; while the store keeps up, nothing is kept for long, and to measure takes
   *   longer than all else that is done for an event
   */
  add(record: AuditRecord, measured: boolean): void {
    const length = measured ? lengthOf(record) : 0;
    if (length === undefined) {
      this.#drop(record);
      return;
    }
    this.#records.push(record);
    this.#lengths.push(length);
    this.#length += length;
    this.#trim();
  }

  /** Takes all of it. */
  take(): AuditBatch {
    const batch = { records: this.#records, gap: this.#gap };
    this.#records = [];
    this.#lengths = [];
    this.#length = 0;
    this.#gap = undefined;
    return batch;
  }

  /** Puts back a batch that was refused, before what came since. What no store can write is dropped. */
  putBack({ records, gap }: AuditBatch): void {
    const since = { records: this.#records, lengths: this.#lengths };
    this.#gap = join(gap, this.#gap);
    this.#records = [];
    this.#lengths = [];
    for (const record of records) {
      const length = lengthOf(record);
      if (length === undefined) this.#drop(record);
      else {
        this.#records.push(record);
        this.#lengths.push(length);
        this.#length += length;
      }
    }
    this.#records = this.#records.concat(since.records);
    this.#lengths = this.#lengths.concat(since.lengths);
    this.#trim();
  }

  #trim(): void {
    const { events, length } = this.#limits;
    while (this.#records.length > events || this.#length > length) {
      const oldest = this.#records.shift();
      if (!oldest) return;
      this.#length -= this.#lengths.shift() ?? 0;
      this.#drop(oldest);
    }
  }

  #drop({ id, at_ms: atMs }: AuditRecord): void {
    this.#gap = join(this.#gap, { events: 1, fromMs: atMs, toMs: atMs, id });
  }
}

/** The clock may have been set back between two events. */
function join(older: AuditGap | undefined, newer: AuditGap | undefined): AuditGap | undefined {
  if (!older || !newer) return older ?? newer;
  return {
    events: older.events + newer.events,
    fromMs: Math.min(older.fromMs, newer.fromMs),
    toMs: Math.max(older.toMs, newer.toMs),
    id: older.id > newer.id ? older.id : newer.id,
  };
}

/** Undefined for what no store can write: a plugin that is not typed may emit anything. */
function lengthOf(record: AuditRecord): number | undefined {
  if (typeof record.kind !== 'string') return undefined;
  try {
    return JSON.stringify(record).length;
  } catch {
    return undefined;
  }
}
