import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { pinned, serverCore } from './cores.ts';
import type { BlockCosts, BlockEffort } from './in-process.ts';
import type { LoadRequest } from './load.ts';
import { nextMessage } from './next-message.ts';

/** What a server has used and done since it started. */
export interface Sample {
  /** User and system time of the whole process, microseconds. */
  readonly cpuMicros: number;
  /** HTTP requests taken in. */
  readonly requests: number;
}

/** A server in a process of its own, whose CPU time can be asked for. */
export interface ServerProcess {
  readonly url: string;
  sample(): Promise<Sample>;
  /** What requests cost that the server sends to itself, with its client. */
  costOf(requests: readonly LoadRequest[], effort: BlockEffort): Promise<BlockCosts>;
  stop(): Promise<void>;
}

/** What the program in the process says. */
export type ServerMessage = { readonly url: string } | Sample | BlockCosts;

/** What it is asked. */
export type ServerAsked =
  | 'sample'
  | { readonly requests: readonly LoadRequest[]; readonly effort: BlockEffort };

/**
 * Starts a program that serves, and calls `announce`. What it writes to standard output goes nowhere; errors are shown.
 * `BENCH_NODE_OPTIONS` are for node: `--cpu-prof --cpu-prof-dir=/tmp/profiles` shows where the time goes.
 *
 * @param program absolute path of the file
 */
export async function startServerProcess(
  program: string,
  args: readonly string[] = [],
): Promise<ServerProcess> {
  const options = process.env['BENCH_NODE_OPTIONS']?.split(' ') ?? [];
  const node = [process.execPath, '--conditions=@waymark/source', '--disable-warning=DeprecationWarning'];
  const [command = '', ...rest] = pinned(serverCore, [...node, ...options, program, ...args]);
  const child = spawn(command, rest, {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const { url } = await nextMessage<Extract<ServerMessage, { url: string }>>(child);
  return {
    url,
    async sample() {
      child.send('sample');
      return nextMessage<Sample>(child);
    },
    async costOf(requests, effort) {
      child.send({ requests, effort } satisfies ServerAsked);
      return nextMessage<BlockCosts>(child);
    },
    async stop() {
      const gone = once(child, 'exit');
      child.disconnect();
      await gone;
    },
  };
}
