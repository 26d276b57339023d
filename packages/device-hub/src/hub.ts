import { HTTPError, type Route } from '@waymark/contract';
import {
  type Awaitable,
  type Cancel,
  type Engine,
  type Guard,
  type Host,
  Partners,
  type Trouble,
} from '@waymark/contract/engine';
import type { Devices, HubBackend } from '@waymark/contract/hub';
import { holds } from '@waymark/contract/principal';
import { createMemoryBackend } from './backend/memory-backend.ts';
import type { DeviceSettings } from './declarations/device-settings.ts';
import { Device } from './device/device.ts';
import { Viewers, viewerKey } from './device/viewers.ts';
import { hubDevices } from './hub-devices.ts';
import type { DeviceHubOptions, HubSettings, MakeBackend } from './hub-options.ts';
import { lazyPageFiles, pageFilesRoute } from './pages/page-routes.ts';
import { deviceRoutes } from './routes/device-routes.ts';
import { WatcherNames } from './watcher-names.ts';

/** What exists while a hub runs. */
interface Running {
  readonly host: Host;
  readonly backend: HubBackend;
  readonly devices: ReadonlyMap<string, Device>;
  readonly cameras: Partners;
  readonly endWithHost: Cancel;
}

/** The devices of one hub, between its start and its stop. */
export class Hub {
  readonly routes: readonly Route[];
  /** As watchers see it. */
  readonly seen: Devices;
  readonly watchers = new WatcherNames();
  readonly #declared: readonly DeviceSettings[];
  readonly #options: DeviceHubOptions;
  readonly #settings: HubSettings;
  readonly #viewers: Viewers;
  /** The device that each stream is of. */
  readonly #streams = new Map<Engine, string>();
  #running: Running | undefined;

  constructor(declared: readonly DeviceSettings[], options: DeviceHubOptions, settings: HubSettings) {
    this.#declared = declared;
    this.#options = options;
    this.#settings = settings;
    const viewers = new Viewers({
      perDevice: settings.maxViewersPerDevice,
      perPrincipal: settings.maxViewersPerPrincipal,
      changed: (device) => this.#running?.devices.get(device)?.viewersChanged(),
    });
    this.#viewers = viewers;
    this.seen = hubDevices({
      ...{ declared, watchers: this.watchers },
      running: () => this.#now(),
      device: (name) => this.#device(name),
    });
    const pageFiles = lazyPageFiles();
    const clock = {
      now: () => this.#now().host.now(),
      after: (ms: number, task: () => void) => this.#now().host.after(ms, task),
    };
    const routes = declared.flatMap((one) => {
      const parts = { settings: one, viewers, device: () => this.#device(one.name) };
      const { all, stream } = deviceRoutes(parts, clock, pageFiles);
      this.#streams.set(stream.engine, one.name);
      return all;
    });
    this.routes = routes.length > 0 ? [...routes, pageFilesRoute(pageFiles)] : [];
  }

  /** Refuses a subscriber too many before its 101; missing scopes are left to the dispatcher. */
  readonly guard: Guard = ({ via, route, principal, clientAddress }) => {
    if (via !== 'socket') return undefined;
    const device = this.#streams.get(route.engine);
    if (device === undefined || !holds(principal, route.scopes)) return undefined;
    return this.#viewers.refusal(device, viewerKey(principal, clientAddress));
  };

  get devices(): readonly Device[] {
    return [...this.#now().devices.values()];
  }

  /** What is wrong with where device state lives, and which cameras give no picture. */
  get troubles(): readonly Trouble[] {
    if (!this.#running) return [];
    const { backend, cameras } = this.#running;
    return [...(backend.troubles?.() ?? []), ...cameras.troubles()];
  }

  /** @throws {DeclarationError} what keeps the backend from being used at all */
  start(host: Host): Awaitable<void> {
    const { backend = this.#memoryBackend() } = this.#options;
    return typeof backend === 'function' || backend.open
      ? this.#open(host, backend)
      : this.#run(host, backend);
  }

  async stop(): Promise<void> {
    const running = this.#running;
    if (!running) return;
    this.#running = undefined;
    running.endWithHost();
    for (const device of running.devices.values()) device.stop();
    await running.backend.close();
  }

  #run(host: Host, backend: HubBackend): void {
    // Numbers of frames begin again, so clients must be able to tell.
    const boot = host.newId();
    const { telemetryPerSecond, pullTimeoutMs, cameraPresence, sensorPresence } = this.#settings;
    const cameras = new Partners('camera', { monotonic: () => host.monotonic() });
    const devices = new Map(
      this.#declared.map((settings) => {
        const presence = settings.kind === 'camera' ? cameraPresence : sensorPresence;
        const subscribers = (): number => this.#viewers.of(settings.name);
        const limits = { presence, telemetryPerSecond, pullTimeoutMs, partners: cameras };
        return [settings.name, new Device({ settings, host, backend, boot, ...limits, subscribers })];
      }),
    );
    // A door waits for its answers before it closes; some of these would never end.
    const onAbort = (): void => {
      for (const { feed } of devices.values()) feed.endAnswers();
    };
    host.signal.addEventListener('abort', onAbort, { once: true });
    const endWithHost = (): void => host.signal.removeEventListener('abort', onAbort);
    this.#running = { host, backend, devices, cameras, endWithHost };
  }

  async #open(host: Host, given: HubBackend | MakeBackend): Promise<void> {
    const backend = typeof given === 'function' ? await given(this.#keep()) : given;
    await backend.open?.((...line) => host.log(...line));
    this.#run(host, backend);
  }

  #memoryBackend(): HubBackend {
    const { memoryBytes } = this.#options;
    return createMemoryBackend({ keep: this.#keep(), ...(memoryBytes !== undefined && { memoryBytes }) });
  }

  #keep(): (device: string) => number {
    const keep = new Map(this.#declared.map(({ name, frames }) => [name, frames?.keep ?? 1]));
    return (device) => keep.get(device) ?? 1;
  }

  #device(name: string): Device {
    const device = this.#now().devices.get(name);
    // There is one for each declaration, which routes are made of and watchers are checked against.
    if (!device) throw new Error(`no device "${name}"`);
    return device;
  }

  #now(): Running {
    if (!this.#running) throw new HTTPError(503, 'the device hub is not running');
    return this.#running;
  }
}
