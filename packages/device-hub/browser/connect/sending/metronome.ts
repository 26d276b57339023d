/** Says which pictures of a camera are sent, so that on average there are so many a second and never a burst. */
export class Metronome {
  #nextMs = Number.NEGATIVE_INFINITY;
  #lastMs = Number.NEGATIVE_INFINITY;

  /** Whether the picture that came now is one of them. @param nowMs of a clock that only goes forward */
  isDue(nowMs: number, perSecond: number): boolean {
    const intervalMs = 1000 / perSecond;
    // A camera has a rhythm of its own: the nearest picture is taken. What was late is made up for only where the hub takes
    // two at once.
    const earlyMs = Math.min((nowMs - this.#lastMs) / 2, intervalMs / 5);
    const lateMs = perSecond < 10 ? 0 : intervalMs / 2;
    this.#lastMs = nowMs;
    if (nowMs < this.#nextMs - earlyMs) return false;
    this.#nextMs = Math.max(this.#nextMs, nowMs - lateMs) + intervalMs;
    return true;
  }
}
