import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../../..');
export const key = 'bench-secret-of-more-than-16-bytes';

/** What `waymark start` runs. */
export interface BenchServer {
  readonly url: string;
  /** Milliseconds until it was ready. */
  readonly bootMs: number;
  /** Resident megabytes of each of its processes, the one that keeps them first. */
  memory(): readonly number[];
  stop(): Promise<void>;
}

/** Starts the application with so many processes. */
export async function startServer(
  workers: number,
  folder: string,
  env: Readonly<Record<string, string>> = {},
): Promise<BenchServer> {
  const begunMs = performance.now();
  const argv = ['--conditions=@waymark/source', join(root, 'apps/server/bin/waymark.js'), 'start'];
  const child = spawn(
    process.execPath,
    [...argv, join(import.meta.dirname, 'application.ts'), '--port', '0'],
    {
      cwd: folder,
      env: {
        ...process.env,
        ...{ WAYMARK_WORKERS: String(workers), DATABASE: join(folder, `${workers}${env['NAMED'] ?? ''}.db`) },
        ...{ BENCH_KEY: key, LOG_LEVEL: 'silent', ...env },
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let said = '';
  while (!/url +(http:\S+)/.test(said)) said += String(((await once(child.stdout, 'data')) as [Buffer])[0]);
  const pid = child.pid ?? 0;
  return {
    url: /url +(http:\S+)/.exec(said)?.[1] ?? '',
    bootMs: performance.now() - begunMs,
    memory: () => [pid, ...childrenOf(pid)].map(residentMegabytes),
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

function childrenOf(pid: number): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

function residentMegabytes(pid: number): number {
  const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}
