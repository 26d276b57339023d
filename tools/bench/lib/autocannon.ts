import { loadCore } from './cores.ts';
import type { LoadOptions, LoadRequest, LoadResult } from './load.ts';
import { peerFile } from './peers.ts';
import { runPinned, withFile } from './run-pinned.ts';

/** Sends load with autocannon, in a process of its own like `wrk`. */
export function sendWithAutocannon(
  url: string,
  requests: readonly LoadRequest[],
  { seconds, connections }: LoadOptions,
): Promise<LoadResult> {
  const config = JSON.stringify({ url, connections, duration: seconds, requests });
  return withFile('load.json', config, async (file) => {
    const output = await runPinned(loadCore, [process.execPath, peerFile('autocannon.mjs'), file]);
    return JSON.parse(output) as LoadResult;
  });
}
