import type { LoadRequest } from '../lib/load.ts';
import { sendLoad } from '../lib/send-load.ts';
import type { ServerProcess } from '../lib/server-process.ts';

/**
 * How much more heap a server holds after many calls than after a few, as a share. Its `GET /heap` collects garbage and
 * tells what is left.
 */
export async function heapGrowth(
  server: ServerProcess,
  request: LoadRequest,
  { few, many }: { readonly few: number; readonly many: number },
): Promise<number> {
  let calls = 0;
  const callUntil = async (count: number): Promise<number> => {
    while (calls < count) calls += (await sendLoad(server.url, [request], { seconds: 1 })).requests;
    return heapOf(server, request);
  };
  const before = await callUntil(few);
  return (await callUntil(many)) / before - 1;
}

async function heapOf({ url }: ServerProcess, { headers = {} }: LoadRequest): Promise<number> {
  const response = await fetch(new URL('/heap', url), { headers });
  return (await response.json()) as number;
}
