import type { Json } from '../engine/json.ts';
import type { Insight } from '../hub/insight.ts';
import type { Spend } from '../models/spend.ts';
import type { Delivery } from './delivery.ts';
import type { Outbox } from './outbox.ts';

/** Sums of the ledger under one key. */
export interface SpendTotal extends Omit<Spend, 'provider' | 'estimated' | 'model'> {
  readonly key: string;
  readonly calls: number;
}

/** The spend ledger, as listings read it. Rows are written with the step that cost them. */
export interface UsageStore {
  append(rows: readonly (Spend & { readonly caller: string; readonly atMs: number })[]): Promise<void>;
  /**
   * Keys of `model` are `<provider>/<model>`, those of `hour` and `day` UTC: `2026-03-01T12:00:00Z`, `2026-03-01`. Sorted
   * by key.
   */
  totals(by: 'caller' | 'model' | 'hour' | 'day', sinceMs?: number): Promise<readonly SpendTotal[]>;
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

/** The audit log. Bounded: the oldest records go first. */
export interface AuditStore {
  append(records: readonly AuditRecord[]): Promise<void>;
  /** Newest first. `before` is the id of the last record seen. */
  list(filter: {
    readonly kind?: string;
    readonly runId?: string;
    readonly before?: string;
    readonly limit: number;
  }): Promise<readonly AuditRecord[]>;
}

/** Recent insights of each device. */
export interface InsightStore {
  /** Insight and its webhook delivery: one commit. The same run id and status twice is one insight; an empty run id never repeats. */
  publish(insight: Insight, delivery?: Delivery): Promise<void>;
  /** Newest last. */
  recent(device: string, limit: number): Promise<readonly Insight[]>;
}

/** Leases say who works on what, when several could; and how often something may happen. */
export interface Leases {
  /** `fence` grows with each new holder. Undefined: held by another. */
  acquire(
    key: string,
    holder: string,
    ttlMs: number,
    nowMs: number,
  ): Promise<{ readonly fence: number } | undefined>;
  release(key: string, holder: string): Promise<void>;
  /** Counts one use in a sliding window; false when `limit` is reached. On SQL it survives restarts. */
  take(key: string, limit: number, windowMs: number, nowMs: number): Promise<boolean>;
}

/** The stores that any package may use. Runs and sessions belong to the runner alone. */
export interface Stores {
  readonly usage: UsageStore;
  readonly audit: AuditStore;
  readonly insights: InsightStore;
  readonly outbox: Outbox;
  readonly leases: Leases;
}
