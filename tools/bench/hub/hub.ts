import type { ServerProcess } from '../lib/server-process.ts';
import type { HubAddress } from './jobs.ts';

/** A hub that is measured, in a process of its own. */
export interface Hub extends HubAddress {
  readonly name: string;
  /** User and system time of the whole process since it started. */
  cpuMicros(): Promise<number>;
  rssBytes(): Promise<number>;
  stop(): Promise<void>;
}

/** A hub on node that calls `announce`, and tells its memory at `GET /rss`. */
export function nodeHub(name: string, server: ServerProcess, wire: HubAddress['wire']): Hub {
  return {
    name,
    url: server.url,
    wire,
    cpuMicros: async () => (await server.sample()).cpuMicros,
    rssBytes: async () => Number(await (await fetch(new URL('/rss', server.url))).text()),
    stop: () => server.stop(),
  };
}
