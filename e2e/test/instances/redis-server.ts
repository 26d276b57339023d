import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '@waymark/contract/testing';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from '../started-desk.ts';

/** A Redis that can be killed, and started again at the same port with nothing in it. */
export interface RedisServer {
  readonly url: string;
  start(): Promise<void>;
  kill(): Promise<void>;
}

/** Starts one until the test is over, or whatever calls `onEnd` back. @param program its path: `inject('redis')` */
export async function startRedis(
  program: string,
  onEnd: (task: () => void | Promise<void>) => void = onTestFinished,
): Promise<RedisServer> {
  const port = await freePort();
  const folder = temporaryFolder(onEnd);
  let child: ChildProcess | undefined;
  const server: RedisServer = {
    url: `redis://127.0.0.1:${port}`,
    async start() {
      const args = [
        '--port',
        `${port}`,
        '--bind',
        '127.0.0.1',
        '--save',
        '',
        '--appendonly',
        'no',
        '--dir',
        folder,
      ];
      child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      let said = '';
      for await (const piece of child.stdout ?? []) {
        said += String(piece);
        if (said.includes('eady to accept connections')) return;
      }
      throw new Error(`Redis did not start: ${said}`);
    },
    async kill() {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
  await server.start();
  onEnd(() => server.kill());
  return server;
}
