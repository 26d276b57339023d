import type { Cancel, Host, Peer } from '@waymark/contract/engine';
import type { FrameRecord, HubBackend, HubRecord, Insight, TelemetryRecord } from '@waymark/contract/hub';
import { Audience } from '../stream/audience.ts';
import type { DeviceStatus } from './presence.ts';

/** What a feed works with. */
export interface FeedParts {
  readonly device: string;
  readonly backend: HubBackend;
  readonly host: Pick<Host, 'monotonic' | 'after'>;
  /** Recent ones, newest last. */
  insights(): Promise<readonly Insight[]>;
}

/** How a subscriber wants its stream. */
export interface JoinOptions {
  /** Headers of frames only. */
  readonly meta: boolean;
  /** Frames a second, newest wins; as many as come. */
  readonly fps?: number;
  /** Begins with the newest frame and reading. */
  readonly replay: boolean;
  /** Makes the greeting, of the newest frame as it is when the subscriber comes in. */
  hello(newest: FrameRecord | undefined, insights: readonly Insight[]): object;
}

/** What one device sends out. It listens to the backend as long as somebody watches. */
export class Feed {
  readonly #parts: FeedParts;
  readonly #audience: Audience;
  readonly #listeners = new Set<(record: HubRecord) => void>();
  readonly #ends = new Set<() => void>();
  #watching = 0;
  #unsubscribe: Cancel | undefined;
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
    peer.onClose(this.#watch());
    await this.#withNewest(({ newest, telemetry, insights }) => {
      if (this.#closed) return peer.close(this.#closed.code, this.#closed.reason);
      this.#audience.add(peer, {
        meta,
        ...(fps !== undefined && { fps }),
        opening: [hello(newest, insights)],
        ...(replay && newest && { newest }),
        ...(replay && telemetry && { telemetry }),
      });
    });
  }

  /** Calls with each frame, until it is cancelled. @param onEnd told when no more will come */
  onFrame(listener: (frame: FrameRecord) => void, onEnd: () => void): Cancel {
    const leave = this.#watch();
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

  /** Tells the subscribers of the stream how the device is. */
  tellStatus(status: DeviceStatus, atMs: number): void {
    this.#audience.tell({ type: 'status', device: this.#parts.device, status, at_ms: atMs });
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
    const { backend, device, insights } = this.#parts;
    const meanwhile: { frame?: FrameRecord; telemetry?: TelemetryRecord; insights: Insight[] } = {
      insights: [],
    };
    const cancel = this.#listen((record) => {
      if (record.kind === 'frame') meanwhile.frame = record;
      else if (record.kind === 'telemetry') meanwhile.telemetry = record;
      else meanwhile.insights.push(record.insight);
    });
    try {
      const [frame, telemetry, recent] = await Promise.all([
        backend.newest(device),
        backend.telemetry(device),
        insights(),
      ]);
      use({
        newest: newer(frame, meanwhile.frame),
        // They have no numbers; but whatever came before the backend was asked, or will be told later, is in its place.
        telemetry: meanwhile.telemetry ?? telemetry,
        insights: [...recent, ...meanwhile.insights.filter((one) => !recent.some(isSame(one)))],
      });
    } finally {
      cancel();
    }
  }

  #listen(listener: (record: HubRecord) => void): Cancel {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #watch(): Cancel {
    const { backend, device } = this.#parts;
    this.#unsubscribe ??= backend.subscribe(device, this.#onRecord);
    this.#watching++;
    let inside = true;
    return () => {
      if (!inside) return;
      inside = false;
      if (--this.#watching > 0) return;
      this.#unsubscribe?.();
      this.#unsubscribe = undefined;
    };
  }

  readonly #onRecord = (record: HubRecord): void => {
    for (const listener of this.#listeners) listener(record);
    this.#audience.publish(record);
  };
}

interface Newest {
  readonly newest: FrameRecord | undefined;
  readonly telemetry: TelemetryRecord | undefined;
  readonly insights: readonly Insight[];
}

function newer(stored: FrameRecord | undefined, live: FrameRecord | undefined): FrameRecord | undefined {
  if (stored === undefined || live === undefined) return live ?? stored;
  return live.seq >= stored.seq ? live : stored;
}

function isSame(one: Insight): (other: Insight) => boolean {
  return ({ run_id, status, at_ms }) => run_id === one.run_id && status === one.status && at_ms === one.at_ms;
}
