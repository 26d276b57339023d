import type { CallOptions } from './options.ts';

/** One thing that happened. Each type has members of its own. */
export interface LiveEvent {
  /** `ready` first; `missed` in the place of what cannot be told, with its `count`. */
  readonly type: string;
  readonly kind?: string;
  /** Epoch milliseconds. */
  readonly at_ms: number;
  /** Where to go on from: `lastEventId` of another call. */
  readonly event_id: string | undefined;
  readonly [member: string]: unknown;
}

/** From where a feed is read, and until when: it ends with its signal, or when nobody takes its events any more. */
export interface FeedOptions extends CallOptions {
  /** The `event_id` of the last event that was seen; from now on when it is left out. */
  readonly lastEventId?: string | undefined;
}
