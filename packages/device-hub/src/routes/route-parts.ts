import type { EngineRouteOptions } from '@waymark/contract';
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
