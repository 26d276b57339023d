import { asText, callSite, type Finding, isOptions, toProblems } from '@waymark/contract/declaring';
import type { Plugin } from '@waymark/contract/engine';
import type { DeviceFacts, Devices } from '@waymark/contract/hub';
import { checkDevices, titleOf } from './declarations/check-devices.ts';
import { checkSecrets } from './declarations/check-source.ts';
import type { DeviceDeclaration } from './declarations/device-declaration.ts';
import { type DeviceSettings, toSettings } from './declarations/device-settings.ts';
import { devicesListing } from './devices-listing.ts';
import { Hub } from './hub.ts';
import { checkHubOptions, type DeviceHubOptions, toHubSettings } from './hub-options.ts';
import { hubLimits } from './limits.ts';

/** A hub as a plugin, and as watchers see it. */
export interface DeviceHub extends Plugin {
  /** For `createHost`: watchers ask for it in their `needs`. */
  readonly devices: Devices;
}

/**
 * Makes the plugin that serves declared cameras and sensors: their routes, sockets and tools, and the listing of
 * devices. It throws nothing: its check reports wrong declarations, and a device that is declared wrongly has no routes.
 *
 * Give the plugin's `guards` to the dispatcher: they refuse a subscriber too many before its WebSocket opens (101).
 */
export function deviceHub(
  declarations: readonly DeviceDeclaration[],
  options: DeviceHubOptions = {},
): DeviceHub {
  const declaredAt = options?.declaredAt ?? callSite(deviceHub);
  const { sound, problems } = checkDevices(declarations);
  const faults = checkHubOptions(options);
  const usable = isOptions(options) && faults.length === 0 ? options : {};
  const settings = sound.map(toSettings);
  const hubSettings = toHubSettings(usable);
  const hub = new Hub(settings, usable, hubSettings);
  return {
    name: 'device-hub',
    devices: { ...hub.seen, declared: [...hub.seen.declared, ...misdeclared(declarations, sound)] },
    routes: [...hub.routes, devicesListing(() => hub.devices, hub.watchers)],
    guards: [hub.guard],
    needs: settings.some(({ source }) => source) ? ['outbound'] : [],
    check: ({ env }) => [
      ...problems,
      ...declarations.flatMap((one) => toProblems(titleOf(one), one.declaredAt, checkSecrets(one, env))),
      ...toProblems('deviceHub', declaredAt, faults),
    ],
    start: (host) => hub.start(host),
    stop: () => hub.stop(),
    gauges: () => ({ devices: settings.length }),
    troubles: () => hub.troubles,
    findings: () => toFindings(settings, usable),
    limits: () => (settings.length === 0 ? [] : hubLimits(hubSettings, usable)),
  };
}

/** Those that have no routes: whoever names one is not told that there is none. */
function misdeclared(
  declarations: readonly DeviceDeclaration[],
  sound: readonly DeviceDeclaration[],
): readonly DeviceFacts[] {
  return declarations
    .filter((one) => !sound.some(({ name }) => name === one.name))
    .map(({ kind, name }) => ({ kind, name: asText(name), pulled: false, maxFps: null }));
}

/** What the frames of a hub may take, for the security report. */
function toFindings(
  settings: readonly DeviceSettings[],
  { memoryBytes, backend }: DeviceHubOptions,
): readonly Finding[] {
  const frames = settings.flatMap((one) => (one.frames ? [one.frames] : []));
  if (frames.length === 0 || backend) return [];
  const most = frames.reduce((sum, { keep, maxFrameBytes }) => sum + keep * maxFrameBytes, 0);
  const limit = memoryBytes === undefined ? '' : `, and are kept within ${toMegabytes(memoryBytes)} MB`;
  return [
    {
      severity: 'info',
      text: `the frames of ${frames.length} cameras may take ${toMegabytes(most)} MB of memory${limit}`,
    },
  ];
}

function toMegabytes(bytes: number): number {
  return Math.ceil(bytes / 1_048_576);
}
