import type { FrameRecord } from '@waymark/contract/hub';

/** Keeps the newest frames of one device, oldest first; older ones are dropped. Frames are shared by reference. */
export class FrameRing {
  readonly #keep: number;
  readonly #frames: FrameRecord[] = [];
  readonly #orders: number[] = [];
  #bytes = 0;

  /** @param keep frames held; the newest always is */
  constructor(keep: number) {
    this.#keep = Math.max(1, keep);
  }

  /** Memory that its frames hold, bytes: those of the buffers they are views of. */
  get bytes(): number {
    return this.#bytes;
  }

  get frames(): readonly FrameRecord[] {
    return this.#frames;
  }

  get newest(): FrameRecord | undefined {
    return this.#frames.at(-1);
  }

  /** The order number of the oldest frame that is not the newest as well: what may be given up. */
  get oldest(): number | undefined {
    return this.#frames.length > 1 ? this.#orders[0] : undefined;
  }

  /** @param order grows with each frame, of whichever device: the time it shows may have been set back */
  push(frame: FrameRecord, order: number): void {
    this.#frames.push(frame);
    this.#orders.push(order);
    this.#bytes += frame.bytes.buffer.byteLength;
    if (this.#frames.length > this.#keep) this.dropOldest();
  }

  dropOldest(): void {
    this.#orders.shift();
    this.#bytes -= this.#frames.shift()?.bytes.buffer.byteLength ?? 0;
  }
}
