import { destination } from 'pino';

/** What is written at the latest: so much, or after so long. */
const batchLength = 65_536;
const batchMs = 100;

/**
 * Standard output for lines, written in batches: an asynchronous write takes 16 µs and more of CPU (measured), which is
 * as much as the request that a line is about. The last batch is written when the process exits.
 */
export class BatchedOutput {
  // Without a length of its own it would begin to write at exit, when nobody is left to end it.
  readonly #output = destination({ dest: 1, sync: false, minLength: batchLength, maxWrite: 4 * batchLength });
  #pending = '';
  #timer: NodeJS.Timeout | undefined;

  write(line: string): void {
    if (this.#pending === '') this.#begin();
    this.#pending += line;
    if (this.#pending.length >= batchLength) this.#end();
  }

  #begin(): void {
    this.#timer = setTimeout(this.#end, batchMs).unref();
    process.once('exit', this.#exit);
  }

  readonly #end = (): void => {
    clearTimeout(this.#timer);
    process.off('exit', this.#exit);
    this.#output.write(this.#pending);
    this.#output.flush();
    this.#pending = '';
  };

  readonly #exit = (): void => {
    this.#output.write(this.#pending);
    this.#output.flushSync();
    this.#pending = '';
  };
}
