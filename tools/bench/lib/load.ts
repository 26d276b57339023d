/** One request of a load. */
export interface LoadRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** How requests are sent. */
export interface LoadOptions {
  readonly seconds: number;
  readonly connections: number;
}

/** What came of it. */
export interface LoadResult {
  readonly requests: number;
  readonly perSecond: number;
  /** From sending to the last byte, milliseconds: half of the requests were as quick, and 99 in 100. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}
