import type { Json } from '../engine/json.ts';
import type { Insight } from '../hub/insight.ts';
import type { Spend } from '../models/spend.ts';
import type { EndedSessionStore } from '../principal/ended-session-store.ts';
import type { Delivery } from './delivery.ts';
import type { Outbox } from './outbox.ts';

/** Sums of the ledger under one key. */
export interface SpendTotal extends Omit<Spend, 'provider' | 'estimated' | 'model'> {
  readonly key: string;
  readonly calls: number;
}

/** Sums of the ledger for one caller and one model in one span of time. */
export interface SpendCell extends Omit<SpendTotal, 'key'> {
  /** The begin of the span, as keys of `hour` and `day` say it. */
  readonly time: string;
  readonly caller: string;
  /** `<provider>/<model>`. */
  readonly model: string;
}

/** The spend ledger, as listings read it. Rows are written with the step that cost them. */
export interface UsageStore {
  append(rows: readonly (Spend & { readonly caller: string; readonly atMs: number })[]): Promise<void>;
  /**
   * Keys of `model` are `<provider>/<model>`, those of `hour` and `day` UTC: `2026-03-01T12:00:00Z`, `2026-03-01`. Sorted
   * by key.
   */
  totals(by: 'caller' | 'model' | 'hour' | 'day', sinceMs?: number): Promise<readonly SpendTotal[]>;
  /** The newest spans first; of one span by caller, then by model. */
  cells(filter: {
    readonly bucket: 'hour' | 'day';
    readonly sinceMs?: number;
    readonly untilMs?: number;
    readonly limit: number;
  }): Promise<readonly SpendCell[]>;
}

/** Something that happened, as it is reported: `kind` is one of decision 8's words. */
export interface AuditEvent {
  readonly kind: string;
  readonly [field: string]: Json | undefined;
}

/** An event as it is kept: ids sort by time. */
export interface AuditRecord extends AuditEvent {
  readonly id: string;
  readonly at_ms: number;
}

/**
 * A place in the order in which records were stored: numbers grow by one. Where several processes write, that is not the order
 * of ids: a record may be stored after one of a later id, and nobody who reads on by number misses it.
 */
export interface AuditPlace {
  readonly n: number;
  /** Of the record that has this number; empty before the first one. */
  readonly id: string;
}

/** Records that were stored after a place, in that order. */
export interface AuditPage {
  readonly records: readonly { readonly n: number; readonly record: AuditRecord }[];
  /** The id of the record at the place that was asked for; undefined: it is not kept any more, or never was. */
  readonly at: string | undefined;
  /** The number of the oldest record that is kept; 0: none is. */
  readonly oldest: number;
  readonly newest: AuditPlace;
}

/** The audit log. Bounded: the oldest records go first. */
export interface AuditStore {
  append(records: readonly AuditRecord[]): Promise<void>;
  /**
   * What was stored after number `n`, by this process or another; 0: from the oldest one that is kept.
   *
   * @param kind of all records by default
   */
  following(n: number, limit: number, kind?: string): Promise<AuditPage>;
  /** How many records of each kind are kept of those with numbers from `after` + 1 to `upto`. */
  countKinds(after: number, upto: number): Promise<ReadonlyMap<string, number>>;
  /** Newest first. `before` is the id of the last record seen. */
  list(filter: {
    readonly kind?: string;
    readonly runId?: string;
    /** The member `principal` or `by`. */
    readonly principal?: string;
    /** The member `route`. */
    readonly route?: string;
    /** Of this time or later, epoch milliseconds. */
    readonly sinceMs?: number;
    /** Before this time. */
    readonly untilMs?: number;
    readonly before?: string;
    readonly limit: number;
  }): Promise<readonly AuditRecord[]>;
}

/** The picture that an insight is about, as its watcher judged it. */
export interface Evidence {
  readonly mediaType: string;
  /** Shared: nobody writes into them. */
  readonly bytes: Uint8Array;
  /** Opens it to whoever has no key; not to be guessed, and another one for each picture. */
  readonly token: string;
}

/** Evidence as it is kept. */
export interface KeptEvidence extends Evidence {
  /** When its insight was published, as that says; epoch milliseconds. */
  readonly atMs: number;
}

/** What goes along with an insight. */
export interface Publication {
  readonly deliveries?: readonly Delivery[];
  readonly evidence?: Evidence;
}

/** Recent insights of each device. */
export interface InsightStore {
  /**
   * Insight, deliveries and evidence: one commit. The same run id and status twice is one insight, whatever goes along: the
   * second changes nothing. Another status of a run that is kept replaces it, and is the newest then, unless that one
   * completed: nothing comes after it, and what a slower process tells late is no news. The evidence stays unless other is given. An empty run id is always new, and has no evidence.
   *
   * Evidence goes with its insight, and when that of its device takes more bytes than it may: the oldest first. What is
   * larger than that by itself is not kept.
   *
   * @returns false: it was published already
   */
  publish(insight: Insight, more?: Publication): Promise<boolean>;
  /** Newest last. */
  recent(device: string, limit: number): Promise<readonly Insight[]>;
  evidence(device: string, runId: string): Promise<KeptEvidence | undefined>;
  /** The run ids of a device whose evidence is kept. */
  withEvidence(device: string): Promise<ReadonlySet<string>>;
}

/**
 * How far the clocks of processes on one database may be apart, milliseconds. What is further ahead is of before the clock was
 * set back.
 */
export const clockSkewMs = 60_000;

/** Leases say who works on what, when several could; and how often something may happen. */
export interface Leases {
  /**
   * `fence` grows with each new holder. Undefined: held by another. What would end later than a minute after a lease of now
   * is held by nobody, since the clock was set back.
   */
  acquire(
    key: string,
    holder: string,
    ttlMs: number,
    nowMs: number,
  ): Promise<{ readonly fence: number } | undefined>;
  release(key: string, holder: string): Promise<void>;
  /**
   * Counts one use in a sliding window; false when `limit` is reached. On SQL it survives restarts. Uses of a later time, from
   * before the clock was set back, count as made now.
   */
  take(key: string, limit: number, windowMs: number, nowMs: number): Promise<boolean>;
  /** How many uses `take` has counted that still count: asking is no use. `windowMs` is that of `take`, or shorter. */
  used(key: string, windowMs: number, nowMs: number): Promise<number>;
}

/** The stores that any package may use. Runs and sessions belong to the runner alone. */
export interface Stores {
  readonly usage: UsageStore;
  readonly audit: AuditStore;
  readonly insights: InsightStore;
  readonly outbox: Outbox;
  readonly leases: Leases;
  readonly endedSessions: EndedSessionStore;
}
