import type { Cancel, Host } from '@waymark/contract/engine';
import type { DeviceReport, DeviceStatus, HubBackend } from '@waymark/contract/hub';

/** What the reports of a device work with. */
export interface ReportsParts {
  readonly device: string;
  /** Names this process among those that share the backend. */
  readonly reporter: string;
  readonly backend: HubBackend;
  readonly host: Pick<Host, 'after' | 'log'>;
  /** What this process has seen so far. */
  own(): DeviceReport;
}

/** How much later than it happened other processes may hear of a change, milliseconds. */
const delayMs = 1_000;
/** What is told stays good for so long; it is told again in time. */
const goodForMs = 60_000;
const renewMs = goodForMs / 3;

/**
 * What is known of a device, wherever it was seen: others that share the backend are told what this process has seen, and
 * asked for what they have.
 */
export class Reports {
  readonly #parts: ReportsParts;
  #soon = false;
  #timer: Cancel | undefined;

  constructor(parts: ReportsParts) {
    this.#parts = parts;
  }

  /** Something was seen. Cheap: it may be called for each frame. */
  changed(): void {
    if (this.#soon) return;
    this.#soon = true;
    this.#tellIn(delayMs);
  }

  /** What all processes have seen together; of this one as it is now. */
  async all(): Promise<DeviceReport> {
    const { device, reporter, backend, own } = this.#parts;
    // While nobody can be asked, what this process has seen is what is known.
    const told = await backend.reports(device).catch(() => new Map<string, DeviceReport>());
    return [...told].reduce(
      (sum, [name, report]) => (name === reporter ? sum : together(sum, report)),
      own(),
    );
  }

  /** Tells the others how it is now. Never rejects. */
  async tell(): Promise<void> {
    const { device, reporter, backend, host, own } = this.#parts;
    this.#soon = false;
    this.#tellIn(renewMs);
    await backend.report(device, reporter, own(), goodForMs).catch((error: unknown) => {
      host.log('warn', 'a device could not be reported', { device, error });
    });
  }

  stop(): void {
    this.#timer?.();
    this.#timer = undefined;
    this.#soon = true;
  }

  #tellIn(ms: number): void {
    this.#timer?.();
    this.#timer = this.#parts.host.after(ms, () => this.tell());
  }
}

const ranks: readonly DeviceStatus[] = ['online', 'stale', 'offline'];

/** A device is there as soon as one process hears it. */
function together(one: DeviceReport, other: DeviceReport): DeviceReport {
  return {
    status: ranks.find((status) => one.status === status || other.status === status) ?? 'offline',
    framesIn: one.framesIn + other.framesIn,
    framesDropped: one.framesDropped + other.framesDropped,
    bytesIn: one.bytesIn + other.bytesIn,
    fps: Math.round((one.fps + other.fps) * 10) / 10,
    subscribers: one.subscribers + other.subscribers,
  };
}
