/** The outcome of taking from a bucket. */
export interface Taken {
  readonly taken: boolean;
  /** What could be taken now. */
  readonly left: number;
  /** Whole seconds until the bucket is full. */
  readonly untilFull: number;
  /** Whole seconds until as much could be taken; 0 where it was. */
  readonly seconds: number;
}

/** Rate limits of several doors that are one to their callers: the buckets are kept in one place. */
export interface SharedLimits {
  /**
   * Takes `cost` from the bucket of a caller, or of an address for its failures. Undefined where nobody can say: then nothing
   * is refused.
   */
  take(limit: 'rate' | 'failures', key: string, cost: number): Promise<Taken | undefined>;
}
