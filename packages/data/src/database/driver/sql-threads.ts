import { once } from 'node:events';
import { createRequire } from 'node:module';
import { SHARE_ENV, Worker } from 'node:worker_threads';

/**
 * Threads that run `sql-thread.ts`. One that has closed its connection is kept for whoever opens the next: a thread takes node
 * 40 ms of CPU to begin, which is most of what an application over a file takes to start. It keeps no process alive.
 */
class SqlThreads {
  #spare: Worker | undefined;

  /** A thread that has no connection. */
  take(): Worker {
    const thread = this.#spare ?? begin();
    this.#spare = undefined;
    thread.removeAllListeners();
    return thread;
  }

  /** Takes back one that has none any more; ends it where there is one already. */
  async giveBack(thread: Worker): Promise<void> {
    thread.removeAllListeners();
    if (this.#spare) {
      const exit = once(thread, 'exit');
      void thread.terminate();
      await exit;
      return;
    }
    this.#spare = thread;
    // Whatever ends it, it was asked for nothing.
    thread.on('error', () => {});
    thread.on('exit', () => {
      if (this.#spare === thread) this.#spare = undefined;
    });
    thread.unref();
  }
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
