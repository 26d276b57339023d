import { join } from 'node:path';

/** One of those that are compared. */
export interface ContestantModule {
  readonly name: string;
  /** Of this folder; it exports `makeRun`. */
  readonly file: string;
  /** Not ours: it is left out, and said to be, where it cannot be installed or does not run. */
  readonly peer?: boolean;
}

/** All of them, ours as an application with every default, and with journals that a power cut may shorten, or that end with the process. */
export const contestants: readonly ContestantModule[] = [
  { name: 'fetch', file: 'contestants/fetch.ts' },
  { name: 'node:http', file: 'contestants/node-http.ts' },
  { name: 'waymark', file: 'contestants/waymark.ts' },
  { name: 'waymark normal', file: 'contestants/waymark-normal.ts' },
  { name: 'waymark memory', file: 'contestants/waymark-memory.ts' },
  { name: 'ai sdk', file: 'peers/ai-sdk.mjs', peer: true },
  { name: 'openai agents', file: 'peers/openai-agents.mjs', peer: true },
  { name: 'mastra', file: 'peers/mastra.mjs', peer: true },
];

/** The absolute path of a contestant's module. */
export function moduleOf({ file }: ContestantModule): string {
  return join(import.meta.dirname, file);
}

/**
 * Starts those of a list in turn. A peer that cannot be started is named with the reason, and left out.
 *
 * @throws when one of ours cannot be started
 */
export async function startAll<Process>(
  list: readonly ContestantModule[],
  start: (contestant: ContestantModule) => Promise<Process>,
  started: Map<string, Process>,
): Promise<void> {
  for (const one of list) {
    try {
      started.set(one.name, await start(one));
    } catch (error) {
      if (!one.peer) throw error;
      console.log(`${one.name} is not run: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
