import type { Readable, Writable } from 'node:stream';

/** A line that is longer is passed on in parts. */
const maxLineBytes = 1_048_576;

/**
 * Passes on whole lines of one process: those of several would be torn where each writes by itself. What nobody takes any more
 * is lost, so that no process waits for it.
 */
export class LineRelay {
  readonly #from: Readable;
  readonly #to: Writable;
  #rest: Buffer[] = [];
  #restBytes = 0;

  constructor(from: Readable, to: Writable) {
    this.#from = from;
    this.#to = to;
    from.on('data', (piece: Buffer) => this.#take(piece));
    from.once('end', () => this.#pass(Buffer.concat(this.#rest)));
  }

  #take(piece: Buffer): void {
    const end = piece.lastIndexOf(10) + 1;
    if (end === 0 && this.#restBytes < maxLineBytes) {
      this.#rest.push(piece);
      this.#restBytes += piece.length;
      return;
    }
    const whole = end === 0 ? piece.length : end;
    this.#pass(Buffer.concat([...this.#rest, piece.subarray(0, whole)]));
    this.#rest = whole === piece.length ? [] : [piece.subarray(whole)];
    this.#restBytes = piece.length - whole;
  }

  #pass(lines: Buffer): void {
    if (lines.length === 0 || this.#to.destroyed || this.#to.write(lines)) return;
    const goOn = (): void => {
      this.#to.off('drain', goOn).off('close', goOn);
      this.#from.resume();
    };
    this.#from.pause();
    this.#to.once('drain', goOn).once('close', goOn);
  }
}
