import type { Progress } from '@waymark/contract';
import { keepAliveText, toEventText } from '@waymark/contract/http';
import { PendingEvents } from './pending-events.ts';

/** Bytes on their way to the socket; what does not fit waits as `PendingEvents`. */
const highWaterMark = 65_536;

/** When an event stream says something of its own accord. */
export interface EventStreamOptions {
  /** Of silence until a comment, milliseconds. */
  readonly keepAliveMs: number;
  /** Whether a comment may be the first thing that is said. */
  readonly mayBegin: () => boolean;
  /** Called once, when there is something to send. */
  readonly onBegin: () => void;
  /** The last event for a reader that is so far behind that one with an id would be lost: it can read on from there. */
  readonly tooSlow: () => string;
}

/**
 * The events of one answer as bytes. What is told goes out at once; while the reader is behind, it waits within a bound:
 * of events without an id the newest of each kind. An event with an id is never left out: a reader too far behind for it is
 * given what waits and told to read on from there.
 */
export class EventStream {
  readonly bytes: ReadableStream<Uint8Array>;
  readonly #options: EventStreamOptions;
  readonly #pending = new PendingEvents();
  readonly #timer: NodeJS.Timeout;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #begun = false;
  #last: string | undefined;
  /** Told when there is room again. */
  #waiting: (() => void)[] = [];

  constructor(options: EventStreamOptions) {
    this.#options = options;
    this.bytes = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#flush(),
        cancel: () => this.stop(),
      },
      { highWaterMark, size: (chunk) => chunk.length },
    );
    this.#timer = setInterval(() => this.#keepAlive(), options.keepAliveMs).unref();
  }

  /** Whether something was said, so that the answer is a stream of events now. */
  get begun(): boolean {
    return this.#begun;
  }

  /** Tells an event. @throws {TypeError} for one that cannot be written; the stream goes on */
  tell({ event, data, id }: Progress): void {
    const text = toEventText({
      event,
      data: JSON.stringify(data) ?? 'null',
      ...(id !== undefined && { id }),
    });
    if (this.#last !== undefined) return;
    if (!this.#pending.put({ event, ...(id !== undefined && { id }) }, text))
      this.#last = this.#options.tooSlow();
    this.#say();
  }

  /** Settles when nothing waits for the reader, or nobody listens any more; undefined when that is so. */
  room(): Promise<void> | undefined {
    if (!this.#controller || this.#hasRoom) return undefined;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Tells the last event, after those that wait. */
  end(text: string): void {
    this.#last ??= text;
    this.#say();
  }

  /** Breaks off. */
  fail(error: unknown): void {
    this.#controller?.error(error);
    this.stop();
  }

  /** Says nothing any more: nobody listens, or something else is answered. */
  stop(): void {
    clearInterval(this.#timer);
    this.#controller = undefined;
    this.#tellRoom();
  }

  #say(): void {
    if (!this.#controller) return;
    this.#timer.refresh();
    this.#flush();
    this.#begin();
  }

  #flush(): void {
    while (this.#hasRoom) {
      const text = this.#pending.take();
      if (text === undefined) break;
      this.#controller?.enqueue(Buffer.from(text));
    }
    if (this.#hasRoom) this.#tellRoom();
    const controller = this.#controller;
    if (this.#last === undefined || !controller || !this.#hasRoom) return;
    // First: `enqueue` may ask for more at once.
    this.stop();
    controller.enqueue(Buffer.from(this.#last));
    controller.close();
  }

  #tellRoom(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  get #hasRoom(): boolean {
    return (this.#controller?.desiredSize ?? 0) > 0;
  }

  #keepAlive(): void {
    const { mayBegin } = this.#options;
    if (!this.#begun && !mayBegin()) return;
    // A reader that is behind has something to read.
    if (this.#hasRoom) this.#controller?.enqueue(Buffer.from(keepAliveText));
    this.#begin();
  }

  #begin(): void {
    if (this.#begun) return;
    this.#begun = true;
    this.#options.onBegin();
  }
}
