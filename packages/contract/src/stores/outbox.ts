import type { Delivery } from './delivery.ts';

/** What has become of a delivery: it waits to be sent, was answered with 2xx, or was given up. */
export type DeliveryState = 'waiting' | 'delivered' | 'failed';

/** A delivery as an outbox keeps it. Times are those of the clock on the wall, as it was set then. */
export type KeptDelivery = Delivery & {
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly addedMs: number;
  /** From here on counts how long it may be tried: its addition, or when somebody wanted it sent again. */
  readonly sinceMs: number;
  /** When it is tried next, or was to be. */
  readonly dueMs: number;
  readonly triedMs: number | null;
  /** Of the last answer; null where none came. */
  readonly status: number | null;
  /** Why the last attempt failed, in a word that shows no URL. */
  readonly error: string | null;
};

/** How an attempt went, and what becomes of the delivery: `waiting` is tried again at `dueMs`, `failed` is given up. */
export type DeliveryAttempt = {
  readonly state: DeliveryState;
  readonly atMs: number;
  readonly dueMs: number;
  readonly status: number | null;
  readonly error: string | null;
};

/** How an endpoint is, as its sender decided after the last attempt. */
export type EndpointCondition = {
  /** Deliveries that failed one after another; 0 after each that arrived. */
  readonly failures: number;
  /** Nothing is sent before. */
  readonly pausedUntilMs: number | null;
  /** Nothing is sent until `redeliver`. */
  readonly stopped: boolean;
};

/** The line of one endpoint, in the order in which deliveries were added. */
export type DeliveryLine = EndpointCondition & {
  readonly endpoint: string;
  readonly waiting: number;
  readonly failed: number;
  /** Ever, as long as the line is kept. */
  readonly delivered: number;
  /** Waiting ones that had to make room for newer ones; ever, as long as the line is kept. */
  readonly dropped: number;
  /** Of the last attempt. */
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  readonly lastAtMs: number | null;
};

/**
 * Which delivery of a line is wanted: the oldest that is due, or the oldest or the one tried least, due or not. One that was
 * never tried is due, and so is one that was tried in the future: the clock was set back since.
 */
export type DeliveryChoice = {
  readonly endpoint: string;
  readonly by: 'due' | 'oldest' | 'least-tried';
};

/**
 * Deliveries until they are made or given up, and for a while after. Of each endpoint a bounded number is kept that is not
 * delivered, and of all together: then the oldest go of the endpoint that has too many, or has the most.
 */
export interface Outbox {
  /** Takes each id once, as long as it is kept. */
  add(delivery: Delivery, atMs: number): Promise<void>;
  /** Of each endpoint that has, or had, deliveries. */
  lines(): Promise<readonly DeliveryLine[]>;
  /** When the next delivery of each endpoint is due that has one. */
  soonest(): Promise<readonly { readonly endpoint: string; readonly dueMs: number }[]>;
  /** One waiting delivery of each line that has such a one. */
  next(choices: readonly DeliveryChoice[], nowMs: number): Promise<readonly KeptDelivery[]>;
  /** Counts an attempt and says how the endpoint is, in one commit. A delivery that does not wait any more stays as it is. */
  settle(
    delivery: Pick<Delivery, 'id' | 'endpoint'>,
    attempt: DeliveryAttempt,
    condition: EndpointCondition,
  ): Promise<void>;
  /** What waits because its endpoint could not be reached is due: an answer with one of `statuses`, or none. */
  release(endpoint: string, statuses: readonly number[], nowMs: number): Promise<void>;
  /** Gives up what waits since `sinceMs` at the latest; without it, all that waits. */
  giveUp(endpoint: string, error: string, sinceMs?: number): Promise<void>;
  /**
   * Makes due what waits or was given up, as if it were new, and lifts pause and stop. With an id that one alone, also where
   * it was delivered.
   *
   * @returns how many are due now
   */
  redeliver(endpoint: string, nowMs: number, id?: string): Promise<number>;
  /** Newest first. */
  kept(endpoint: string, limit: number): Promise<readonly KeptDelivery[]>;
  /** Forgets what was settled before `beforeMs`, and what waited since then for an endpoint that is not among these. */
  prune(beforeMs: number, endpoints: readonly string[]): Promise<void>;
}
