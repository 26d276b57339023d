import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { programForm } from '../../tools/lib/program-form.ts';

const root = join(import.meta.dirname, '..', '..');
const compileCache = join(root, 'node_modules', '.cache', 'compile');

/** A program that was started, and what it has said so far. */
export interface Program {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves when standard output matches. @throws {Error} when the program ends before */
  saying(pattern: RegExp): Promise<RegExpExecArray>;
  /** @returns the exit code */
  ended(): Promise<number | null>;
}

/** Starts a file of this repository, with no variables but those given. */
export function startProgram(
  file: string,
  options: {
    readonly cwd: string;
    readonly env?: Readonly<Record<string, string>>;
    readonly argv?: readonly string[];
    /** Its standard input; none by default. */
    readonly stdin?: string;
    /** Options of node. */
    readonly nodeOptions?: readonly string[];
    /** The program, and its arguments, that starts node. */
    readonly through?: readonly [string, ...string[]];
  },
): Program {
  const { cwd, env = {}, argv = [], stdin, nodeOptions = [], through } = options;
  const { PATH, TMPDIR } = process.env;
  const args = [...programForm, ...nodeOptions, join(root, file), ...argv];
  const [command, ...rest] = through ? [...through, process.execPath, ...args] : [process.execPath, ...args];
  const child = spawn(command, rest, {
    cwd,
    // Programs start again and again here; without it each compiles every package anew. Most are about one process.
    env: { PATH, ...(TMPDIR && { TMPDIR }), NODE_COMPILE_CACHE: compileCache, WAYMARK_WORKERS: '1', ...env },
    stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  child.stdin?.end(stdin);
  const said = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream]?.setEncoding('utf8').on('data', (text: string) => {
      said[stream] += text;
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
          const match = pattern.exec(said.stdout);
          if (match) resolve(match);
        };
        child.stdout?.on('data', look);
        look();
        void ended.then((code) =>
          reject(new Error(`ended with ${code} without saying ${pattern}:\n${said.stdout}${said.stderr}`)),
        );
      }),
  };
}
