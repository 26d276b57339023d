import type { JsonObject } from './options.ts';
import type { SocketOptions, SocketState } from './socket-types.ts';

/** Frames with their images, or what is told of them alone. */
export type Frames = 'full' | 'meta';

/** What one stream of a device may set for itself. */
export interface StreamOptions<F extends Frames = Frames> extends SocketOptions {
  /** `full`. */
  readonly frames?: F | undefined;
  /** The most frames a second that shall be sent; what the device gives. */
  readonly fps?: number | undefined;
}

/** Whether a device is there: `stale` has been silent for too long, `offline` for much longer. */
export type Presence = 'online' | 'stale' | 'offline';

/** The first event of each connection. The newest frame and reading follow, then what happens. */
export interface DeviceHello {
  readonly type: 'hello';
  readonly device: {
    readonly name: string;
    readonly kind: 'camera' | 'sensor';
    readonly description: string | null;
    readonly max_fps: number | null;
    /** Its pictures are fetched from it when somebody asks for one, and are not told here. */
    readonly pulled: boolean;
  };
  /** The recent ones, newest last. */
  readonly insights: readonly DeviceInsight[];
  /** Another one after each start of the service, which then counts `seq` anew. */
  readonly boot: string;
  readonly status: Presence;
  /** Of the newest frame. */
  readonly seq: number | null;
  /** Of the newest frame, which follows: milliseconds. */
  readonly age_ms: number | null;
  /** Frames a second, lately. */
  readonly fps: number;
}

/** One image of a camera. */
export interface DeviceFrame<F extends Frames = 'full'> {
  readonly type: 'frame';
  readonly seq: number;
  readonly media_type: string;
  /** The image; with `frames: 'meta'` its length. */
  readonly bytes: F extends 'meta' ? number : Uint8Array;
  /** Epoch milliseconds. */
  readonly at_ms: number;
  /** In pixels, where the image says. */
  readonly width?: number;
  readonly height?: number;
}

/** A reading. */
export interface DeviceTelemetry {
  readonly type: 'telemetry';
  readonly data: JsonObject;
}

/** What a watcher concluded. */
export interface DeviceInsight {
  readonly type: 'insight';
  readonly watcher: string;
  readonly device: string;
  readonly agent: string;
  /** Of the frame; null for a sensor. */
  readonly seq: number | null;
  readonly status: string;
  readonly output: string;
  readonly error: string | null;
  readonly run_id: string;
  readonly tokens: number;
  /** Millionths of a US dollar; null where a price is not known. */
  readonly cost_micros: number | null;
  /** Epoch milliseconds. */
  readonly at_ms: number;
}

/** The device was heard of again, or not any more. */
export interface DeviceStatus {
  readonly type: 'status';
  readonly device: string;
  readonly status: Presence;
  /** Epoch milliseconds. */
  readonly at_ms: number;
}

/** So many events gave way to newer ones, on the way or because the consumer was busy. Comes before the next event. */
export interface DeviceLagged {
  readonly type: 'lagged';
  readonly skipped: number;
}

/** What happens on a device. */
export type DeviceEvent<F extends Frames = 'full'> =
  | DeviceHello
  | DeviceFrame<F>
  | DeviceTelemetry
  | DeviceInsight
  | DeviceStatus
  | DeviceLagged;

/** What became of one frame: its number, or why it was not taken. */
export type FrameReceipt =
  | { readonly seq: number; readonly bytes: number }
  | { readonly seq: null; readonly message: string; readonly bytes: number };

/** What one publisher may set for itself. */
export interface PublishOptions extends SocketOptions {
  /** Is told what the service says went wrong, in its words; the same words once a second. */
  readonly onError?: ((message: string) => void) | undefined;
  /** Is told what became of each frame that was sent, in order; by a service that gives receipts. */
  readonly onReceipt?: ((receipt: FrameReceipt) => void) | undefined;
}

/** Sends the readings of one device for as long as it lives; the newest one waits where there is no way through. */
export interface SensorPublisher {
  readonly state: SocketState;
  /** Sends a reading. False when it waits; throws why the service refused the publisher, if it did. */
  telemetry(reading: object): boolean;
  /** Closes it for good; what waits is lost. */
  close(): void;
}

/** Sends frames and readings of one device; of each the newest waits where there is no way through. */
export interface CameraPublisher extends SensorPublisher {
  /** What the service takes at most, each second; undefined until it said so. */
  readonly maxFps: number | undefined;
  /** Frames that the service took, and those that it did not, each with its receipt; 0 where it gives none. */
  readonly taken: number;
  readonly refused: number;
  /** Frames that gave way to newer ones, waited for a connection for more than 2 s, or found the publisher closed. */
  readonly dropped: number;
  /** From the newest frame that was answered to its receipt, milliseconds. */
  readonly roundTripMs: number | undefined;
  /**
   * Sends a whole image. False when it waits: for a connection, for room, or for receipts of those before it. Throws why
   * the service refused the publisher, if it did.
   */
  frame(bytes: Uint8Array): boolean;
}

/** The sockets of a sensor. */
export interface SensorClient {
  /** What happens, from now on and across reconnects. A consumer that is busy gets the newest next. */
  stream(options?: SocketOptions): AsyncIterableIterator<Exclude<DeviceEvent, DeviceFrame>>;
  /** Connects at once, and again whenever the connection breaks. */
  publish(options?: PublishOptions): SensorPublisher;
}

/** The sockets of a camera. */
export interface CameraClient {
  /** What happens, from now on and across reconnects. A consumer that is busy gets the newest next. */
  stream<F extends Frames = 'full'>(options?: StreamOptions<F>): AsyncIterableIterator<DeviceEvent<F>>;
  /** Connects at once, and again whenever the connection breaks. */
  publish(options?: PublishOptions): CameraPublisher;
}
