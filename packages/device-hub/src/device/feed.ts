import type { Cancel, Host, Peer } from '@waymark/contract/engine';
import type {
  DeviceReport,
  DeviceStatus,
  FrameRecord,
  HubBackend,
  HubRecord,
  Insight,
  Subscription,
  TelemetryRecord,
} from '@waymark/contract/hub';
import { Audience } from '../stream/audience.ts';

/** What a feed works with. */
export interface FeedParts {
  readonly device: string;
  readonly backend: HubBackend;
  readonly host: Pick<Host, 'monotonic' | 'after'>;
  /** Recent ones, newest last. */
  insights(): Promise<readonly Insight[]>;
  /** What is known of the device, by whichever process. */
  report(): Promise<DeviceReport>;
}

/** What there is of a device when a subscriber comes in. */
export interface Newest {
  readonly frame: FrameRecord | undefined;
  readonly telemetry: TelemetryRecord | undefined;
  /** Newest last. */
  readonly insights: readonly Insight[];
  readonly report: DeviceReport;
}

/** How a subscriber wants its stream. */
export interface JoinOptions {
  /** Headers of frames only. */
  readonly meta: boolean;
  /** Frames a second, newest wins; as many as come. */
  readonly fps?: number;
  /** Begins with the newest frame and reading. */
  readonly replay: boolean;
  /** Makes the greeting, of what there is when the subscriber comes in. */
  hello(newest: Newest): object;
}

/** What one device sends out. It listens to the backend as long as somebody watches. */
export class Feed {
  readonly #parts: FeedParts;
  readonly #audience: Audience;
  readonly #listeners = new Set<(record: HubRecord) => void>();
  readonly #ends = new Set<() => void>();
  #watching = 0;
  #subscription: Subscription | undefined;
  #closed: { readonly code: number; readonly reason: string } | undefined;

  constructor(parts: FeedParts) {
    this.#parts = parts;
    const { host } = parts;
    this.#audience = new Audience({
      monotonic: () => host.monotonic(),
      after: (ms, task) => host.after(ms, task),
    });
  }

  /** Lets a subscriber in: greeting, newest frame and reading, then what is live, without a gap in between. */
  async join(peer: Peer, { meta, fps, replay, hello }: JoinOptions): Promise<void> {
    const { ready, cancel } = this.#watch();
    peer.onClose(cancel);
    await ready;
    await this.#withNewest((newest) => {
      const { frame, telemetry } = newest;
      if (this.#closed) return peer.close(this.#closed.code, this.#closed.reason);
      this.#audience.add(peer, {
        meta,
        ...(fps !== undefined && { fps }),
        opening: [hello(newest)],
        ...(frame && { after: frame.seq }),
        ...(replay && frame && { newest: frame }),
        ...(replay && telemetry && { telemetry }),
      });
    });
  }

  /** Calls with each frame, until it is cancelled. @param onEnd told when no more will come */
  onFrame(listener: (frame: FrameRecord) => void, onEnd: () => void): Cancel {
    const { ready, cancel: leave } = this.#watch();
    // Who cannot be heard gives no frames: its viewers are given up, as slow ones are.
    ready.catch(onEnd);
    const cancel = this.#listen((record) => {
      if (record.kind === 'frame') listener(record);
    });
    this.#ends.add(onEnd);
    return () => {
      cancel();
      this.#ends.delete(onEnd);
      leave();
    };
  }

  /** Ends the answers that would go on for ever; sockets are closed by their door. */
  endAnswers(): void {
    for (const end of [...this.#ends]) end();
  }

  /** Ends all streams, those that are still opening included. */
  close(code: number, reason: string): void {
    this.#closed = { code, reason };
    this.endAnswers();
    this.#audience.close(code, reason);
  }

  /**
   * Gives what there is, the records included that come in while the stores are asked: in the same turn, so that what
   * comes after it is seen by whoever was let in.
   */
  async #withNewest(use: (newest: Newest) => void): Promise<void> {
    const { backend, device, insights, report } = this.#parts;
    const meanwhile: {
      frame?: FrameRecord;
      telemetry?: TelemetryRecord;
      status?: DeviceStatus;
      insights: Insight[];
    } = { insights: [] };
    const cancel = this.#listen((record) => {
      if (record.kind === 'frame') meanwhile.frame = record;
      else if (record.kind === 'telemetry') meanwhile.telemetry = record;
      else if (record.kind === 'status') meanwhile.status = record.status;
      else meanwhile.insights.push(record.insight);
    });
    try {
      const [frame, telemetry, recent, known] = await Promise.all([
        backend.newest(device),
        backend.telemetry(device),
        insights(),
        report(),
      ]);
      use({
        frame: newer(frame, meanwhile.frame),
        // They have no numbers; but whatever came before the backend was asked, or will be told later, is in its place.
        telemetry: meanwhile.telemetry ?? telemetry,
        insights: latest([...recent, ...meanwhile.insights]),
        report: { ...known, ...(meanwhile.status && { status: meanwhile.status }) },
      });
    } finally {
      cancel();
    }
  }

  #listen(listener: (record: HubRecord) => void): Cancel {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #watch(): Subscription {
    const { backend, device } = this.#parts;
    this.#subscription ??= backend.subscribe(device, this.#onRecord);
    const { ready } = this.#subscription;
    this.#watching++;
    let inside = true;
    const cancel = (): void => {
      if (!inside) return;
      inside = false;
      if (--this.#watching > 0) return;
      this.#subscription?.cancel();
      this.#subscription = undefined;
    };
    return { ready, cancel };
  }

  readonly #onRecord = (record: HubRecord): void => {
    for (const listener of this.#listeners) listener(record);
    if (record.kind === 'status') {
      const { status, atMs } = record;
      this.#audience.tell({ type: 'status', device: this.#parts.device, status, at_ms: atMs });
    } else this.#audience.publish(record);
  };
}

function newer(stored: FrameRecord | undefined, live: FrameRecord | undefined): FrameRecord | undefined {
  if (stored === undefined || live === undefined) return live ?? stored;
  return live.seq >= stored.seq ? live : stored;
}

/** Of each run what was told last; one that is both stored and told meanwhile is there once. */
function latest(insights: readonly Insight[]): readonly Insight[] {
  return insights.filter((one, i) => !insights.slice(i + 1).some((later) => replaces(later, one)));
}

function replaces(later: Insight, one: Insight): boolean {
  if (later.run_id !== one.run_id) return false;
  // What comes from no run is told apart by what it says.
  return one.run_id !== '' || (later.at_ms === one.at_ms && later.output === one.output);
}
