import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { freePort } from '@waymark/contract/testing';

/** A program that messages go through. */
export interface Broker {
  readonly port: number;
  /** Milliseconds of CPU that it has used. */
  cpuMs(): number;
  stop(): Promise<void>;
}

/** Starts a Redis that keeps nothing on a disk. */
export function startRedis(folder: string): Promise<Broker> {
  return start(
    'redis-server',
    (port) => [
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
    ],
    'stdout',
    'eady to accept connections',
  );
}

/** Starts a NATS server. */
export function startNats(): Promise<Broker> {
  return start('nats-server', (port) => ['-a', '127.0.0.1', '-p', `${port}`], 'stderr', 'Server is ready');
}

async function start(
  program: string,
  args: (port: number) => readonly string[],
  stream: 'stdout' | 'stderr',
  ready: string,
): Promise<Broker> {
  const port = await freePort();
  const child: ChildProcess = spawn(program, [...args(port)], { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for await (const piece of child[stream] ?? []) {
    said += String(piece);
    if (said.includes(ready)) break;
  }
  if (!said.includes(ready)) throw new Error(`${program} did not start: ${said}`);
  return {
    port,
    cpuMs: () => cpuMs(child.pid ?? 0),
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

/** Linux counts in hundredths of a second. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
