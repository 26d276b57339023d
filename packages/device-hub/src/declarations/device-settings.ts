import { type SourceSettings, toSource } from '../pull/source.ts';
import type { DeviceDeclaration } from './device-declaration.ts';

/** What a camera takes. */
export interface FrameSettings {
  readonly keep: number;
  readonly maxFps: number;
  readonly maxFrameBytes: number;
}

/** A declared device with every default filled in. */
export interface DeviceSettings {
  readonly name: string;
  readonly kind: DeviceDeclaration['kind'];
  readonly description: string | null;
  /** Undefined for sensors. */
  readonly frames: FrameSettings | undefined;
  /** Of a camera that is pulled. */
  readonly source: SourceSettings | undefined;
  readonly ingestScopes: readonly string[];
  readonly readScopes: readonly string[];
  readonly tool: boolean;
  readonly declaredAt: string;
}

/** Fills in the defaults of the specification. */
export function toSettings(declaration: DeviceDeclaration): DeviceSettings {
  const { kind, name, options, declaredAt } = declaration;
  const {
    description = null,
    ingestScopes = ['devices:ingest'],
    readScopes = ['devices:read'],
    tool = true,
  } = options;
  return {
    name,
    kind,
    description,
    frames: framesOf(declaration),
    source: declaration.kind === 'camera' ? toSource(declaration.options) : undefined,
    ingestScopes,
    readScopes,
    tool,
    declaredAt,
  };
}

function framesOf({ kind, options }: DeviceDeclaration): FrameSettings | undefined {
  if (kind === 'sensor') return undefined;
  const { keep = 8, maxFps = 30, maxFrameBytes = 5 * 1_048_576 } = options;
  return { keep, maxFps, maxFrameBytes };
}
