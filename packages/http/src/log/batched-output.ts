import { write, writeSync } from 'node:fs';

/** What is written at the latest: so much, or after so long. */
const batchLength = 65_536;
const batchMs = 100;

/** What may wait for a reader that is slow; further lines are lost. */
const maxWaiting = 16 * 1_048_576;

/** A reader that takes nothing now is tried again after so long, and at exit no longer than so long in all. */
const retryMs = 50;
const exitMs = 1000;

const standardOutput = 1;

/**
 * Standard output for lines, written in batches: an asynchronous write takes 16 µs of CPU and more (measured), as much as
 * the request that a line is about. The last batch is written when the process exits. What cannot be written, to a disk
 * that is full or a pipe that nobody reads, is lost: a log must neither stop its server nor keep it.
 */
export class BatchedOutput {
  #waiting = '';
  /** What is left of the batch that is being written. */
  #batch: Buffer | undefined;
  #timer: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;
  #overdue = false;

  write(line: string): void {
    if (this.#waiting.length > maxWaiting) return;
    if (this.#waiting === '') this.#hold();
    this.#waiting += line;
    if (this.#waiting.length >= batchLength) this.#flush();
    else this.#timer ??= setTimeout(this.#flush, batchMs).unref();
  }

  readonly #flush = (): void => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#batch) {
      this.#overdue = true;
      return;
    }
    process.off('exit', this.#exit);
    this.#batch = Buffer.from(this.#waiting);
    this.#waiting = '';
    write(standardOutput, this.#batch, this.#written);
  };

  readonly #written = (error: NodeJS.ErrnoException | null, length: number): void => {
    if (error && isBusy(error)) {
      this.#hold();
      this.#retry = setTimeout(this.#again, retryMs).unref();
      return;
    }
    this.#batch = error ? undefined : this.#batch?.subarray(length);
    if (this.#batch?.length) {
      this.#again();
      return;
    }
    this.#batch = undefined;
    if (!this.#overdue) return;
    this.#overdue = false;
    this.#flush();
  };

  /** Something is left to write at exit. */
  #hold(): void {
    process.off('exit', this.#exit).once('exit', this.#exit);
  }

  readonly #again = (): void => {
    this.#retry = undefined;
    if (this.#batch) write(standardOutput, this.#batch, this.#written);
  };

  readonly #exit = (): void => {
    // A batch that waits for its reader goes first; one that is under way is on its way.
    const rest = this.#retry && this.#batch ? [this.#batch] : [];
    writeLast(Buffer.concat([...rest, Buffer.from(this.#waiting)]));
  };
}

function writeLast(bytes: Buffer): void {
  const endMs = performance.now() + exitMs;
  let left = bytes;
  while (left.length > 0) {
    try {
      left = left.subarray(writeSync(standardOutput, left));
    } catch (error) {
      if (!isBusy(error as NodeJS.ErrnoException) || performance.now() > endMs) return;
      Atomics.wait(pause, 0, 0, retryMs);
    }
  }
}

const pause = new Int32Array(new SharedArrayBuffer(4));

function isBusy({ code }: NodeJS.ErrnoException): boolean {
  return code === 'EAGAIN' || code === 'EBUSY';
}
