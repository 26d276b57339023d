import type { CameraPublisher, PublishOptions } from './device-types.ts';
import { FrameWindow } from './frame-window.ts';
import type { JsonObject } from './options.ts';
import { type BytesOfFetch, toJsonText } from './requests.ts';
import type { SocketClientOptions, SocketState } from './socket-types.ts';
import { LastingSocket, readRecord } from './sockets.ts';

/** Of what tells why a socket of a device was refused. */
export const finalStatuses = [401, 403, 404];

/** How often somebody looks whether a socket has room again, and when it counts as dead: no event tells either. */
export const roomCheckMs = 25;
export const standstillMs = 60_000;
/** The largest reading there is. */
export const readingRoom = 65_536;
/** A frame that waits for a connection is old by then. */
export const oldMs = 2_000;
/** Between two reports of the same error. */
export const sameErrorMs = 1_000;

/** Sends the newest frame and the newest reading, each as soon as there is room. */
export class Publisher implements CameraPublisher {
  readonly #socket: LastingSocket;
  readonly #options: PublishOptions;
  readonly #owed = new FrameWindow();
  /** Undefined until the service has said whether it gives them; one frame may go before that. */
  #receipts: boolean | undefined;
  #frame: BytesOfFetch | undefined;
  #frameMs = 0;
  #reading: string | undefined;
  #taken = 0;
  #refused = 0;
  #dropped = 0;
  #maxFps: number | undefined;
  #error: Error | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #answerTimer: ReturnType<typeof setTimeout> | undefined;
  #progress = { bufferedAmount: 0, atMs: 0 };
  #reported = { message: '', atMs: 0 };

  constructor(client: SocketClientOptions, path: string, options: PublishOptions) {
    this.#options = options;
    this.#socket = new LastingSocket({
      client,
      options,
      path: `${path}/ws`,
      query: { receipts: '1' },
      // Without a body it is no reading.
      probe: { method: 'POST', path: `${path}/telemetry`, finalStatuses },
      onOpen: () => this.#open(),
      onMessage: (data) => this.#receive(data),
      onBreak: () => this.#forget(),
      onEnd: (error) => {
        this.#error = error;
        this.#giveUp();
      },
    });
  }

  get state(): SocketState {
    return this.#socket.state;
  }

  get maxFps(): number | undefined {
    return this.#maxFps;
  }

  get taken(): number {
    return this.#taken;
  }

  get refused(): number {
    return this.#refused;
  }

  get dropped(): number {
    return this.#dropped;
  }

  get roundTripMs(): number | undefined {
    return this.#owed.roundTripMs;
  }

  frame(bytes: Uint8Array): boolean {
    const closed = this.#isClosed();
    if (closed || this.#frame) this.#dropped++;
    if (closed) return false;
    // It may also lie in shared memory; a WebSocket itself refuses that.
    this.#frame = bytes as BytesOfFetch;
    this.#frameMs = performance.now();
    this.#flush();
    if (!this.#frame) return true;
    // The caller may use the buffer again.
    this.#frame = new Uint8Array(bytes);
    return false;
  }

  telemetry(reading: object): boolean {
    if (this.#isClosed()) return false;
    this.#reading = toJsonText('reading', reading);
    this.#flush();
    return this.#reading === undefined;
  }

  close(): void {
    this.#socket.close();
  }

  #isClosed(): boolean {
    if (this.#error) throw this.#error;
    return this.state === 'closed';
  }

  #open(): void {
    if (this.#frame && performance.now() - this.#frameMs > oldMs) {
      this.#frame = undefined;
      this.#dropped++;
    }
    this.#flush();
  }

  #flush(): void {
    const reading = this.#reading;
    if (reading !== undefined && this.#socket.bufferedAmount <= readingRoom) {
      this.#reading = undefined;
      this.#socket.send(reading);
    }
    const frame = this.#frame;
    const mayGo = this.#receipts === false || !this.#owed.isFull;
    if (frame && mayGo && this.#socket.bufferedAmount <= frame.length) {
      this.#frame = undefined;
      if (this.#receipts !== false) this.#owed.sent(frame.length);
      this.#socket.send(frame);
      this.#awaitAnswer();
    }
    const waits = this.#reading !== undefined || (this.#frame !== undefined && mayGo);
    if (waits && this.state === 'open') this.#watch();
    else this.#unwatch();
  }

  #watch(): void {
    const { bufferedAmount } = this.#socket;
    const atMs = performance.now();
    if (!this.#timer || bufferedAmount !== this.#progress.bufferedAmount)
      this.#progress = { bufferedAmount, atMs };
    this.#timer ??= setInterval(() => this.#flush(), roomCheckMs);
    if (atMs - this.#progress.atMs < standstillMs) return;
    this.#unwatch();
    this.#socket.renew();
  }

  #unwatch(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #awaitAnswer(): void {
    if (!this.#receipts || this.#owed.isEmpty) return;
    this.#answerTimer ??= setTimeout(() => {
      this.#answerTimer = undefined;
      if (this.#owed.isEmpty || performance.now() < this.#owed.deadlineMs) this.#awaitAnswer();
      else this.#socket.renew();
    }, this.#owed.deadlineMs - performance.now());
  }

  #receive(data: unknown): void {
    const record = readRecord(data);
    if (record?.['type'] === 'error') this.#report(String(record['message']));
    if (record?.['type'] === 'receipt') this.#answered(record);
    if (record?.['type'] !== 'ready') return;
    if (typeof record['max_fps'] === 'number') this.#maxFps = record['max_fps'];
    this.#receipts = record['receipts'] === true;
    if (!this.#receipts) this.#owed.clear();
    this.#flush();
    this.#awaitAnswer();
  }

  #answered({ seq, message }: JsonObject): void {
    const frame = this.#owed.answered(this.#frame !== undefined);
    if (!frame) return;
    const { bytes } = frame;
    if (typeof seq === 'number') {
      this.#taken++;
      this.#socket.worked();
      this.#options.onReceipt?.({ seq, bytes });
    } else {
      this.#refused++;
      this.#options.onReceipt?.({ seq: null, message: String(message), bytes });
      this.#report(String(message));
    }
    this.#flush();
  }

  /** A camera that sends nothing but what is refused says so once a second. */
  #report(message: string): void {
    const atMs = performance.now();
    if (message === this.#reported.message && atMs - this.#reported.atMs < sameErrorMs) return;
    this.#reported = { message, atMs };
    this.#options.onError?.(message);
  }

  #forget(): void {
    this.#unwatch();
    clearTimeout(this.#answerTimer);
    this.#answerTimer = undefined;
    this.#receipts = undefined;
    this.#owed.clear();
  }

  #giveUp(): void {
    this.#forget();
    if (this.#frame) this.#dropped++;
    this.#frame = undefined;
    this.#reading = undefined;
  }
}
