/** How one subscriber of a stream is doing, for listings. */
export interface SubscriberFacts {
  /** It asked for headers alone. */
  readonly meta: boolean;
  /** Frames and readings that were sent to it. */
  readonly delivered: number;
  /** Frames and readings that newer ones replaced, those included that its own `fps` left out. */
  readonly skipped: number;
  /** Sent, and not confirmed; without receipts, what its socket holds back. */
  readonly inFlightBytes: number;
  /** How long the oldest of these is on its way, milliseconds; 0 when all is confirmed. */
  readonly ageMs: number;
  /** The round trip of its line when empty, milliseconds; undefined until the first receipt. */
  readonly rttMs: number | undefined;
  /** `absent`: the client answers no pings, and only what its socket holds back tells that it is slow. */
  readonly receipts: 'awaited' | 'working' | 'absent';
}
