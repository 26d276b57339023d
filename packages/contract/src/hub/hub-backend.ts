import type { Awaitable, Cancel, Json, Values } from '../engine/json.ts';
import type { Trouble } from '../engine/trouble.ts';
import type { Insight } from './insight.ts';

/** The newest picture of a camera. */
export interface FrameRecord {
  readonly kind: 'frame';
  readonly seq: number;
  readonly mediaType: string;
  /** Shared by everybody: nobody writes into them. */
  readonly bytes: Uint8Array;
  readonly atMs: number;
  /** In pixels, where the header of the picture says. */
  readonly width?: number;
  readonly height?: number;
}

/** The newest reading of a device. */
export interface TelemetryRecord {
  readonly kind: 'telemetry';
  readonly data: Json;
  readonly atMs: number;
}

/** Whether a device is there: `stale` has been silent for too long, `offline` for much longer, or never spoke. */
export type DeviceStatus = 'online' | 'stale' | 'offline';

/** The device was heard of again, or not any more. */
export interface StatusRecord {
  readonly kind: 'status';
  readonly status: DeviceStatus;
  readonly atMs: number;
}

/** One record of a device's stream. */
export type HubRecord =
  | FrameRecord
  | TelemetryRecord
  | StatusRecord
  | { readonly kind: 'insight'; readonly insight: Insight };

/** What one process has seen of a device since it started. */
export interface DeviceReport {
  readonly status: DeviceStatus;
  readonly framesIn: number;
  readonly framesDropped: number;
  readonly bytesIn: number;
  /** Frames a second, lately. */
  readonly fps: number;
  /** Streams that are open. */
  readonly subscribers: number;
}

/** A listener at a backend. */
export interface Subscription {
  /** From here on nothing that is published is missed. Rejects when the backend cannot listen. */
  readonly ready: Promise<void>;
  readonly cancel: Cancel;
}

/**
 * The place where device state lives. In this process by default; every method is for one device unless it says
 * otherwise.
 */
export interface HubBackend {
  /**
   * Called once, before anything else, by a hub that starts. Resolves also where its place cannot be reached for now, as
   * `troubles` says from then on.
   *
   * @param log as `Host.log`; what it is told holds no credentials
   * @throws {DeclarationError} what no waiting puts right: credentials that are refused
   */
  open?(log: (level: 'info' | 'warn' | 'error', message: string, fields?: Values) => void): Promise<void>;
  /** What is wrong with its place at the moment, as `Plugin.troubles` has it. */
  troubles?(): readonly Trouble[];
  /**
   * Ring put and notify. A backend in this process gives no promise, and its callers wait for none.
   *
   * @returns the sequence number, from 1 without gaps; of a place that has lost what it kept it goes on where the
   *   processes know it to have been
   * @throws {HTTPError} 503 after `close`, as the other `publish…` do; with `Retry-After` while its place is out of reach,
   *   or takes no more for now
   */
  publishFrame(device: string, frame: Omit<FrameRecord, 'kind' | 'seq'>): Awaitable<number>;
  publishTelemetry(device: string, telemetry: Omit<TelemetryRecord, 'kind'>): Awaitable<void>;
  publishInsight(insight: Insight): Promise<void>;
  publishStatus(device: string, status: Omit<StatusRecord, 'kind'>): Promise<void>;
  newest(device: string): Promise<FrameRecord | undefined>;
  /** The frames that are kept, newest last. */
  recent(device: string): Promise<readonly FrameRecord[]>;
  telemetry(device: string): Promise<TelemetryRecord | undefined>;
  /**
   * Keeps what one process has seen of a device, in place of what the same one said before, until it is `ttlMs` old.
   *
   * @param reporter names the process
   */
  report(device: string, reporter: string, report: DeviceReport, ttlMs: number): Promise<void>;
  /** What the processes have seen of a device, by their names. */
  reports(device: string): Promise<ReadonlyMap<string, DeviceReport>>;
  /**
   * Asked when the first local viewer comes, cancelled after the last. The listener is told what is published once it is
   * `ready`, frames in the order of their numbers; numbers that are left out were lost on the way. A place that was out
   * of reach for a while goes on by itself, with the newest there is. The listener must not throw.
   */
  subscribe(device: string, listener: (record: HubRecord) => void): Subscription;
  /**
   * Lets one process of all do something for a device, such as asking its camera.
   *
   * @param ttlMs how long it is the holder's from now, unless it says so again; 0 lets go
   * @returns whether it is the holder's
   */
  claim(device: string, holder: string, ttlMs: number): Promise<boolean>;
  /** Ends every subscription. Calling it twice is harmless. */
  close(): Promise<void>;
}
