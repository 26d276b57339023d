import { createRequire } from 'node:module';
import { SHARE_ENV, Worker } from 'node:worker_threads';

/** How long one is kept that nobody uses, some MB of memory. */
const idleMs = 5_000;

/**
 * Threads that run `sql-thread.ts`. One that has closed its connection is kept a while for whoever opens the next: a thread
 * takes node 40 ms of CPU to begin, which is most of what an application over a file takes to start. It keeps no process alive.
 */
class SqlThreads {
  #spare: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;

  /** A thread that has no connection. */
  take(): Worker {
    const thread = this.#spare ?? begin();
    this.#forget();
    return thread;
  }

  /** Takes back one that has none any more; ends it where there is one already. */
  async giveBack(thread: Worker): Promise<void> {
    release(thread);
    if (this.#spare) {
      await thread.terminate();
      return;
    }
    this.#spare = thread;
    // Whatever ends it, it was asked for nothing.
    thread.on('error', () => {});
    thread.on('exit', () => {
      if (this.#spare === thread) this.#forget();
    });
    thread.unref();
    this.#idle = setTimeout(() => {
      this.#forget();
      void thread.terminate();
    }, idleMs).unref();
  }

  #forget(): void {
    clearTimeout(this.#idle);
    if (this.#spare) release(this.#spare);
    this.#spare = undefined;
  }
}

/** Of its user, and no more: node has listeners of its own there. */
function release(thread: Worker): void {
  for (const event of ['message', 'error', 'exit']) thread.removeAllListeners(event);
}

/** Of this process. */
export const sqlThreads = new SqlThreads();

function begin(): Worker {
  return new Worker(threadFile(), { env: SHARE_ENV, execArgv: [] });
}

/** Their program beside this file; of what is built, the one of the package. */
function threadFile(): URL | string {
  return import.meta.url.endsWith('.ts')
    ? new URL('./sql-thread.ts', import.meta.url)
    : createRequire(import.meta.url).resolve('@waymark/data/sql-thread');
}
