import { type PictureSize, toSentSize } from '../camera/picture-sizes.ts';
import type { TakePicture } from '../camera/watch-pictures.ts';
import type { Encoder } from './encoder.ts';
import { Metronome } from './metronome.ts';
import type { Pace } from './pace.ts';
import type { Tally } from './tally.ts';

/** Where frames go: a publisher of the client. */
export interface FrameLine {
  readonly state: string;
  /** False when the frame waits because there is no room. */
  frame(bytes: Uint8Array): boolean;
}

/** What a sender works with. */
export interface SenderParts {
  readonly encoder: Pick<Encoder, 'encode'>;
  readonly pace: Pace;
  readonly tally: Tally;
  /** The newest choice of the person. */
  readonly look: () => { readonly size: PictureSize; readonly mirrored: boolean };
  readonly onError: (error: unknown) => void;
}

/** A frame that waits longer for the line gives way to a newer one. */
const freshMs = 250;
/** What the browser has not done by then, it does not do. */
const encodeMs = 5_000;

/**
 * Sends pictures of a camera, one under way at a time: what comes while one is being encoded, or waits for the line, is
 * skipped and counted. Nothing is encoded while there is no connection, so that nothing old is sent after.
 */
export class Sender {
  readonly #parts: SenderParts;
  readonly #metronome = new Metronome();
  #line: FrameLine | undefined;
  #encodingSinceMs: number | undefined;
  #waitingSinceMs: number | undefined;
  #lastBytes = 0;

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  /** Of the frame that was sent last. */
  get lastBytes(): number {
    return this.#lastBytes;
  }

  /** Sends over this line from now on. */
  use(line: FrameLine | undefined): void {
    this.#line = line;
    this.moved();
  }

  /** The line took something, or is another one. */
  moved(): void {
    this.#waitingSinceMs = undefined;
  }

  /** A picture is there. */
  offer(take: TakePicture): void {
    const { pace, tally } = this.#parts;
    const nowMs = performance.now();
    if (this.#line?.state !== 'open' || !this.#metronome.isDue(nowMs, pace.perSecond)) return;
    if (isSince(this.#encodingSinceMs, nowMs, encodeMs)) {
      tally.skippedForEncoder++;
    } else if (isSince(this.#waitingSinceMs, nowMs, freshMs)) {
      tally.skippedForLine++;
      pace.skipped();
    } else void this.#send(take, nowMs);
  }

  async #send(take: TakePicture, nowMs: number): Promise<void> {
    const line = this.#line;
    this.#encodingSinceMs = nowMs;
    try {
      const bytes = await this.#encode(take);
      // It may have taken so long that another one has begun, or the line is gone.
      if (this.#encodingSinceMs === nowMs && this.#line === line && line) this.#give(bytes, line);
    } catch (error) {
      this.#parts.onError(error);
    } finally {
      if (this.#encodingSinceMs === nowMs) this.#encodingSinceMs = undefined;
    }
  }

  async #encode(take: TakePicture): Promise<Uint8Array> {
    const { encoder, pace, look } = this.#parts;
    const picture = await take();
    const { size, mirrored } = look();
    const { quality, scale } = pace;
    return encoder.encode(picture, { ...toSentSize(picture, size, scale), quality, mirrored });
  }

  #give(bytes: Uint8Array, line: FrameLine): void {
    const { pace } = this.#parts;
    if (line.state !== 'open') return;
    if (pace.isTooLarge(bytes.length)) {
      pace.tooLarge(bytes.length);
      return;
    }
    this.#lastBytes = bytes.length;
    pace.sent();
    this.#waitingSinceMs = line.frame(bytes) ? undefined : performance.now();
  }
}

function isSince(sinceMs: number | undefined, nowMs: number, forMs: number): boolean {
  return sinceMs !== undefined && nowMs - sinceMs < forMs;
}
