import { callSite, type Declaration, isOptions } from '@waymark/contract/declaring';

/** What every device can be declared with. */
export interface DeviceOptions {
  /** What agents are told the device is; nothing. */
  readonly description?: string;
  /** All needed to send frames and telemetry; `['devices:ingest']`. */
  readonly ingestScopes?: readonly string[];
  /** All needed to read anything back; `['devices:read']`. */
  readonly readScopes?: readonly string[];
  /** Whether agents get the tools `<name>_snapshot`, `<name>_telemetry` and `<name>_insights`; true. */
  readonly tool?: boolean;
  /** `file:line` for messages. Found by itself; a function that wraps the declaration call passes its caller's. */
  readonly declaredAt?: string;
}

/** What a camera can be declared with. */
export interface CameraOptions extends DeviceOptions {
  /** The URL of a snapshot, for a camera that is pulled. Reserved: a camera with a source is refused at boot. */
  readonly source?: string;
  /** Sent to `source`. Reserved. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The variable with the bearer token for `source`. Reserved. */
  readonly bearerEnv?: string;
  /** Frames held, 1 to 1,000; 8. */
  readonly keep?: number;
  /** Frames taken per second, more than 0, at most 1,000; 30. */
  readonly maxFps?: number;
  /** The largest frame in bytes, at most 64 MB; 5 MB. */
  readonly maxFrameBytes?: number;
}

/** What a sensor can be declared with. */
export type SensorOptions = DeviceOptions;

/** One declared camera. */
export type CameraDeclaration = Declaration<'camera', Omit<CameraOptions, 'declaredAt'>>;

/** One declared sensor. */
export type SensorDeclaration = Declaration<'sensor', Omit<SensorOptions, 'declaredAt'>>;

/** Whatever a device hub serves. */
export type DeviceDeclaration = CameraDeclaration | SensorDeclaration;

/** Declares a camera: it sends frames, and telemetry if it has any. */
export function camera(name: string, options: CameraOptions = {}): CameraDeclaration {
  return { kind: 'camera', name, ...separated(options, camera) };
}

/** Declares a sensor: it sends telemetry, and its frame routes are not there. */
export function sensor(name: string, options: SensorOptions = {}): SensorDeclaration {
  return { kind: 'sensor', name, ...separated(options, sensor) };
}

/** Options nobody knows are kept, and so is what is no options at all: the check names them. */
function separated<T extends DeviceOptions>(
  given: T,
  above: (...args: never[]) => unknown,
): { readonly options: Omit<T, 'declaredAt'>; readonly declaredAt: string } {
  if (!isOptions(given)) return { options: given, declaredAt: callSite(above) };
  const { declaredAt = callSite(above), ...options } = given;
  return { options, declaredAt };
}
