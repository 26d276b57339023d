import { callSite, type Declaration, isOptions } from '@waymark/contract/declaring';

/** Options of every device. */
export interface DeviceOptions {
  /** Description of the device for agents and listings; default: none. */
  readonly description?: string;
  /** Scopes that a caller needs to send frames and telemetry; default: `['devices:ingest']`. */
  readonly ingestScopes?: readonly string[];
  /** Scopes that a caller needs to read frames, telemetry and insights; default: `['devices:read']`. */
  readonly readScopes?: readonly string[];
  /** Offers the tools `<name>_snapshot` (cameras only), `<name>_telemetry` and `<name>_insights`; default: true. */
  readonly tool?: boolean;
  /**
   * Place of the call as `file:line`, named in problems. Found by itself; a function that wraps the call passes its
   * caller's.
   */
  readonly declaredAt?: string;
}

/** Options of a camera. Every one has a default. */
export interface CameraOptions extends DeviceOptions {
  /**
   * An http or https URL that answers with a picture, or with a stream of them (`multipart/x-mixed-replace`). The camera
   * is pulled whenever somebody asks for a frame, and never before. Default: none, the camera sends by itself.
   */
  readonly source?: string;
  /** Headers of the requests to `source`; default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Variable with the bearer token for `source`; default: none is sent. */
  readonly bearerEnv?: string;
  /** Who asks at `source`, by digest or basic authentication, whichever the camera wants; with `passwordEnv`. */
  readonly username?: string;
  /** Variable with the password of `username`. */
  readonly passwordEnv?: string;
  /** Newest frames that are kept, 1 to 1,000; default: 8. */
  readonly keep?: number;
  /** Frames that the camera may send per second, above 0 and at most 1,000; default: 30. */
  readonly maxFps?: number;
  /** Bytes of the largest frame, 1 to 67,108,864 (64 MiB); default: 5,242,880 (5 MiB). */
  readonly maxFrameBytes?: number;
}

/** Options of a sensor: those of every device. */
export type SensorOptions = DeviceOptions;

/** Declaration of a camera, as `camera` returns it. */
export type CameraDeclaration = Declaration<'camera', Omit<CameraOptions, 'declaredAt'>>;

/** Declaration of a sensor, as `sensor` returns it. */
export type SensorDeclaration = Declaration<'sensor', Omit<SensorOptions, 'declaredAt'>>;

/** Declaration of a camera or a sensor: what `deviceHub` takes. */
export type DeviceDeclaration = CameraDeclaration | SensorDeclaration;

/**
 * Declares a camera, which sends frames and may send telemetry.
 *
 * @param name a letter and up to 53 letters, digits, `_` or `-`; part of its paths and the names of its tools
 */
export function camera(name: string, options: CameraOptions = {}): CameraDeclaration {
  return { kind: 'camera', name, ...separated(options, camera) };
}

/**
 * Declares a sensor, which sends telemetry and has no frame routes.
 *
 * @param name a letter and up to 53 letters, digits, `_` or `-`; part of its paths and the names of its tools
 */
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
