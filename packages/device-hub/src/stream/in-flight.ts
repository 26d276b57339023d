import type { Delivery, Outstanding } from './delivery-window.ts';

/** Receipts that may be outstanding; beyond them messages wait for the next one that is free. A power of two. */
const capacity = 64;
/** What travels in one packet takes no time that a round trip would have to be cleared of. */
const packetBytes = 1_400;

/** Messages that one receipt is for. Reused: a delivery allocates nothing. */
interface Batch {
  receipt: number;
  bytes: number;
  sentAtMs: number;
  askedAtMs: number;
  /** What had arrived when it was sent. */
  deliveredBefore: number;
  alone: boolean;
}

/**
 * Counts what was sent to one reader and not confirmed. Receipts have rising numbers and are cumulative: one for the newest
 * message confirms all before it, since a WebSocket client may answer only the last of several pings (RFC 6455, 5.5.3).
 */
export class InFlight implements Outstanding {
  /** In the order in which they were sent, each place used again and again; the batch at `#next` is still open. */
  readonly #batches: Batch[] = [];
  #first = 0;
  #next = 0;
  #asked = 0;
  #delivered = 0;
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  get askedAtMs(): number | undefined {
    return this.#first < this.#next ? this.#batch(this.#first).askedAtMs : undefined;
  }

  /** When the oldest message that is not confirmed was sent; undefined when all are. */
  get sentAtMs(): number | undefined {
    return this.#bytes > 0 ? this.#batch(this.#first).sentAtMs : undefined;
  }

  /** What has to arrive before the next receipt can come. */
  get nextBytes(): number {
    return this.#batch(this.#first).bytes;
  }

  /** Whether something was sent that no receipt was asked for. */
  get uncovered(): boolean {
    return this.#batch(this.#next).bytes > 0;
  }

  /** Counts one message. */
  sent(bytes: number, nowMs: number): void {
    const batch = this.#batch(this.#next);
    if (batch.bytes === 0) this.#open(batch, nowMs);
    batch.alone = this.#bytes === 0;
    batch.bytes += bytes;
    this.#bytes += bytes;
  }

  /** Whether a receipt of that number may be asked for: not when too many are outstanding, or higher ones were. */
  allows(receipt: number): boolean {
    return receipt > this.#asked && this.#next - this.#first < capacity - 1;
  }

  /** A receipt is asked for; call it where `allows` says so. Without anything that needs one it tells the round trip alone. */
  ask(receipt: number, nowMs: number): void {
    const batch = this.#batch(this.#next++);
    if (batch.bytes === 0) {
      this.#open(batch, nowMs);
      batch.alone = this.#bytes === 0;
    }
    batch.receipt = receipt;
    batch.askedAtMs = nowMs;
    this.#asked = receipt;
  }

  /** @returns what the receipt tells about the line; undefined for one that is not outstanding */
  confirm(receipt: number, nowMs: number): Delivery | undefined {
    let place = this.#first;
    while (place < this.#next && this.#batch(place).receipt !== receipt) place++;
    if (place === this.#next) return undefined;
    const last = this.#batch(place);
    const small = last.bytes <= packetBytes;
    const before = this.#delivered;
    while (this.#first <= place) {
      const batch = this.#batch(this.#first++);
      this.#bytes -= batch.bytes;
      this.#delivered += batch.bytes;
      batch.bytes = 0;
    }
    return {
      confirmed: this.#delivered - before,
      bytes: this.#delivered - last.deliveredBefore,
      ms: nowMs - last.sentAtMs,
      roundTripMs: nowMs - last.askedAtMs,
      alone: last.alone && small,
    };
  }

  #open(batch: Batch, nowMs: number): void {
    batch.sentAtMs = nowMs;
    batch.deliveredBefore = this.#delivered;
  }

  #batch(number: number): Batch {
    const place = number % capacity;
    const known = this.#batches[place];
    if (known) return known;
    const fresh = { receipt: 0, bytes: 0, sentAtMs: 0, askedAtMs: 0, deliveredBefore: 0, alone: false };
    this.#batches[place] = fresh;
    return fresh;
  }
}
