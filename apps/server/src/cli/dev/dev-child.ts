import { type ChildProcess, spawn } from 'node:child_process';
import type { FromServer, ToServer } from '../commands/dev-server.ts';

/**
 * A process that has loaded everything but the application, and waits to be told to serve: what takes long is behind
 * it when a file changes.
 */
export class DevChild {
  /** The files it has read, as far as they are not in `node_modules`. */
  readonly files = new Set<string>();
  /** Its exit code; null when a signal ended it. */
  readonly ended: Promise<number | null>;
  readonly #process: ChildProcess;

  /** @param streams whether it reads what is typed, and where it writes: a number is a descriptor of this process */
  constructor(
    argv: readonly string[],
    { stdin, stdout }: { readonly stdin: 'inherit' | 'ignore'; readonly stdout: 'inherit' | number },
    told: (message: FromServer) => void,
  ) {
    const [, entry = ''] = process.argv;
    this.#process = spawn(process.execPath, [...process.execArgv, entry, 'dev-server', ...argv], {
      stdio: [stdin, stdout, 'inherit', 'ipc'],
    });
    this.#process.on('message', (message: FromServer) => {
      if ('read' in message) this.files.add(message.read);
      told(message);
    });
    this.ended = new Promise((resolve) => {
      this.#process.once('exit', resolve);
      this.#process.once('error', () => resolve(null));
    });
  }

  get isRunning(): boolean {
    const { exitCode, signalCode, pid } = this.#process;
    return pid !== undefined && exitCode === null && signalCode === null;
  }

  serve(message: ToServer): void {
    // It may have ended this very moment; then it is told nothing, and `ended` says so.
    this.#process.send(message, () => {});
  }

  kill(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }
}
