import { destination } from 'pino';

/** What is written at the latest: so much, or after so long. */
const batchLength = 65_536;
const batchMs = 100;

/** What may wait for a reader that is slow; further lines are lost. */
const maxWaiting = 16 * 1_048_576;

/**
 * Standard output for lines, written in batches: an asynchronous write takes 16 µs of CPU and more (measured), as much as
 * the request that a line is about. The last batch is written when the process exits.
 */
export class BatchedOutput {
  // It would begin by itself with what is longer than `minLength`, and at exit nobody is left to end that.
  readonly #output = destination({ dest: 1, sync: false, minLength: maxWaiting, maxWrite: 2 * maxWaiting });
  #waiting = '';
  #timer: NodeJS.Timeout | undefined;
  #writing = false;
  #overdue = false;

  constructor() {
    // A callback given to `flush` comes after an `fsync` of its own, one for each batch.
    this.#output.on('drain', this.#written).on('error', this.#written);
  }

  write(line: string): void {
    if (this.#waiting.length > maxWaiting) return;
    if (this.#waiting === '') process.once('exit', this.#exit);
    this.#waiting += line;
    if (this.#waiting.length >= batchLength) this.#flush();
    else this.#timer ??= setTimeout(this.#flush, batchMs).unref();
  }

  readonly #flush = (): void => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#writing) {
      this.#overdue = true;
      return;
    }
    this.#writing = true;
    this.#hand();
    this.#output.flush();
  };

  readonly #written = (): void => {
    this.#writing = false;
    if (!this.#overdue) return;
    this.#overdue = false;
    this.#flush();
  };

  readonly #exit = (): void => {
    this.#hand();
    this.#output.flushSync();
  };

  #hand(): void {
    process.off('exit', this.#exit);
    this.#output.write(this.#waiting);
    this.#waiting = '';
  }
}
