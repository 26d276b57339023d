import { HTTPError } from '@waymark/contract';
import type {
  DeviceReport,
  FrameRecord,
  HubBackend,
  HubRecord,
  Insight,
  StatusRecord,
  Subscription,
  TelemetryRecord,
} from '@waymark/contract/hub';
import { FrameRing } from './frame-ring.ts';

/** Limits of a backend in memory. */
export interface MemoryBackendOptions {
  /** Gives the number of frames to keep of a device, 1 or more; called once for each device. */
  keep(device: string): number;
  /** Bytes that the frames of all devices may take; the newest of each is kept regardless. Default: no limit. */
  readonly memoryBytes?: number;
}

/** Device state in this process, and what listings show of it. A restart forgets it. */
export interface MemoryBackend extends HubBackend {
  /** Memory that the frames of all devices hold. */
  readonly bytes: number;
  /** Memory that the frames of a device hold. */
  ringBytes(device: string): number;
}

/** Makes a backend that keeps device state in the memory of this process, for every device name that it is given. */
export function createMemoryBackend(options: MemoryBackendOptions): MemoryBackend {
  return new RingBackend(options);
}

interface Device {
  readonly ring: FrameRing;
  readonly listeners: Set<(record: HubRecord) => void>;
  seq: number;
  telemetry: TelemetryRecord | undefined;
  readonly reports: Map<string, DeviceReport>;
  claim: { readonly holder: string; readonly untilMs: number } | undefined;
}

const ready = Promise.resolve();

class RingBackend implements MemoryBackend {
  readonly #keep: (device: string) => number;
  readonly #memoryBytes: number;
  readonly #devices = new Map<string, Device>();
  #bytes = 0;
  #published = 0;
  #closed = false;

  constructor({ keep, memoryBytes = Number.POSITIVE_INFINITY }: MemoryBackendOptions) {
    this.#keep = keep;
    this.#memoryBytes = memoryBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  ringBytes(device: string): number {
    return this.#devices.get(device)?.ring.bytes ?? 0;
  }

  publishFrame(name: string, frame: Omit<FrameRecord, 'kind' | 'seq'>): number {
    const device = this.#open(name);
    const record = { ...frame, bytes: unpinned(frame.bytes), kind: 'frame', seq: ++device.seq } as const;
    this.#bytes -= device.ring.bytes;
    device.ring.push(record, ++this.#published);
    this.#bytes += device.ring.bytes;
    this.#evict();
    notify(device, record);
    return record.seq;
  }

  publishTelemetry(name: string, telemetry: Omit<TelemetryRecord, 'kind'>): void {
    const device = this.#open(name);
    device.telemetry = { ...telemetry, kind: 'telemetry' };
    notify(device, device.telemetry);
  }

  async publishInsight(insight: Insight): Promise<void> {
    notify(this.#open(insight.device), { kind: 'insight', insight });
  }

  async publishStatus(name: string, status: Omit<StatusRecord, 'kind'>): Promise<void> {
    notify(this.#open(name), { ...status, kind: 'status' });
  }

  async newest(name: string): Promise<FrameRecord | undefined> {
    return this.#devices.get(name)?.ring.newest;
  }

  async recent(name: string): Promise<readonly FrameRecord[]> {
    return [...(this.#devices.get(name)?.ring.frames ?? [])];
  }

  async telemetry(name: string): Promise<TelemetryRecord | undefined> {
    return this.#devices.get(name)?.telemetry;
  }

  /** Nobody here can be gone without a word, so that `ttlMs` has nothing to end. */
  async report(name: string, reporter: string, report: DeviceReport, _ttlMs: number): Promise<void> {
    this.#open(name).reports.set(reporter, report);
  }

  async reports(name: string): Promise<ReadonlyMap<string, DeviceReport>> {
    return new Map(this.#devices.get(name)?.reports);
  }

  subscribe(name: string, listener: (record: HubRecord) => void): Subscription {
    const { listeners } = this.#device(name);
    // One registration, one entry: the same function may be given twice.
    const entry = (record: HubRecord): void => listener(record);
    listeners.add(entry);
    return { ready, cancel: () => void listeners.delete(entry) };
  }

  async claim(name: string, holder: string, ttlMs: number): Promise<boolean> {
    const device = this.#open(name);
    const nowMs = performance.now();
    const { claim } = device;
    if (claim && claim.holder !== holder && claim.untilMs > nowMs) return false;
    device.claim = ttlMs > 0 ? { holder, untilMs: nowMs + ttlMs } : undefined;
    return ttlMs > 0;
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const { listeners } of this.#devices.values()) listeners.clear();
    this.#devices.clear();
    this.#bytes = 0;
  }

  #open(name: string): Device {
    if (this.#closed) throw new HTTPError(503, 'the device hub is closed');
    return this.#device(name);
  }

  #device(name: string): Device {
    const known = this.#devices.get(name);
    if (known) return known;
    const ring = new FrameRing(this.#keep(name));
    const device: Device = {
      ...{ ring, listeners: new Set(), seq: 0 },
      ...{ telemetry: undefined, reports: new Map(), claim: undefined },
    };
    this.#devices.set(name, device);
    return device;
  }

  /** The oldest frames go first, whichever device they are of, but never the newest of one. */
  #evict(): void {
    while (this.#bytes > this.#memoryBytes) {
      const ring = this.#ringOfOldest();
      if (!ring) return;
      this.#bytes -= ring.bytes;
      ring.dropOldest();
      this.#bytes += ring.bytes;
    }
  }

  #ringOfOldest(): FrameRing | undefined {
    let found: FrameRing | undefined;
    let first = Number.POSITIVE_INFINITY;
    for (const { ring } of this.#devices.values()) {
      const { oldest } = ring;
      if (oldest === undefined || oldest >= first) continue;
      found = ring;
      first = oldest;
    }
    return found;
  }
}

function notify({ listeners }: Device, record: HubRecord): void {
  for (const listener of listeners) listener(record);
}

/** `ws` hands out views of the chunk it read: 7 KB would hold 64 KB as long as the frame is kept. */
function unpinned(bytes: Uint8Array): Uint8Array {
  return bytes.buffer.byteLength > 2 * bytes.length ? new Uint8Array(bytes) : bytes;
}
