import type { EncodedMessages } from '@waymark/contract/engine';

/**
 * What a subscriber is sent. With `asking` it may be asked for a receipt without a ping of its own: that costs a reader
 * and a frame about as much as a small message, a ping that all share costs nothing.
 */
export interface Outgoing extends EncodedMessages {
  /** The same messages with the ping behind them. */
  readonly asking?: EncodedMessages;
  /** The number of that receipt. */
  readonly receipt?: number;
}
