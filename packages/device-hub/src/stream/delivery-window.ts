import type { StreamLimits } from './stream-limits.ts';

/** How many deliveries the rate is the best of. */
const rateSamples = 8;

/** What one receipt says about the line. */
export interface Delivery {
  /** Everything that arrived between the sending of this message and its receipt. */
  readonly bytes: number;
  readonly ms: number;
  readonly roundTripMs: number;
  /** Nothing else was on its way: the round trip holds no waiting behind our own messages. */
  readonly alone: boolean;
}

/** What is on its way to a reader and not confirmed. */
export interface Outstanding {
  readonly bytes: number;
  /** When the oldest receipt that is still to come was asked for; undefined when none is. */
  readonly askedAtMs: number | undefined;
}

/**
 * Says how much may be on its way to one reader: what its line delivers within the target age, or within the round trip
 * where that is longer, so that a slow reader gets fresh frames and a far one all of them.
 *
 * A window that follows round trips feeds itself: the more is on its way, the longer they are. So only those count that
 * nothing else was in front of, and once the last one is `roundTripMs` old and holds the reader back, the line is
 * left to run empty for the next. (With the least of the last 64 round trips instead, 50 KB frames over a
 * simulated 1 MB/s were 1.7 s old after half a minute, and 4.2 s after a whole one.)
 */
export class DeliveryWindow {
  readonly #limits: StreamLimits;
  /** Bytes per millisecond, the oldest overwritten first. */
  readonly #rates = new Float64Array(rateSamples);
  #nextRate = 0;
  #roundTripMs: number | undefined;
  #measuredAtMs = 0;
  #measuring = false;
  #frameBytes = 0;
  #ms: number;
  #bytes = 0;

  constructor(limits: StreamLimits) {
    this.#limits = limits;
    this.#ms = limits.targetAgeMs;
  }

  /** The round trip of an empty line, milliseconds; undefined until the first receipt. */
  get roundTripMs(): number | undefined {
    return this.#roundTripMs;
  }

  /**
   * How long messages may go without a receipt of their own, milliseconds. A near reader leaves most of the target age
   * for waiting, and a receipt costs both sides about as much as a small message.
   */
  get receiptEveryMs(): number {
    const { targetAgeMs, receiptEveryMs } = this.#limits;
    if (this.#roundTripMs === undefined) return receiptEveryMs;
    return Math.max(receiptEveryMs, (targetAgeMs - 1.25 * this.#roundTripMs) / 2);
  }

  /** Whether `size` more bytes may be sent. Two messages always may: one travels while the next waits at the line. */
  admits(size: number, { bytes, askedAtMs }: Outstanding, nowMs: number): boolean {
    if (bytes === 0) return true;
    if (this.#measuring) return false;
    const pair = 2 * Math.max(size, this.#frameBytes);
    const after = bytes + size;
    if (after <= pair) return true;
    // A near line shows rates that would fill buffers for seconds once it stalls; some lateness is but jitter.
    const late = askedAtMs !== undefined && nowMs - askedAtMs > 2 * this.#ms;
    if (!late && after <= Math.max(pair, this.#bytes) + this.#limits.slackBytes) return true;
    this.#measuring =
      this.#roundTripMs !== undefined && nowMs - this.#measuredAtMs >= this.#limits.roundTripMs;
    return false;
  }

  /** Counts a message in. Readings between frames do not change the room of the frames. */
  sent(size: number, kind: 'frame' | 'event'): void {
    this.#measuring = false;
    if (kind === 'frame') this.#frameBytes = size;
  }

  /** Learns from a receipt. */
  observe({ bytes, ms, roundTripMs, alone }: Delivery, nowMs: number): void {
    this.#rates[this.#nextRate++ % rateSamples] = bytes / Math.max(1, ms);
    if (alone || this.#roundTripMs === undefined) {
      this.#roundTripMs = Math.max(0, roundTripMs);
      this.#measuredAtMs = nowMs;
    } else this.#roundTripMs = Math.max(0, Math.min(this.#roundTripMs, roundTripMs));
    const rate = this.#bestRate();
    this.#ms = Math.max(this.#limits.targetAgeMs, 1.25 * this.#roundTripMs + this.#frameBytes / rate);
    this.#bytes = rate * this.#ms;
  }

  /** A loop: to spread these eight costs more than all the rest of a receipt. */
  #bestRate(): number {
    let best = 0;
    for (const rate of this.#rates) best = Math.max(best, rate);
    return best;
  }
}
