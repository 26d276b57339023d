import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, getPriority, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProgram } from '../program.ts';
import { rssMb } from '../rss-mb.ts';

/** A started desk, alone on its core where there are two. */
export interface NoisyDesk {
  readonly url: string;
  readonly port: number;
  readonly keys: Readonly<Record<'operator' | 'device' | 'reader' | 'neighbour', string>>;
  /** Megabytes that the process holds. */
  rssMb(): number;
  /** Whether the process is there. */
  isAlive(): boolean;
  /** What it said besides a line for each request. */
  said(): string;
  /** Ends it, at once where `kill`. */
  close(kill?: 'kill'): Promise<void>;
}

const keys = {
  operator: 'operator-secret-of-the-noise',
  device: 'device-secret-of-the-noise',
  reader: 'reader-secret-of-the-noise',
  neighbour: 'neighbour-secret-of-the-noise',
} as const;

/**
 * As in the image: else the heap grows to four times of what lives in it, what lived for a moment is kept with the old, the C
 * library keeps what was freed, and four threads that collect share a core with the one that answers. Where the library that the
 * image has for memory is not installed, the desk says so and goes on without.
 */
function ofImage(): {
  readonly nodeOptions: readonly string[];
  readonly env: Readonly<Record<string, string>>;
} {
  const text = readFileSync(join(import.meta.dirname, '../../../Dockerfile'), 'utf8');
  const [, command = ''] = /^CMD \["node", (.*)\]$/m.exec(text) ?? [];
  const nodeOptions = [...command.matchAll(/"(--[^"]+)"/g)].map(([, option = '']) => option);
  const memory = /\b(LD_PRELOAD|MALLOC_CONF)=(\S+)/g;
  const env = [...text.matchAll(memory)].map(([, name = '', value = '']) => [name, value]);
  if (nodeOptions.length === 0 || env.length === 0) throw new Error('the image says nothing of memory');
  return { nodeOptions, env: Object.fromEntries(env) };
}

/** Says where a process runs. */
const taskset = '/usr/bin/taskset';

/** Starts the desk and what it needs of the world, in a folder of its own. */
export async function startDesk(): Promise<NoisyDesk> {
  const cwd = mkdtempSync(join(tmpdir(), 'noisy-'));
  const outside = startProgram('e2e/test/noisy/outside.ts', { cwd });
  const [, models = '', billing = ''] = await outside.saying(/models (\S+) billing (\S+)\n/);
  const image = ofImage();
  const desk = startProgram('e2e/test/noisy/desk.ts', {
    cwd,
    nodeOptions: image.nodeOptions,
    // From its start: a process finds out once how many it has.
    ...(availableParallelism() > 1 && existsSync(taskset) && { through: [taskset, '-c', '0'] }),
    env: {
      LOG_LEVEL: 'warn',
      NODE_ENV: 'production',
      ...image.env,
      JWT_SECRET: 'jwt-secret-of-forty-characters-012345678',
      MODELS_URL: models,
      BILLING_URL: billing,
      OPERATOR_KEY: keys.operator,
      DEVICE_KEY: keys.device,
      READER_KEY: keys.reader,
      NEIGHBOUR_KEY: keys.neighbour,
    },
  });
  const [, url = '', pid = ''] = await desk.saying(/url (http:\S+) pid (\d+)\n/);
  goFirst(Number(pid));
  await pin(Number(outside.child.pid), others());
  return {
    url,
    port: Number(new URL(url).port),
    keys,
    rssMb: () => rssMb(Number(pid)),
    isAlive: () => desk.child.exitCode === null && desk.child.signalCode === null,
    said: () => desk.stderr() + desk.stdout(),
    async close(kill) {
      desk.child.kill(kill ? 'SIGKILL' : 'SIGTERM');
      outside.child.kill('SIGKILL');
      await desk.ended();
      rmSync(cwd, { recursive: true, force: true });
    },
  };
}

/** The cores that are not the desk's. */
export function others(): string {
  const count = availableParallelism();
  return count > 1 ? `1-${count - 1}` : '0';
}

/** Keeps a process on these cores; without the program for that it goes where it likes. */
export async function pin(pid: number, cores: string): Promise<void> {
  await run(taskset, ['-a', '-p', '-c', cores, String(pid)]);
}

/**
 * Lets what is measured go before whatever else the machine does, where that is allowed: with all threads of it, or those that
 * write to a database would wait for the one that answers. Those that go after it still do.
 */
export function goFirst(pid: number): void {
  for (const id of readdirSync(`/proc/${pid}/task`)) move(Number(id), -10);
}

/** Lets an attacker go after whom it shares a core with: it is the desk that is to be slowed down. */
export function goLast(pid: number): void {
  move(pid, 5);
}

function move(thread: number, steps: number): void {
  try {
    setPriority(thread, getPriority(thread) + steps);
  } catch {
    // Not allowed here, or it is gone.
  }
}

function run(program: string, args: readonly string[]): Promise<void> {
  const child = spawn(program, args, { stdio: 'ignore' });
  return new Promise((resolve) => {
    child.once('error', () => resolve());
    child.once('close', () => resolve());
  });
}
