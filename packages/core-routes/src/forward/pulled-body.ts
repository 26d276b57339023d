/** What the worker is asked for of a body. */
type Wish =
  | { readonly type: 'read'; readonly limit: number }
  | { readonly type: 'next' }
  | { readonly type: 'enough' };

/** Whoever waits for the next piece. */
interface Reader {
  piece(bytes: Uint8Array, last: boolean): void;
  fail(reason: unknown): void;
}

/** The body of a request that another process holds: nothing of it is read before somebody asks. */
export class PulledBody {
  readonly #ask: (wish: Wish) => void;
  #waiting: Reader | undefined;
  #failure: { readonly reason: unknown } | undefined;

  constructor(ask: (wish: Wish) => void) {
    this.#ask = ask;
  }

  /** The whole of it. The other side holds it to the limit. */
  read(limit: number): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [];
    return new Promise((resolve, reject) => {
      this.#wait({
        piece: (bytes, last) => {
          pieces.push(bytes);
          if (last) resolve(pieces.length === 1 ? bytes : Buffer.concat(pieces));
        },
        fail: reject,
      });
      this.#ask({ type: 'read', limit });
    });
  }

  /** A piece for each that is pulled. */
  stream(): ReadableStream<Uint8Array> {
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> =>
      new Promise((resolve, reject) => {
        this.#wait({
          piece: (bytes, last) => {
            if (bytes.length > 0) controller.enqueue(bytes);
            if (last) controller.close();
            resolve();
          },
          fail: reject,
        });
        this.#ask({ type: 'next' });
      });
    return new ReadableStream({ pull, cancel: () => this.#ask({ type: 'enough' }) }, { highWaterMark: 0 });
  }

  piece(bytes: Uint8Array, last: boolean): void {
    this.#waiting?.piece(bytes, last);
  }

  fail(reason: unknown): void {
    this.#failure = { reason };
    this.#waiting?.fail(reason);
  }

  #wait(waiting: Reader): void {
    this.#waiting = waiting;
    if (this.#failure) waiting.fail(this.#failure.reason);
  }
}
