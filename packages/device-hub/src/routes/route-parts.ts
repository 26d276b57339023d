import { type EngineRouteOptions, Type } from '@waymark/contract';
import type { RouteFacts } from '@waymark/contract/route';
import type { DeviceSettings } from '../declarations/device-settings.ts';
import type { Device } from '../device/device.ts';
import type { Viewers } from '../device/viewers.ts';

/** What the routes of one device are made of. */
export interface RouteParts {
  readonly settings: DeviceSettings;
  /** The device at work. @throws {Error} before the hub has started */
  device(): Device;
  readonly viewers: Viewers;
}

/** The path of one of its routes. */
export function pathOf({ settings }: RouteParts, last: string): string {
  return `/devices/${settings.name}/${last}`;
}

/** What routes that give a picture can be asked. */
export const lookInput = {
  max_age_ms: Type.Optional(
    Type.Integer({
      minimum: 0,
      description:
        'The oldest that the picture may be when it is asked for, milliseconds; 504 where none is as new as that.',
    }),
  ),
};

/** How asking a camera fails. */
export function pullFails({ source }: DeviceSettings): NonNullable<RouteFacts['fails']> {
  return source ? [502] : [];
}

/** What they were asked, validated. */
export interface LookInput {
  readonly max_age_ms?: number;
}

/** What the routes that send have in common. @param facts its own, besides whose it is */
export function toSend({ settings }: RouteParts, facts: RouteFacts = {}): EngineRouteOptions {
  return { scopes: settings.ingestScopes, ...toCommon(settings, facts) };
}

/** What the routes that read have in common. @param facts its own, besides whose it is */
export function toRead({ settings }: RouteParts, facts: RouteFacts = {}): EngineRouteOptions {
  return { scopes: settings.readScopes, ...toCommon(settings, facts) };
}

function toCommon({ name, declaredAt }: DeviceSettings, facts: RouteFacts): EngineRouteOptions {
  return { placement: 'owner', declaredAt, facts: { device: name, ...facts } };
}

/** What is said of the device wherever it is described: `camera "door" (the front door)`. */
export function titleOf({ kind, name, description }: DeviceSettings): string {
  return `${kind} "${name}"${description === null ? '' : ` (${description})`}`;
}
