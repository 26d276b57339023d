import type { FrameRecord } from '@waymark/contract';

/** Keeps the newest frames of one device, oldest first; older ones are dropped. Frames are shared by reference. */
export class FrameRing {
  readonly #keep: number;
  readonly #frames: FrameRecord[] = [];
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

  /** The oldest frame that is not the newest as well: what may be given up. */
  get oldest(): FrameRecord | undefined {
    return this.#frames.length > 1 ? this.#frames[0] : undefined;
  }

  push(frame: FrameRecord): void {
    this.#frames.push(frame);
    this.#bytes += frame.bytes.buffer.byteLength;
    if (this.#frames.length > this.#keep) this.dropOldest();
  }

  dropOldest(): void {
    this.#bytes -= this.#frames.shift()?.bytes.buffer.byteLength ?? 0;
  }
}
