import { HTTPError } from '@waymark/contract';
import type { Cancel, Host, Partners, Peer } from '@waymark/contract/engine';
import type {
  DeviceReport,
  DeviceStatus,
  FrameRecord,
  HubBackend,
  Insight,
  Sight,
  TelemetryRecord,
} from '@waymark/contract/hub';
import type { KeptEvidence } from '@waymark/contract/stores';
import type { DeviceSettings } from '../declarations/device-settings.ts';
import { CameraRequest } from '../pull/camera-request.ts';
import { PullTurn } from '../pull/pull-turn.ts';
import { Puller, type PullFacts } from '../pull/puller.ts';
import { readCredentials } from '../pull/source.ts';
import { Feed } from './feed.ts';
import { Ingest } from './ingest.ts';
import { Lines } from './lines.ts';
import { Presence, type PresenceThresholds } from './presence.ts';
import { PullPresence } from './pull-presence.ts';
import { Reports } from './reports.ts';

/** What a device works with. */
export interface DeviceParts {
  readonly settings: DeviceSettings;
  readonly host: Host;
  readonly backend: HubBackend;
  /** Tells one start of the hub from the next. */
  readonly boot: string;
  readonly presence: PresenceThresholds;
  readonly telemetryPerSecond: number;
  readonly pullTimeoutMs: number;
  /** Those that pictures are asked of. */
  readonly partners: Partners;
  /** Streams of the device that are open in this process. */
  subscribers(): number;
}

/** How somebody looks at a device. */
export interface LookOptions {
  /** The oldest that the picture may be when it is asked for, milliseconds. */
  readonly maxAgeMs?: number | undefined;
  /** Asks a camera that is pulled; true. */
  readonly pull?: boolean;
  /** Of who looks: whoever leaves waits no longer. */
  readonly signal?: AbortSignal;
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
  readonly #reports: Reports;
  readonly #host: Host;
  readonly #backend: HubBackend;
  readonly #presence: Presence | PullPresence;
  readonly #puller: Puller | undefined;
  /** Those that send. As many as their door lets in. */
  readonly #senders = new Set<Peer>();
  /** What was taken last, by both clocks. */
  readonly #taken: { [kind in TakenKind]?: { readonly atMs: number; readonly monotonicMs: number } } = {};

  constructor(parts: DeviceParts) {
    const { settings, host, backend, boot, presence, telemetryPerSecond, subscribers } = parts;
    const announce = (status: DeviceStatus): void => this.#announce(status);
    this.settings = settings;
    this.boot = boot;
    this.#host = host;
    this.#backend = backend;
    const pulled = settings.source && settings.frames;
    this.#presence = pulled
      ? new PullPresence(presence, () => host.monotonic(), announce)
      : new Presence(presence, host, announce);
    this.lines = new Lines((ms, task) => host.after(ms, task));
    this.#reports = new Reports({
      ...{ device: settings.name, reporter: boot, backend, host },
      own: () => ({ status: this.#presence.status, ...this.ingest.counts, subscribers: subscribers() }),
    });
    this.feed = new Feed({
      ...{ device: settings.name, backend, host },
      insights: () => this.insights(),
      report: () => this.report(),
    });
    this.ingest = new Ingest({
      ...{ settings, backend, telemetryPerSecond },
      monotonic: () => host.monotonic(),
      stamp: (kind) => this.#stamp(kind),
      confirm: (atMs) => {
        this.#taken.frame = { atMs, monotonicMs: host.monotonic() };
      },
      heard: (kind) => {
        // That somebody sends readings for it says nothing of a camera that is asked.
        if (!pulled || kind === 'frame') this.#presence.heard();
        this.#reports.changed();
      },
    });
    this.#puller = this.#toPuller(parts);
  }

  /** How its pulls go; null of a device that sends by itself. */
  get pulls(): PullFacts | null {
    return this.#puller?.facts ?? null;
  }

  /** What is known of the device, by whichever process. */
  report(): Promise<DeviceReport> {
    return this.#reports.all();
  }

  /** Its streams in this process are more or fewer than before. */
  viewersChanged(): void {
    this.#reports.changed();
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

  /** The newest frame there is; no camera is asked. */
  newest(): Promise<FrameRecord | undefined> {
    return this.#backend.newest(this.settings.name);
  }

  /**
   * The newest frame: of a camera that is pulled as new as it gives it to who asks now, or else the last good one.
   *
   * @throws {HTTPError} 502, 504 the camera gives none and never gave one · 504 none is as new as that
   */
  async look({ maxAgeMs, pull = true, signal }: LookOptions = {}): Promise<FrameRecord | undefined> {
    const oldestMs = this.#host.monotonic() - (maxAgeMs ?? Number.POSITIVE_INFINITY);
    const isNew = (frame: FrameRecord | undefined): boolean =>
      frame !== undefined && this.#host.monotonic() - this.ageMs(frame) >= oldestMs;
    let frame = await this.newest();
    let failure: Error | undefined;
    if (pull && this.#puller && (maxAgeMs === undefined || !isNew(frame))) {
      await this.#puller.fresh(signal).catch((error: Error) => {
        failure = error;
      });
      signal?.throwIfAborted();
      frame = await this.newest();
    }
    if (maxAgeMs !== undefined && !isNew(frame)) throw tooOld(this.settings.name, maxAgeMs, failure);
    if (!frame && failure) throw failure;
    return frame;
  }

  /** What there is to see, as `Devices.look` has it. */
  async sight(signal?: AbortSignal): Promise<Sight> {
    await this.#puller?.fresh(signal);
    const { name } = this.settings;
    const frame = await this.#backend.newest(name);
    const telemetry = await this.#backend.telemetry(name);
    const { status } = await this.report();
    return { ...(frame && { frame }), ...(telemetry && { telemetry }), status };
  }

  /** Keeps the newest frame of a camera that is pulled new, until it is cancelled. */
  watch(): Cancel {
    return this.#puller?.watch() ?? (() => {});
  }

  /** The frames that are kept, newest last. */
  recent(): Promise<readonly FrameRecord[]> {
    return this.#backend.recent(this.settings.name);
  }

  telemetry(): Promise<TelemetryRecord | undefined> {
    return this.#backend.telemetry(this.settings.name);
  }

  /** Newest last. */
  insights(): Promise<readonly Insight[]> {
    return this.#host.stores.insights.recent(this.settings.name, keptInsights);
  }

  /** The picture that the insight of a run is about. */
  evidence(runId: string): Promise<KeptEvidence | undefined> {
    return this.#host.stores.insights.evidence(this.settings.name, runId);
  }

  /** The runs of its insights whose pictures are kept. */
  withEvidence(): Promise<ReadonlySet<string>> {
    return this.#host.stores.insights.withEvidence(this.settings.name);
  }

  /** Counts a socket among those that end with the hub, until it is cancelled. */
  holdOpen(sender: Peer): Cancel {
    this.#senders.add(sender);
    return () => void this.#senders.delete(sender);
  }

  stop(): void {
    if (this.#presence instanceof Presence) this.#presence.stop();
    this.#puller?.stop();
    this.#reports.stop();
    this.lines.stop();
    this.feed.close(goingAway, stopping);
    for (const sender of this.#senders) sender.close(goingAway, stopping);
  }

  #toPuller({ settings, host, backend, boot, pullTimeoutMs, partners }: DeviceParts): Puller | undefined {
    const { name, source, frames } = settings;
    const presence = this.#presence;
    if (!source || !frames || !(presence instanceof PullPresence)) return undefined;
    const credentials = readCredentials(source, (variable) => host.env(variable));
    const request = new CameraRequest({
      ...{ device: name, url: source.url, credentials },
      ...{ outbound: host.outbound, timeoutMs: pullTimeoutMs },
    });
    return new Puller({
      ...{ device: name, request, host, timeoutMs: pullTimeoutMs },
      ...{ maxFps: frames.maxFps, maxFrameBytes: frames.maxFrameBytes },
      turn: new PullTurn({ device: name, holder: boot, backend, host }),
      take: (bytes) => this.ingest.takePulled(bytes),
      missed: () => presence.missed(),
      partner: partners.of(name),
    });
  }

  #stamp(kind: TakenKind): number {
    const atMs = this.#host.now();
    this.#taken[kind] = { atMs, monotonicMs: this.#host.monotonic() };
    return atMs;
  }

  #announce(status: DeviceStatus): void {
    const { name } = this.settings;
    const atMs = this.#host.now();
    // Before the change: whoever comes in between is told of both.
    void this.#reports.tell();
    this.#backend.publishStatus(name, { status, atMs }).catch((error: unknown) => {
      this.#host.log('warn', 'the status of a device could not be told', { device: name, error });
    });
    this.#host.emit({ kind: 'device_status', device: name, status });
  }
}

function tooOld(device: string, maxAgeMs: number, cause: unknown): HTTPError {
  const code = cause instanceof HTTPError ? cause.members.code : undefined;
  return new HTTPError(504, `no picture of "${device}" is ${maxAgeMs} ms old at most`, {
    code: code ?? 'too_old',
    cause,
    ...(cause instanceof HTTPError && { headers: cause.headers }),
  });
}
