import { keepAliveText, toEventText } from '@waymark/contract/http';

/** What may wait for a reader; then the oldest goes first. Newer progress says everything that older progress did. */
const maxWaiting = 16;

const encoder = new TextEncoder();
const keepAlive = encoder.encode(keepAliveText);

/** How a stream is kept, and who is told when its reader leaves. */
export interface EventStreamOptions {
  /** Milliseconds between two signs of life. */
  readonly keepAliveMs: number;
  /** Called once, when the reader cancels before the last message. */
  readonly onGone: (reason: unknown) => void;
}

/**
 * Server-sent events for one request: notifications while it is worked on, then its response, which ends the stream.
 * Nothing is sent faster than it is read, and little is kept for a slow reader.
 */
export class EventStream {
  readonly readable: ReadableStream<Uint8Array>;
  readonly #waiting: string[] = [];
  readonly #pulse: NodeJS.Timeout;
  #last: string | undefined;
  #over = false;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  /** Set while the reader waits for something to read. */
  #wake: (() => void) | undefined;

  constructor({ keepAliveMs, onGone }: EventStreamOptions) {
    this.readable = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => this.#pull(controller),
        cancel: (reason) => {
          this.#stop();
          onGone(reason);
        },
      },
      { highWaterMark: 0 },
    );
    this.#pulse = setInterval(() => this.#beat(), keepAliveMs).unref();
  }

  /** Sends a notification. @param message JSON */
  send(message: string): void {
    if (this.#over || this.#last !== undefined) return;
    this.#waiting.push(toEvent(message));
    if (this.#waiting.length > maxWaiting) this.#waiting.shift();
    this.#deliver();
  }

  /** Sends the response and ends the stream. @param message JSON */
  end(message: string): void {
    if (this.#over) return;
    this.#last = toEvent(message);
    this.#deliver();
  }

  #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> | undefined {
    this.#controller = controller;
    if (this.#emit()) return undefined;
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #deliver(): void {
    if (this.#wake && this.#emit()) this.#resume();
  }

  #beat(): void {
    if (!this.#wake) return;
    this.#controller?.enqueue(keepAlive);
    this.#resume();
  }

  #resume(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }

  /** Hands over everything that waits. */
  #emit(): boolean {
    const text = this.#waiting.splice(0).join('') + (this.#last ?? '');
    if (text === '') return false;
    this.#controller?.enqueue(encoder.encode(text));
    if (this.#last !== undefined) {
      this.#stop();
      this.#controller?.close();
    }
    return true;
  }

  #stop(): void {
    this.#over = true;
    clearInterval(this.#pulse);
  }
}

function toEvent(message: string): string {
  return toEventText({ event: 'message', data: message });
}
