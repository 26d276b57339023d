import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { pinned, serverCore } from './cores.ts';
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
  stop(): Promise<void>;
}

/** What the program in the process says. */
export type ServerMessage = { readonly url: string } | Sample;

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
    async stop() {
      const gone = once(child, 'exit');
      child.disconnect();
      await gone;
    },
  };
}
