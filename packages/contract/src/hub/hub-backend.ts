import type { Cancel, Json } from '../engine/json.ts';
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

/** One record of a device's stream. */
export type HubRecord =
  | FrameRecord
  | TelemetryRecord
  | { readonly kind: 'insight'; readonly insight: Insight };

/**
 * The place where device state lives. In this process by default; every method is for one device unless it says
 * otherwise.
 */
export interface HubBackend {
  /**
   * Ring put and notify.
   *
   * @returns the sequence number, from 1 without gaps
   * @throws {HTTPError} 503 after `close`, as the other `publish…` do
   */
  publishFrame(device: string, frame: Omit<FrameRecord, 'kind' | 'seq'>): Promise<number>;
  publishTelemetry(device: string, telemetry: Omit<TelemetryRecord, 'kind'>): Promise<void>;
  publishInsight(insight: Insight): Promise<void>;
  newest(device: string): Promise<FrameRecord | undefined>;
  telemetry(device: string): Promise<TelemetryRecord | undefined>;
  /**
   * Asked when the first local viewer comes, cancelled after the last. The listener is told what is published from now
   * on, frames in the order of their numbers; it must not throw.
   */
  subscribe(device: string, listener: (record: HubRecord) => void): Cancel;
  /**
   * Leadership of a watcher among all who ask for the name: one has it at a time, and each new holder a greater fence.
   * The listener is told later, never within this call; false only when leadership is lost without `Cancel`.
   */
  lead(name: string, ttlMs: number, listener: (held: boolean, fence: number) => void): Cancel;
  /** Ends every subscription and takes every leadership away. Calling it twice is harmless. */
  close(): Promise<void>;
}
