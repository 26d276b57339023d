import { createRequire } from 'node:module';
import { MessageChannel, type MessagePort, SHARE_ENV, Worker } from 'node:worker_threads';
import type { ThreadStart } from './thread-messages.ts';

/** How long one is kept that nobody uses, some MB of memory. */
const idleMs = 5_000;

/** A thread that runs `sql-thread.ts`. */
export interface SqlThread {
  readonly worker: Worker;
  /** It is asked, and answers, here. */
  readonly port: MessagePort;
  /** Counts its answers, so that a thread can wait for the next one. */
  readonly answers: Int32Array;
}

/**
 * Threads that run `sql-thread.ts`. One that has closed its connection is kept a while for whoever opens the next: a thread
 * takes node 40 ms of CPU to begin, which is most of what an application over a file takes to start. It keeps no process alive.
 */
class SqlThreads {
  #spare: SqlThread | undefined;
  #idle: NodeJS.Timeout | undefined;

  /** A thread that has no connection. */
  take(): SqlThread {
    const thread = this.#spare ?? begin();
    this.#forget();
    return thread;
  }

  /** Takes back one that has none any more; ends it where there is one already. */
  async giveBack(thread: SqlThread): Promise<void> {
    release(thread);
    if (this.#spare) {
      await thread.worker.terminate();
      return;
    }
    this.#spare = thread;
    // Whatever ends it, it was asked for nothing.
    thread.worker.on('error', () => {});
    thread.worker.on('exit', () => {
      if (this.#spare === thread) this.#forget();
    });
    this.#idle = setTimeout(() => {
      this.#forget();
      void thread.worker.terminate();
    }, idleMs).unref();
  }

  #forget(): void {
    clearTimeout(this.#idle);
    if (this.#spare) release(this.#spare);
    this.#spare = undefined;
  }
}

/** Of its user, and no more: node has listeners of its own there. */
function release({ worker, port }: SqlThread): void {
  for (const event of ['error', 'exit']) worker.removeAllListeners(event);
  port.removeAllListeners('message');
}

/** Of this process. */
export const sqlThreads = new SqlThreads();

function begin(): SqlThread {
  const { port1: port, port2 } = new MessageChannel();
  const answers = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const workerData: ThreadStart = { port: port2, answers };
  const worker = new Worker(threadFile(), {
    env: SHARE_ENV,
    execArgv: [],
    workerData,
    transferList: [port2],
  });
  worker.unref();
  return { worker, port, answers };
}

/** Their program beside this file; of what is built, the one of the package. */
function threadFile(): URL | string {
  return import.meta.url.endsWith('.ts')
    ? new URL('./sql-thread.ts', import.meta.url)
    : createRequire(import.meta.url).resolve('@waymark/data/sql-thread');
}
