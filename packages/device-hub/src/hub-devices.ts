import type { Host } from '@waymark/contract/engine';
import type { Devices, HubBackend } from '@waymark/contract/hub';
import type { DeviceSettings } from './declarations/device-settings.ts';
import type { Device } from './device/device.ts';
import type { WatcherNames } from './watcher-names.ts';

/** What watchers see a hub through. */
export interface HubDevicesParts {
  readonly declared: readonly DeviceSettings[];
  readonly watchers: WatcherNames;
  /** @throws {HTTPError} 503 the hub does not run */
  running(): { readonly host: Host; readonly backend: HubBackend };
  /** @throws {HTTPError} 503 the hub does not run · {Error} none is declared */
  device(name: string): Device;
}

/** Of what was concluded, characters that the audit log keeps. */
const auditedOutput = 500;

/** Makes the port that watchers use. */
export function hubDevices({ declared, watchers, running, device }: HubDevicesParts): Devices {
  return {
    declared: declared.map(({ name, kind, source, frames }) => ({
      ...{ name, kind },
      pulled: source !== undefined,
      maxFps: frames?.maxFps ?? null,
    })),
    look: async (name, signal) => device(name).sight(signal),
    async publish(insight, more) {
      const { host, backend } = running();
      device(insight.device);
      if (!(await host.stores.insights.publish(insight, more))) return false;
      // It is stored: whoever asks or comes in is told of it.
      await backend.publishInsight(insight).catch((error: unknown) => {
        host.log('warn', 'an insight could not be told', { device: insight.device, error });
      });
      const { type: kind, at_ms: _, output, ...fields } = insight;
      host.emit({ kind, ...fields, output: output.slice(0, auditedOutput) });
      return true;
    },
    nameWatcher: (name, watcher) => watchers.add(name, watcher),
  };
}
