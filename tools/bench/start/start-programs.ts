import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from '../../lib/workspace.ts';
import { pinned, serverCore } from '../lib/cores.ts';

/** What a program has used until it served. */
export interface Start {
  readonly cpuMs: number;
  readonly rssMb: number;
}

/** A program whose start is measured: arguments of node, relative to the root. */
export interface Subject {
  readonly name: string;
  readonly args: readonly string[];
}

const preload = (file: string): string => `--import=${join(import.meta.dirname, file)}`;
const reference = join(repositoryRoot, 'apps/server/example/main.ts');

/** Node itself, with nothing to do. */
export const bare: Subject = { name: 'node', args: [join(import.meta.dirname, 'bare.mjs')] };

/** An application of one route. */
export const hello: Subject = { name: 'hello', args: [join(import.meta.dirname, 'hello.mjs')] };

/** The reference application, to the end of its first screen: its devices send, and its console has a link. */
export const example: Subject = { name: 'reference', args: [preload('watch-screen.mjs'), reference] };

/** `npm start`: that, behind a look at what has changed. */
export const npmStart: Subject = {
  name: 'npm start',
  args: [preload('watch-screen.mjs'), join(repositoryRoot, 'tools/start.ts')],
};

/** The least that one of several starts took: whatever else a machine does can only add to it. */
export async function measureStart(subject: Subject, rounds: number): Promise<Start> {
  const starts: Start[] = [];
  await inFolder(async (run) => {
    // The first one fills the cache of compiled code.
    await run(subject.args);
    for (let i = 0; i < rounds; i++) {
      const { stdout } = await run(subject.args);
      starts.push(JSON.parse(/^\{"cpuMs".*$/m.exec(stdout)?.[0] ?? '') as Start);
    }
  });
  return {
    cpuMs: Math.min(...starts.map(({ cpuMs }) => cpuMs)),
    rssMb: Math.min(...starts.map(({ rssMb }) => rssMb)),
  };
}

/** How many files a program loads until it serves. */
export async function countModules({ args }: Subject): Promise<number> {
  const { stderr } = await inFolder((run) => run([preload('count-modules.mjs'), ...args]));
  return Number(/^modules: (\d+)$/m.exec(stderr)?.[1]);
}

type Run = (args: readonly string[]) => Promise<{ readonly stdout: string; readonly stderr: string }>;

/** Gives a folder of its own to programs that keep something, and a cache of compiled code that nobody else fills. */
async function inFolder<T>(work: (run: Run) => Promise<T>): Promise<T> {
  const cwd = await mkdtemp(join(tmpdir(), 'waymark-start-'));
  const env = { PATH: process.env['PATH'], PORT: '0', NODE_COMPILE_CACHE: join(cwd, 'compiled') };
  try {
    return await work((args) => {
      const [program = '', ...rest] = pinned(serverCore, [process.execPath, ...args]);
      return promisify(execFile)(program, rest, { cwd, env });
    });
  } finally {
    await rm(cwd, { recursive: true });
  }
}
