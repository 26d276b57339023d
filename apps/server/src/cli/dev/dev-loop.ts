import { relative } from 'node:path';
import type { Address, FromServer } from '../commands/dev-server.ts';
import { DevChild } from './dev-child.ts';
import { FolderWatch } from './folder-watch.ts';

/** Several files saved at once, or one in several writes, are one change. */
const settleMs = 20;

/** A server that is still busy when a file changes is told twice, this long apart; the second time it ends at once. */
const patienceMs = 1000;

const standardError = 2;

/** What is worth another try when nothing runs: a file that was missing may be there now. */
const source = /\.(?:[cm]?[jt]sx?|json|hbs|html|sql)$/;

/** What people and programs see of it. */
export interface DevOutput {
  /** Stands at the end of the first screen, where keys are heard: what is typed is not the server's then. */
  readonly hint?: string;
  /** On standard output: `reports` alone, which programs read, with all else on stderr; default: `everything`. */
  readonly output?: 'everything' | 'reports';
}

/**
 * Serves an application in a process of its own, and in a new one whenever a file it has read changes. The next
 * process stands by, with everything loaded but the application.
 */
export class DevLoop {
  /** Settles with the exit code, after `stop`. */
  readonly ended: Promise<number>;
  readonly #argv: readonly string[];
  readonly #hint: string | undefined;
  readonly #output: NonNullable<DevOutput['output']>;
  /** What any process has read. */
  readonly #files: Set<string>;
  readonly #folders = new FolderWatch((file) => this.#onChange(file));
  #server: DevChild;
  #spare: DevChild | undefined;
  /** The first change that no restart has answered yet, and when it was. */
  #change: { readonly why: string; readonly atMs: number } | undefined;
  #isRestarting = false;
  #at: Address | undefined;
  #isStopping = false;
  #end: (code: number) => void = () => {};

  /** @param always files that count although nothing may have read them */
  constructor(
    argv: readonly string[],
    always: readonly string[],
    { hint, output = 'everything' }: DevOutput = {},
  ) {
    this.#argv = argv;
    this.#hint = hint;
    this.#output = output;
    this.#files = new Set(always);
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    for (const file of always) this.#folders.add(file);
    this.#server = this.#spawn();
    this.#serve(this.#server, performance.timeOrigin);
  }

  /** Where it serves; undefined before it did. */
  get at(): Address | undefined {
    return this.#at;
  }

  /** Starts the server again, as if a file had changed. */
  restart(): void {
    this.#asked('on demand');
  }

  /** Ends every process, and then the loop. */
  stop(signal: NodeJS.Signals): void {
    const wasRunning = this.#server.isRunning;
    this.#server.kill(signal);
    if (this.#isStopping) return;
    this.#isStopping = true;
    this.#folders.close();
    this.#spare?.kill('SIGKILL');
    void Promise.all([this.#server.ended, this.#spare?.ended]).then(([code]) =>
      this.#end(wasRunning ? (code ?? 0) : 0),
    );
  }

  #spawn(): DevChild {
    const stdin = this.#hint === undefined ? 'inherit' : 'ignore';
    const stdout = this.#output === 'everything' ? 'inherit' : standardError;
    return new DevChild(this.#argv, { stdin, stdout }, (message) => this.#onMessage(message));
  }

  #serve(server: DevChild, sinceMs: number): void {
    server.serve({ sinceMs, hint: this.#hint });
    void server.ended.then((code) => {
      if (server !== this.#server || this.#isRestarting || this.#isStopping) return;
      this.#say(`${code === 0 ? 'Completed' : 'Failed'} running; waiting for a file to change`);
      this.#standBy();
    });
  }

  #onMessage(message: FromServer): void {
    if (this.#isStopping) return;
    if ('read' in message) {
      this.#files.add(message.read);
      this.#folders.add(message.read);
      return;
    }
    this.#standBy();
    this.#at = message.at;
    console.log(message.ready);
  }

  #say(line: string): void {
    if (this.#output === 'everything') console.log(line);
    else console.error(line);
  }

  #standBy(): void {
    if (this.#spare?.isRunning !== true) this.#spare = this.#spawn();
  }

  #onChange(file: string): void {
    if (this.#isStopping || !(this.#files.has(file) || (!this.#server.isRunning && source.test(file))))
      return;
    // What stands by has read the old one.
    if (this.#spare?.files.has(file)) this.#spare.kill('SIGKILL');
    this.#asked(`${relative(process.cwd(), file)} changed`);
  }

  #asked(why: string): void {
    if (this.#isStopping) return;
    const isFirst = this.#change === undefined;
    this.#change ??= { why, atMs: Date.now() };
    if (isFirst && !this.#isRestarting) setTimeout(() => void this.#restart(), settleMs);
  }

  async #restart(): Promise<void> {
    const change = this.#change;
    if (!change || this.#isStopping) return;
    this.#isRestarting = true;
    this.#say(`Restarting: ${change.why}`);
    await this.#endServer();
    this.#isRestarting = false;
    // The process that comes now reads what was saved until now.
    this.#change = undefined;
    if (this.#isStopping) return;
    this.#server = this.#spare?.isRunning ? this.#spare : this.#spawn();
    this.#spare = undefined;
    this.#serve(this.#server, change.atMs);
  }

  async #endServer(): Promise<void> {
    const server = this.#server;
    server.kill('SIGTERM');
    const signals = (['SIGTERM', 'SIGKILL'] as const).map((signal, i) =>
      setTimeout(() => server.kill(signal), (i + 1) * patienceMs),
    );
    await server.ended;
    for (const timer of signals) clearTimeout(timer);
  }
}
