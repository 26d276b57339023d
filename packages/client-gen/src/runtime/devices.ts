import type {
  CameraClient,
  CameraPublisher,
  DeviceEvent,
  Frames,
  PublishOptions,
  SensorClient,
  StreamOptions,
} from './device-types.ts';
import type { BytesOfFetch } from './requests.ts';
import type { SocketClientOptions, SocketState } from './socket-types.ts';
import { LastingSocket, readRecord, type SocketUse } from './sockets.ts';

/** The streams and publishers of a camera or a sensor, by the path of its routes: `/devices/door`. */
export function connectDevice(client: SocketClientOptions) {
  return <D extends CameraClient | SensorClient>(path: string): D => {
    const device: CameraClient = {
      stream: (options = {}) => new EventReader(client, path, options),
      publish: (options = {}) => new Publisher(client, path, options),
    };
    // The route table says which of both it is; this is where its word becomes a type.
    return device as CameraClient & D;
  };
}

/** Of what tells why a socket of a device was refused. */
export const finalStatuses = [401, 403, 404];

export const eventTypes = ['hello', 'frame', 'telemetry', 'insight', 'status', 'lagged'];
export const maxInsights = 32;

/** What waits for a consumer: the newest 32 insights, and the newest event of each other type. */
export class EventQueue<F extends Frames> {
  readonly #events: DeviceEvent<F>[] = [];
  #skipped = 0;

  add(event: DeviceEvent<F>): void {
    if (event.type === 'lagged') {
      this.#skipped += event.skipped;
      return;
    }
    const alike = this.#events.filter(({ type }) => type === event.type);
    const [oldest] = alike;
    if (oldest && alike.length === (event.type === 'insight' ? maxInsights : 1)) {
      this.#events.splice(this.#events.indexOf(oldest), 1);
      this.#skipped++;
    }
    this.#events.push(event);
  }

  take(): DeviceEvent<F> | undefined {
    if (this.#skipped === 0) return this.#events.shift();
    const skipped = this.#skipped;
    this.#skipped = 0;
    return { type: 'lagged', skipped };
  }

  clear(): void {
    this.#events.length = 0;
    this.#skipped = 0;
  }
}

/** Reads the events of a device; connects when it is first asked for one. */
export class EventReader<F extends Frames> implements AsyncIterableIterator<DeviceEvent<F>> {
  readonly #queue = new EventQueue<F>();
  readonly #use: SocketUse;
  #socket: LastingSocket | undefined;
  /** A frame whose image is still to come. */
  #header: object | undefined;
  #ended = false;
  #error: Error | undefined;
  #wake = (): void => {};

  constructor(client: SocketClientOptions, path: string, options: StreamOptions<F>) {
    const { frames, fps } = options;
    if (fps !== undefined && !(fps > 0 && fps < Number.POSITIVE_INFINITY))
      throw new TypeError('"fps" is a number above 0');
    this.#use = {
      client,
      options,
      path: `${path}/stream`,
      query: { ...(frames === 'meta' && { frames }), ...(fps !== undefined && { fps: String(fps) }) },
      probe: { method: 'GET', path: `${path}/telemetry`, finalStatuses },
      onOpen: () => {
        this.#header = undefined;
      },
      onMessage: (data) => this.#receive(data),
      onEnd: (error) => {
        this.#ended = true;
        this.#error = error;
        this.#wake();
      },
    };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<DeviceEvent<F>, undefined>> {
    if (!this.#ended) this.#socket ??= new LastingSocket(this.#use);
    for (;;) {
      const value = this.#queue.take();
      if (value) return { value, done: false };
      if (this.#ended) break;
      await new Promise<void>((resolve) => {
        const wakeOthers = this.#wake;
        this.#wake = () => {
          wakeOthers();
          resolve();
        };
      });
    }
    const error = this.#error;
    this.#error = undefined;
    if (error) throw error;
    return { value: undefined, done: true };
  }

  async return(): Promise<IteratorResult<DeviceEvent<F>, undefined>> {
    this.#ended = true;
    this.#socket?.close();
    this.#queue.clear();
    return { value: undefined, done: true };
  }

  #receive(data: unknown): void {
    if (typeof data === 'string') {
      const event = readRecord(data);
      if (!event || !eventTypes.includes(String(event['type']))) return;
      if (event['type'] === 'frame' && this.#use.query['frames'] !== 'meta') this.#header = event;
      else this.#add(event);
    } else if (this.#header) {
      this.#add({ ...this.#header, bytes: new Uint8Array(data as ArrayBuffer) });
      this.#header = undefined;
    }
  }

  /** The service says which members an event of this type has. */
  #add(event: object): void {
    this.#queue.add(event as DeviceEvent<F>);
    const wake = this.#wake;
    this.#wake = () => {};
    wake();
  }
}

/** How often somebody looks whether a socket has room again, and when it counts as dead: no event tells either. */
export const roomCheckMs = 25;
export const standstillMs = 60_000;
/** The largest reading there is. */
export const readingRoom = 65_536;

/** Sends the newest frame and the newest reading, each as soon as there is room. */
export class Publisher implements CameraPublisher {
  readonly #socket: LastingSocket;
  #frame: BytesOfFetch | undefined;
  #reading: string | undefined;
  #dropped = 0;
  #maxFps: number | undefined;
  #error: Error | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #progress = { bufferedAmount: 0, atMs: 0 };

  constructor(client: SocketClientOptions, path: string, options: PublishOptions) {
    this.#socket = new LastingSocket({
      client,
      options,
      path: `${path}/ws`,
      query: {},
      // Without a body it is no reading.
      probe: { method: 'POST', path: `${path}/telemetry`, finalStatuses },
      onOpen: () => this.#flush(),
      onMessage: (data) => this.#receive(data, options),
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

  get dropped(): number {
    return this.#dropped;
  }

  frame(bytes: Uint8Array): boolean {
    const closed = this.#isClosed();
    if (closed || this.#frame) this.#dropped++;
    if (closed) return false;
    // It may also lie in shared memory; a WebSocket itself refuses that.
    this.#frame = bytes as BytesOfFetch;
    this.#flush();
    if (!this.#frame) return true;
    // The caller may use the buffer again.
    this.#frame = new Uint8Array(bytes);
    return false;
  }

  telemetry(reading: object): boolean {
    if (this.#isClosed()) return false;
    this.#reading = JSON.stringify(reading);
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

  #flush(): void {
    const reading = this.#reading;
    if (reading !== undefined && this.#socket.bufferedAmount <= readingRoom) {
      this.#reading = undefined;
      this.#socket.send(reading);
    }
    const frame = this.#frame;
    if (frame && this.#socket.bufferedAmount <= frame.length) {
      this.#frame = undefined;
      this.#socket.send(frame);
    }
    const waits = this.#frame !== undefined || this.#reading !== undefined;
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

  #receive(data: unknown, { onError }: PublishOptions): void {
    const record = readRecord(data);
    if (record?.['type'] === 'error') onError?.(String(record['message']));
    if (record?.['type'] === 'ready' && typeof record['max_fps'] === 'number')
      this.#maxFps = record['max_fps'];
  }

  #giveUp(): void {
    this.#unwatch();
    if (this.#frame) this.#dropped++;
    this.#frame = undefined;
    this.#reading = undefined;
  }
}
