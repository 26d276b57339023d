import { sendWithAutocannon } from './autocannon.ts';
import { has } from './cores.ts';
import { sendWithWrk } from './wrk.ts';

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

/**
 * Sends requests for a while, in turn, over keep-alive connections without pipelining: with `wrk`, or with autocannon
 * where it is not installed.
 *
 * @throws {Error} when an answer is no 2xx
 */
export function sendLoad(
  url: string,
  requests: readonly LoadRequest[],
  { seconds, connections = 50 }: Partial<LoadOptions> & Pick<LoadOptions, 'seconds'>,
): Promise<LoadResult> {
  const send = hasWrk ? sendWithWrk : sendWithAutocannon;
  return send(url, requests, { seconds, connections });
}

const hasWrk = has('wrk');
