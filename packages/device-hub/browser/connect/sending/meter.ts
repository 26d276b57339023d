/** What was sent lately, on average. */
export interface Throughput {
  readonly framesPerSecond: number;
  readonly bytesPerSecond: number;
  readonly bytesPerFrame: number;
}

/** Shorter, and the numbers flicker; longer, and they are late. */
const meterWindowMs = 3_000;

/** No more are remembered, whatever comes. */
const mostSamples = 256;

/** Measures what is sent, over the last three seconds. */
export class Meter {
  readonly #samples: { readonly atMs: number; readonly bytes: number }[] = [];
  #startedAtMs = 0;

  /** @param nowMs of a clock that only goes forward */
  start(nowMs: number): void {
    this.#samples.length = 0;
    this.#startedAtMs = nowMs;
  }

  add(nowMs: number, bytes: number): void {
    this.#samples.push({ atMs: nowMs, bytes });
    if (this.#samples.length > mostSamples) this.#samples.shift();
  }

  read(nowMs: number): Throughput {
    while (this.#samples[0] && this.#samples[0].atMs <= nowMs - meterWindowMs) this.#samples.shift();
    const frames = this.#samples.length;
    const bytes = this.#samples.reduce((sum, sample) => sum + sample.bytes, 0);
    // The first second is no three seconds; nor is it as short as the time to the first picture.
    const seconds = Math.min(meterWindowMs, Math.max(1_000, nowMs - this.#startedAtMs)) / 1_000;
    return {
      framesPerSecond: frames / seconds,
      bytesPerSecond: bytes / seconds,
      bytesPerFrame: frames === 0 ? 0 : bytes / frames,
    };
  }
}
