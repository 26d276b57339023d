import type { StreamLimits } from './stream-limits.ts';

/** How many measurements the rate is the best of, and what each takes at least, milliseconds. */
const rateSamples = 8;
const sampleMs = 100;
/** Of a round trip, before a receipt is late. */
const patience = 1.25;
/** Between two measurements of the round trip of a line that is empty by itself, milliseconds. */
const probeEveryMs = 1_000;
/** A receipt that takes so much longer than its round trip says nothing of the line yet, milliseconds. */
const jitterMs = 10;

/** What one receipt says about the line. */
export interface Delivery {
  /** What is known to have arrived now, and was not before. */
  readonly confirmed: number;
  /** Everything that arrived between the sending of this message and its receipt. */
  readonly bytes: number;
  readonly ms: number;
  readonly roundTripMs: number;
  /** Nothing else was on its way, and it was small: the round trip holds no waiting behind our own messages. */
  readonly alone: boolean;
}

/** What is on its way to a reader and not confirmed. */
export interface Outstanding {
  readonly bytes: number;
  /** When the oldest receipt that is still to come was asked for; undefined when none is. */
  readonly askedAtMs: number | undefined;
}

/**
 * Says how much may be on its way to one reader, and when it is asked for a receipt.
 *
 * A line may get slow at any moment, and what is on its way then is old when it arrives. So without a receipt no more is sent
 * than the slowest line that the target age is kept on would deliver in time: whatever the line moved before, a frame is
 * young if it moves that much now. A slower line gets what it was seen to deliver within that time. More is sent only to a
 * reader that is so far away that its receipts cannot have come yet: what the line delivers within its round trip.
 *
 * A window that follows round trips feeds itself: the more is on its way, the longer they are. So only those count that
 * nothing else was in front of, the least of two, and once the last one is `roundTripMs` old and holds the reader back,
 * the line is left to run empty for the next.
 */
export class DeliveryWindow {
  readonly #limits: StreamLimits;
  /** Bytes per millisecond, the oldest overwritten first. */
  readonly #rates = new Float64Array(rateSamples);
  #nextRate = 0;
  #rate = 0;
  /** Of the measurement that is going on. */
  #sampleBytes = 0;
  #sampleSinceMs = Number.NEGATIVE_INFINITY;
  #heldBack = false;
  #roundTripMs: number | undefined;
  /** Of the measurement before. */
  #beforeMs = Number.POSITIVE_INFINITY;
  #measuredAtMs = 0;
  #measuring = false;
  /** Something was held back since the round trip was measured. */
  #tooNear = false;
  /** Something was held back since the last receipt in time. */
  #pressed = false;
  #frameBytes = 0;
  /** What may be unconfirmed however long it takes. */
  #room = 0;
  /** What arrives within a round trip. */
  #roundTripBytes = 0;

  constructor(limits: StreamLimits) {
    this.#limits = limits;
  }

  /** The round trip of an empty line, milliseconds; undefined until the first receipt. */
  get roundTripMs(): number | undefined {
    return this.#roundTripMs;
  }

  /** Whether `size` more bytes may be sent. To a line that nothing is known of, two messages always may. */
  admits(size: number, outstanding: Outstanding, nowMs: number): boolean {
    if (outstanding.bytes === 0) return true;
    if (this.#measuring) return false;
    const { slackBytes, targetAgeMs } = this.#limits;
    const bytes = outstanding.bytes + size;
    const frame = Math.max(size, this.#frameBytes);
    if (this.#roundTripMs === undefined)
      return bytes <= Math.max(2 * frame, slackBytes) || this.#holdBack(nowMs);
    const lateMs = this.#lateMs(outstanding, nowMs);
    // Beside a large frame that travels alone there is room for readings and for small ones.
    const fits = bytes <= Math.max(this.#room, this.#frameBytes) + slackBytes && lateMs <= targetAgeMs;
    if (fits || (bytes <= this.#roundTripBytes + frame + slackBytes && lateMs <= 0)) return true;
    return this.#holdBack(nowMs);
  }

  /** The socket does not take what it is given. */
  press(): void {
    this.#pressed = true;
  }

  /** Counts a message in. Readings between frames do not change the room of the frames. */
  sent(size: number, kind: 'frame' | 'event'): void {
    this.#measuring = false;
    if (kind === 'frame') this.#frameBytes = size;
  }

  /**
   * Whether a receipt is due behind what was sent: when the next frame would wait for one, or it is time. A near reader
   * on a fast line answers once for several frames.
   *
   * @param sinceMs since the last one was asked for
   */
  wantsReceipt({ bytes }: Outstanding, sinceMs: number): boolean {
    const { receiptEveryMs, firstReceiptEveryMs } = this.#limits;
    if (this.#roundTripMs === undefined) return sinceMs >= firstReceiptEveryMs;
    if (this.#pressed || sinceMs >= receiptEveryMs) return true;
    return bytes + this.#roundTripBytes + this.#frameBytes > this.#room;
  }

  /** Whether the round trip is to be measured in front of the next message to an empty line. */
  wantsRoundTrip(nowMs: number): boolean {
    return this.#tooNear && this.#roundTripMs !== undefined && nowMs - this.#measuredAtMs >= probeEveryMs;
  }

  /** Learns from a receipt. */
  observe(delivery: Delivery, nowMs: number): void {
    const measuredMs = Math.max(0, delivery.roundTripMs);
    const knownMs = this.#roundTripMs;
    if (delivery.alone || knownMs === undefined) {
      // One that was held up by chance would let too much be on its way.
      this.#roundTripMs = Math.min(measuredMs, this.#beforeMs);
      this.#beforeMs = measuredMs;
      this.#measuredAtMs = nowMs;
      this.#tooNear = false;
    } else this.#roundTripMs = Math.min(knownMs, measuredMs);
    if (measuredMs <= patience * this.#roundTripMs + jitterMs) this.#pressed = false;
    this.#measureRate(delivery, nowMs);
    const { targetAgeMs, promisedRate } = this.#limits;
    // A quarter of the time is left for the wait of a frame until the next one, and for the way.
    this.#room = 0.75 * targetAgeMs * Math.min(this.#rate, promisedRate);
    this.#roundTripBytes = patience * this.#roundTripMs * this.#rate;
  }

  /** How late the next receipt is. It waits behind what is in front of it, which is no more than is let through. */
  #lateMs({ bytes, askedAtMs }: Outstanding, nowMs: number): number {
    if (askedAtMs === undefined) return 0;
    const most = Math.max(this.#room, this.#roundTripBytes + this.#frameBytes);
    return nowMs - askedAtMs - patience * (this.#roundTripMs ?? 0) - Math.min(bytes, most) / this.#rate;
  }

  #holdBack(nowMs: number): false {
    this.#pressed = true;
    this.#heldBack = true;
    this.#tooNear = true;
    this.#measuring =
      this.#roundTripMs !== undefined && nowMs - this.#measuredAtMs >= this.#limits.roundTripMs;
    return false;
  }

  /**
   * The rate of what arrived while a message was on its way, or of a longer time: what a near line does within
   * milliseconds is no rate that it keeps. That less came than before says nothing, unless something was held back.
   */
  #measureRate({ confirmed, bytes, ms }: Delivery, nowMs: number): void {
    this.#sampleBytes += confirmed;
    const sinceMs = nowMs - this.#sampleSinceMs;
    if (sinceMs < sampleMs || bytes === 0) return;
    const lasting = Number.isFinite(sinceMs) ? this.#sampleBytes / sinceMs : Number.POSITIVE_INFINITY;
    const rate = Math.min(bytes / Math.max(1, ms), lasting);
    if (this.#heldBack || rate > this.#rate) this.#learnRate(rate);
    this.#heldBack = false;
    this.#sampleBytes = 0;
    this.#sampleSinceMs = nowMs;
  }

  /** A loop: to spread these eight costs more than all the rest of a receipt. */
  #learnRate(rate: number): void {
    this.#rates[this.#nextRate++ % rateSamples] = rate;
    let best = 0;
    for (const known of this.#rates) best = Math.max(best, known);
    this.#rate = best;
  }
}
