import { checkOptions, type Fault, isOptions, type Shapes } from '@waymark/contract/declaring';
import type { Awaitable } from '@waymark/contract/engine';
import type { HubBackend } from '@waymark/contract/hub';
import { fault } from './declarations/rules.ts';
import type { PresenceThresholds } from './device/presence.ts';

/** Makes the store of a hub. @param keep gives the number of frames to keep of a device, 1 or more */
export type MakeBackend = (keep: (device: string) => number) => Awaitable<HubBackend>;

/** Options of a device hub. Every one has a default; limits are above 0. */
export interface DeviceHubOptions {
  /**
   * Store of frames and readings, closed when the hub stops, or what makes it when the hub starts; default: one in the memory
   * of this process.
   */
  readonly backend?: HubBackend | MakeBackend;
  /**
   * Bytes that the frames of all devices may take together in the default backend; the newest frame of each device is
   * kept regardless. Default: no limit.
   */
  readonly memoryBytes?: number;
  /** Viewers of one device at a time, by WebSocket and MJPEG together; default: 1,000. */
  readonly maxViewersPerDevice?: number;
  /** Streams of the hub that one principal, or one anonymous address, may have open; default: 100. */
  readonly maxViewersPerPrincipal?: number;
  /** Readings that one device may send per second, twice as many at once; default: 50. */
  readonly telemetryPerSecond?: number;
  /** Milliseconds that a camera with a source has for a picture, at most 60,000; default: 10,000. */
  readonly pullTimeoutMs?: number;
  /** Silence after which a camera is `stale` (default: 10,000 ms) and `offline` (default: 60,000 ms). */
  readonly cameraPresence?: Partial<PresenceThresholds>;
  /** Silence after which a sensor is `stale` (default: 180,000 ms) and `offline` (default: 600,000 ms). */
  readonly sensorPresence?: Partial<PresenceThresholds>;
  /**
   * Place of the call as `file:line`, named in problems. Found by itself; a function that wraps `deviceHub` passes its
   * caller's.
   */
  readonly declaredAt?: string;
}

/** The options of a hub with their defaults. */
export interface HubSettings
  extends Required<Omit<DeviceHubOptions, 'backend' | 'memoryBytes' | 'declaredAt'>> {
  readonly cameraPresence: PresenceThresholds;
  readonly sensorPresence: PresenceThresholds;
}

/** Fills in the defaults. */
export function toHubSettings({
  maxViewersPerDevice = 1_000,
  maxViewersPerPrincipal = 100,
  telemetryPerSecond = 50,
  pullTimeoutMs = 10_000,
  cameraPresence,
  sensorPresence,
}: DeviceHubOptions): HubSettings {
  return {
    ...{ maxViewersPerDevice, maxViewersPerPrincipal, telemetryPerSecond, pullTimeoutMs },
    cameraPresence: { staleAfterMs: 10_000, offlineAfterMs: 60_000, ...cameraPresence },
    sensorPresence: { staleAfterMs: 180_000, offlineAfterMs: 600_000, ...sensorPresence },
  };
}

const hubShapes: Readonly<Record<keyof DeviceHubOptions, Shapes[string]>> = {
  // What is no store fails where it is asked for the first thing.
  backend: 'any',
  ...{ memoryBytes: 'number', telemetryPerSecond: 'number', pullTimeoutMs: 'number' },
  ...{ maxViewersPerDevice: 'number', maxViewersPerPrincipal: 'number' },
  ...{ cameraPresence: 'options', sensorPresence: 'options' },
  declaredAt: 'text',
};

const presenceShapes: Readonly<Record<keyof PresenceThresholds, Shapes[string]>> = {
  ...{ staleAfterMs: 'number', offlineAfterMs: 'number' },
};

const limits = [
  'memoryBytes',
  'maxViewersPerDevice',
  'maxViewersPerPrincipal',
  'telemetryPerSecond',
  'pullTimeoutMs',
] as const satisfies readonly (keyof DeviceHubOptions)[];

/** Finds what is wrong with the options of a hub. */
export function checkHubOptions(options: DeviceHubOptions): readonly Fault[] {
  const faults = checkOptions(options, hubShapes);
  if (!isOptions(options)) return faults;
  return [
    ...faults,
    ...limits.flatMap((name) => checkLimit(name, options[name])),
    ...(['cameraPresence', 'sensorPresence'] as const).flatMap((name) => checkPresence(name, options)),
  ];
}

/** Another type than a number is said already. */
function checkLimit(name: string, value: unknown): readonly Fault[] {
  if (typeof value !== 'number' || value > 0) return [];
  return [fault('hub-range', `${name} is not a positive number`, 'write a positive number, or leave it out')];
}

function checkPresence(
  name: 'cameraPresence' | 'sensorPresence',
  options: DeviceHubOptions,
): readonly Fault[] {
  const given = options[name];
  if (!isOptions(given)) return [];
  const shaped = checkOptions(given, presenceShapes, `${name}.`);
  if (shaped.length > 0) return shaped;
  const { staleAfterMs, offlineAfterMs } = toHubSettings({ [name]: given })[name];
  if (staleAfterMs > 0 && staleAfterMs < offlineAfterMs) return [];
  return [
    fault(
      'hub-range',
      `${name}: stale after ${staleAfterMs} ms, offline after ${offlineAfterMs} ms`,
      'write staleAfterMs above 0 and below offlineAfterMs',
    ),
  ];
}
