import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const root = join(import.meta.dirname, '..', '..', '..');
/** From the sources, or in tiers that start many programs from what was built of them (`tools/lib/program-form.ts`). */
const programForm = process.env['PROGRAMS'] === 'built' ? [] : ['--conditions=@waymark/source'];
const compileCache = join(root, 'node_modules', '.cache', 'compile');

/** A program that was started, and what it has said so far. */
export interface Program {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves when the output matches. @throws {Error} when the program ends before */
  saying(pattern: RegExp): Promise<RegExpExecArray>;
  /** @returns the exit code */
  ended(): Promise<number | null>;
}

/** Starts a file of this repository, on the Node of this test. */
export function run(
  argv: readonly string[],
  options: {
    readonly cwd?: string;
    readonly env?: NodeJS.ProcessEnv;
    /** Its standard input; none by default. */
    readonly stdin?: string;
    /** A file that takes its standard output. */
    readonly stdout?: number;
  } = {},
): Program {
  const [file = '', ...rest] = argv;
  const { PATH, TMPDIR } = process.env;
  const child = spawn(process.execPath, [...programForm, join(root, file), ...rest], {
    cwd: options.cwd ?? root,
    // Programs start again and again here; without it each compiles every package anew.
    env: {
      PATH,
      ...(TMPDIR && { TMPDIR }),
      WAYMARK_WORKERS: '1',
      NODE_COMPILE_CACHE: compileCache,
      ...options.env,
    },
    stdio: [options.stdin === undefined ? 'ignore' : 'pipe', options.stdout ?? 'pipe', 'pipe'],
  });
  child.stdin?.end(options.stdin);
  const said = { stdout: '', stderr: '', both: '' };
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream]?.setEncoding('utf8').on('data', (text: string) => {
      said[stream] += text;
      said.both += text;
    });
  const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
  return {
    child,
    stdout: () => said.stdout,
    stderr: () => said.stderr,
    ended: () => ended,
    saying: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const match = pattern.exec(said.both);
          if (match) resolve(match);
        };
        child.stdout?.on('data', look);
        child.stderr?.on('data', look);
        look();
        void ended.then((code) =>
          reject(new Error(`ended with ${code} without saying ${pattern}:\n${said.both}`)),
        );
      }),
  };
}

/**
 * Saves a file until a watching program has noticed: node tells of the files it has read a little after they ran, and
 * misses a change before that.
 */
export async function saveUntilNoticed(program: Program, file: string, text: string): Promise<void> {
  const restarts = (): number => program.stdout().split('Restarting').length;
  const before = restarts();
  while (restarts() === before) {
    writeFileSync(file, text);
    for (let waited = 0; waited < 1000 && restarts() === before; waited += 50) await pause(50);
  }
}
