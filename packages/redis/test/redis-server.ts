import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { freePort } from '@waymark/contract/testing';

/** A Redis of a test, which can be killed and started again, empty, at the same port. */
export interface RedisServer {
  readonly port: number;
  readonly url: string;
  start(): Promise<void>;
  kill(): Promise<void>;
  /** Lets it stand still, and go on. */
  pause(): void;
  resume(): void;
  /** Ends it, and removes its folder. */
  stop(): Promise<void>;
}

const program = ['redis-server', 'valkey-server']
  .flatMap((name) => (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name)))
  .find((path) => existsSync(path));

if (program === undefined && process.env['REQUIRE_REDIS'] === '1')
  throw new Error('no redis-server: install it');
if (program === undefined) console.warn('no redis-server found: tests of the hub over Redis are skipped');

/** Whether there is one to be started. */
export const hasRedis = program !== undefined;

/** Starts one, that keeps nothing on a disk. @param options of its command line */
export async function startRedis(...options: readonly string[]): Promise<RedisServer> {
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'waymark-redis-'));
  let child: ChildProcess | undefined;
  const server: RedisServer = {
    port,
    url: `redis://127.0.0.1:${port}`,
    async start() {
      const given = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
      child = spawn(program ?? '', [...given, '--dir', folder, ...options], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let said = '';
      for await (const piece of child.stdout ?? []) {
        said += String(piece);
        if (said.includes('eady to accept connections')) break;
      }
      if (!said.includes('eady to accept connections')) throw new Error(`Redis did not start: ${said}`);
    },
    async kill() {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    async stop() {
      await server.kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
}
