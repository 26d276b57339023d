import type { Cancel, Host, Peer } from '@waymark/contract/engine';
import type { FrameRecord, HubBackend, Insight, TelemetryRecord } from '@waymark/contract/hub';
import type { DeviceSettings } from '../declarations/device-settings.ts';
import { Feed } from './feed.ts';
import { Ingest } from './ingest.ts';
import { Lines } from './lines.ts';
import { type DeviceStatus, Presence, type PresenceThresholds } from './presence.ts';

/** What a device works with. */
export interface DeviceParts {
  readonly settings: DeviceSettings;
  readonly host: Host;
  readonly backend: HubBackend;
  /** Tells one start of the hub from the next. */
  readonly boot: string;
  readonly presence: PresenceThresholds;
  readonly telemetryPerSecond: number;
}

type TakenKind = (FrameRecord | TelemetryRecord)['kind'];

/** Insights that are listed (decision 9.1). */
export const keptInsights = 32;

/** The code of a server that goes away (RFC 6455, 7.4.1). */
const goingAway = 1001;
const stopping = 'the device hub is stopping';

/** One device at work: what it may send, what it sends out, and whether it is there. */
export class Device {
  readonly settings: DeviceSettings;
  readonly boot: string;
  readonly ingest: Ingest;
  readonly feed: Feed;
  /** Of those that send and asked to be looked after. */
  readonly lines: Lines;
  readonly #host: Host;
  readonly #backend: HubBackend;
  readonly #presence: Presence;
  /** Those that send. As many as their door lets in. */
  readonly #senders = new Set<Peer>();
  /** What was taken last, by both clocks. */
  readonly #taken: { [kind in TakenKind]?: { readonly atMs: number; readonly monotonicMs: number } } = {};

  constructor({ settings, host, backend, boot, presence, telemetryPerSecond }: DeviceParts) {
    this.settings = settings;
    this.boot = boot;
    this.#host = host;
    this.#backend = backend;
    this.#presence = new Presence(presence, host, (status) => this.#announce(status));
    this.lines = new Lines((ms, task) => host.after(ms, task));
    this.feed = new Feed({ device: settings.name, backend, host, insights: () => this.insights() });
    this.ingest = new Ingest({
      ...{ settings, backend, telemetryPerSecond },
      monotonic: () => host.monotonic(),
      stamp: (kind) => this.#stamp(kind),
      heard: () => this.#presence.heard(),
    });
  }

  get status(): DeviceStatus {
    return this.#presence.status;
  }

  /**
   * Milliseconds since a record came in. Of what came in before the one that was taken last, or by another process, only
   * the time that it shows is known.
   */
  ageMs({ kind, atMs }: FrameRecord | TelemetryRecord): number {
    const taken = this.#taken[kind];
    if (taken?.atMs === atMs) return Math.round(this.#host.monotonic() - taken.monotonicMs);
    return Math.max(0, this.#host.now() - atMs);
  }

  newest(): Promise<FrameRecord | undefined> {
    return this.#backend.newest(this.settings.name);
  }

  telemetry(): Promise<TelemetryRecord | undefined> {
    return this.#backend.telemetry(this.settings.name);
  }

  /** Newest last. */
  insights(): Promise<readonly Insight[]> {
    return this.#host.stores.insights.recent(this.settings.name, keptInsights);
  }

  /** Counts a socket among those that end with the hub, until it is cancelled. */
  holdOpen(sender: Peer): Cancel {
    this.#senders.add(sender);
    return () => void this.#senders.delete(sender);
  }

  stop(): void {
    this.#presence.stop();
    this.lines.stop();
    this.feed.close(goingAway, stopping);
    for (const sender of this.#senders) sender.close(goingAway, stopping);
  }

  #stamp(kind: TakenKind): number {
    const atMs = this.#host.now();
    this.#taken[kind] = { atMs, monotonicMs: this.#host.monotonic() };
    return atMs;
  }

  #announce(status: DeviceStatus): void {
    const { name } = this.settings;
    this.feed.tellStatus(status, this.#host.now());
    this.#host.emit({ kind: 'device_status', device: name, status });
  }
}
