import type { CameraPublisher, PublishOptions, SocketState } from '@waymark/client-gen/runtime';

/** Who hears of a line to the hub. */
export interface LineListener {
  /** @param error what is to blame for `waiting` and `closed`, where that is known */
  onState(state: SocketState, error: Error | undefined): void;
  /** One frame was answered. @param refusal in the hub's words; undefined when it was taken */
  onAnswer(bytes: number, refusal: string | undefined): void;
}

/** The way to the hub for as long as frames are sent. Another network is tried at once, without the wait before it. */
export class Line {
  readonly #open: (options: PublishOptions) => CameraPublisher;
  readonly #listener: LineListener;
  readonly #listening = new AbortController();
  #publisher: CameraPublisher;
  /** Of the publisher that is heard; of those before it, nothing is. */
  #turn = 0;
  #droppedBefore = 0;
  #error: Error | undefined;

  constructor(open: (options: PublishOptions) => CameraPublisher, listener: LineListener) {
    this.#open = open;
    this.#listener = listener;
    this.#publisher = this.#connect();
    addEventListener('online', () => this.#reconnect(), { signal: this.#listening.signal });
  }

  get state(): SocketState {
    return this.#publisher.state;
  }

  get maxFps(): number | undefined {
    return this.#publisher.maxFps;
  }

  get roundTripMs(): number | undefined {
    return this.#publisher.roundTripMs;
  }

  /** Why the line is not open, where that is known. */
  get error(): Error | undefined {
    return this.#error;
  }

  /** Frames that waited and gave way to a newer one. */
  get dropped(): number {
    return this.#droppedBefore + this.#publisher.dropped;
  }

  frame(bytes: Uint8Array): boolean {
    return this.#publisher.frame(bytes);
  }

  telemetry(reading: object): void {
    if (this.state !== 'closed') this.#publisher.telemetry(reading);
  }

  close(): void {
    this.#turn++;
    this.#listening.abort();
    this.#publisher.close();
  }

  #reconnect(): void {
    if (this.state !== 'waiting') return;
    this.#droppedBefore += this.#publisher.dropped;
    const before = this.#publisher;
    this.#publisher = this.#connect();
    before.close();
  }

  #connect(): CameraPublisher {
    const turn = ++this.#turn;
    return this.#open({
      onState: (state, error) => {
        if (turn !== this.#turn) return;
        this.#error = error;
        this.#listener.onState(state, error);
      },
      onReceipt: (receipt) => {
        if (turn === this.#turn)
          this.#listener.onAnswer(receipt.bytes, receipt.seq === null ? receipt.message : undefined);
      },
    });
  }
}
