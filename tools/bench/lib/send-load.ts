import { sendWithAutocannon } from './autocannon.ts';
import { has } from './cores.ts';
import type { LoadOptions, LoadRequest, LoadResult } from './load.ts';
import { sendWithWrk } from './wrk.ts';

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
