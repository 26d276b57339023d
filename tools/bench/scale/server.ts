import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
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
  /** What each of its processes has used of a CPU since it started, microseconds, the one that keeps them first. */
  cpuMicros(): readonly number[];
  stop(): Promise<void>;
}

/** Starts the application with so many processes, from what was built, as users run it; where nothing was, from the sources. */
export async function startServer(workers: number, folder: string): Promise<BenchServer> {
  const begunMs = performance.now();
  const node = [
    process.execPath,
    ...(process.env['PACKAGES'] === 'built' ? [] : ['--conditions=@waymark/source']),
  ];
  const options = process.env['BENCH_NODE_OPTIONS']?.split(' ') ?? [];
  const argv = [
    join(root, 'apps/server/bin/waymark.js'),
    'start',
    join(import.meta.dirname, 'application.ts'),
  ];
  const child = spawn(node[0] ?? '', [...node.slice(1), ...options, ...argv, '--port', '0'], {
    cwd: folder,
    env: {
      ...process.env,
      ...{ WAYMARK_WORKERS: String(workers), DATABASE: join(folder, `${workers}.db`) },
      ...{ BENCH_KEY: key, LOG_LEVEL: 'silent', NODE_ENV: 'production' },
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  while (!/url +(http:\S+)/.test(said)) said += String(((await once(child.stdout, 'data')) as [Buffer])[0]);
  const pid = child.pid ?? 0;
  const pids = [pid, ...childrenOf(pid)];
  return {
    url: /url +(http:\S+)/.exec(said)?.[1] ?? '',
    bootMs: performance.now() - begunMs,
    memory: () => pids.map(residentMegabytes),
    cpuMicros: () => pids.map(cpuMicrosOf),
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

/** In the order in which they were started: the owner is the first. */
function childrenOf(pid: number): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

/** The kernel counts the nanoseconds that each thread ran; `ps` would tell them in hundredths of a second. */
function cpuMicrosOf(pid: number): number {
  return readdirSync(`/proc/${pid}/task`)
    .map(
      (thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1000,
    )
    .reduce((sum, micros) => sum + micros, 0);
}

function residentMegabytes(pid: number): number {
  const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}
