import type { CameraClient, DeviceEvent, Frames, SensorClient, StreamOptions } from './device-types.ts';
import { finalStatuses, Publisher } from './publisher.ts';
import type { SocketClientOptions } from './socket-types.ts';
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
