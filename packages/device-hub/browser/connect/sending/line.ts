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
  #publisher: CameraPublisher | undefined;
  /** Of the publishers before this one. */
  #droppedBefore = 0;
  #isClosed = false;

  constructor(open: (options: PublishOptions) => CameraPublisher, listener: LineListener) {
    this.#open = open;
    this.#listener = listener;
    this.#connect();
    addEventListener('online', this.#onOnline);
  }

  get state(): SocketState {
    return this.#publisher?.state ?? 'closed';
  }

  get maxFps(): number | undefined {
    return this.#publisher?.maxFps;
  }

  get roundTripMs(): number | undefined {
    return this.#publisher?.roundTripMs;
  }

  /** Frames that waited and gave way to a newer one. */
  get dropped(): number {
    return this.#droppedBefore + (this.#publisher?.dropped ?? 0);
  }

  frame(bytes: Uint8Array): boolean {
    return this.#publisher?.frame(bytes) ?? false;
  }

  telemetry(reading: object): void {
    if (this.state !== 'closed') this.#publisher?.telemetry(reading);
  }

  close(): void {
    this.#isClosed = true;
    removeEventListener('online', this.#onOnline);
    this.#publisher?.close();
  }

  readonly #onOnline = (): void => {
    if (this.state !== 'waiting') return;
    const before = this.#publisher;
    this.#droppedBefore += before?.dropped ?? 0;
    this.#publisher = undefined;
    before?.close();
    this.#connect();
  };

  #connect(): void {
    let own: CameraPublisher | undefined;
    const isCurrent = (): boolean => !this.#isClosed && (own === undefined || own === this.#publisher);
    own = this.#open({
      onState: (state, error) => {
        if (isCurrent()) this.#listener.onState(state, error);
      },
      onReceipt: (receipt) => {
        if (isCurrent())
          this.#listener.onAnswer(receipt.bytes, receipt.seq === null ? receipt.message : undefined);
      },
    });
    this.#publisher = own;
  }
}
