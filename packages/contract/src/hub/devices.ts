import type { Cancel } from '../engine/json.ts';
import type { Publication } from '../stores/stores.ts';
import type { DeviceStatus, FrameRecord, TelemetryRecord } from './hub-backend.ts';
import type { Insight } from './insight.ts';

/** What is declared of a device. */
export interface DeviceFacts {
  readonly name: string;
  readonly kind: 'camera' | 'sensor';
  /** A camera that is asked for its pictures, each time somebody looks. */
  readonly pulled: boolean;
  /** Frames a second that it may give; null of a sensor. */
  readonly maxFps: number | null;
}

/** What there is to see of a device. As long as nothing newer came in, the records are the same objects. */
export interface Sight {
  readonly frame?: FrameRecord;
  readonly telemetry?: TelemetryRecord;
  readonly status: DeviceStatus;
}

/** A hub as watchers see it. */
export interface Devices {
  /** In the order of their declarations; known before the hub starts. */
  readonly declared: readonly DeviceFacts[];
  /**
   * The newest frame and reading. A camera that is pulled is asked, and an older picture is none.
   *
   * @param signal gives up waiting, not the question to the camera, which others may have asked as well
   * @throws {HTTPError} 502, 504 the camera gives none · 503 the hub does not run
   * @throws {Error} no such device is declared
   */
  look(device: string, signal?: AbortSignal): Promise<Sight>;
  /**
   * Stores an insight with what goes along, in one commit; then tells it to the streams and the audit log.
   *
   * @returns false: it was published already, and nobody is told again
   * @throws {HTTPError} 503 the hub does not run
   * @throws {Error} no such device is declared
   */
  publish(insight: Insight, more?: Publication): Promise<boolean>;
  /** Names a watcher in the listing of devices, until it is cancelled; also before the hub starts. */
  nameWatcher(device: string, watcher: string): Cancel;
}
