/** Frames that may be without their receipts, however far away the service is. */
export const mostOwed = 8;
/** So much of what a camera sees may be on its way, milliseconds: as long as the line takes that at once. */
export const aimedMs = 400;
/** A service that owes receipts is silent for this long at most, and for what their frames need at so many bytes a millisecond. */
export const silentMs = 5_000;
export const slowestRate = 50;

/** A frame on its way. */
export interface OwedFrame {
  readonly bytes: number;
  readonly sentMs: number;
  /** Frames on their way when it was sent, itself among them. */
  readonly beside: number;
}

/** The frames that a service has not answered yet, and how many they may be. */
export class FrameWindow {
  readonly #owed: OwedFrame[] = [];
  #size = 1;
  #heardMs = 0;
  roundTripMs: number | undefined;

  get isFull(): boolean {
    return this.#owed.length >= this.#size;
  }

  get isEmpty(): boolean {
    return this.#owed.length === 0;
  }

  /** When a service that has said nothing until then is not there any more; by `performance.now`. */
  get deadlineMs(): number {
    const bytes = this.#owed.reduce((sum, one) => sum + one.bytes, 0);
    return this.#heardMs + silentMs + bytes / slowestRate;
  }

  sent(bytes: number): void {
    const sentMs = performance.now();
    if (this.isEmpty) this.#heardMs = sentMs;
    this.#owed.push({ bytes, sentMs, beside: this.#owed.length + 1 });
  }

  /**
   * The oldest one was answered. As many as were on their way come through in each round trip, so that their number and
   * its length say how many `aimedMs` have room for.
   *
   * @param waits another one could go: without it there is no need for more
   */
  answered(waits: boolean): OwedFrame | undefined {
    const frame = this.#owed.shift();
    if (!frame) return undefined;
    this.#heardMs = performance.now();
    this.roundTripMs = this.#heardMs - frame.sentMs;
    const room = Math.max(1, Math.ceil((frame.beside * aimedMs) / Math.max(1, this.roundTripMs)));
    this.#size = Math.min(mostOwed, room, waits ? this.#size + 1 : this.#size);
    return frame;
  }

  /** Nobody will answer them. */
  clear(): void {
    this.#owed.length = 0;
    this.#size = 1;
  }
}
