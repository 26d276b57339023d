/** How far a subscriber may fall behind, and how soon that is noticed. */
export interface StreamLimits {
  /** Frames on their way to a slow reader are at most about this old, unless it is further away; milliseconds. */
  readonly targetAgeMs: number;
  /** The slowest line on which they are that young at once, whatever it moved before; bytes per millisecond. */
  readonly promisedRate: number;
  /** The longest without a receipt asked of a subscriber that nothing is held back for, milliseconds. */
  readonly receiptEveryMs: number;
  /** The least time between two asked of one that has answered none yet, milliseconds. */
  readonly firstReceiptEveryMs: number;
  /** A subscriber that has answered none by then is taken for a client that never will, milliseconds. */
  readonly firstReceiptMs: number;
  /** Without any progress for so long, a subscriber is closed; milliseconds. */
  readonly stallMs: number;
  /** How long a measured round trip is believed when it holds a subscriber back, milliseconds. */
  readonly roundTripMs: number;
  /** Room for readings beside the frames on their way, bytes. */
  readonly slackBytes: number;
  /** Control messages that may wait for one subscriber. */
  readonly controlMessages: number;
}

/** What holds unless an audience is told otherwise. */
export const defaultStreamLimits: StreamLimits = {
  targetAgeMs: 400,
  promisedRate: 1_000,
  receiptEveryMs: 250,
  firstReceiptEveryMs: 50,
  firstReceiptMs: 5_000,
  stallMs: 15_000,
  roundTripMs: 10_000,
  slackBytes: 16_384,
  controlMessages: 32,
};
