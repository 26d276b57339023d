import type { FollowedRoot, Following } from './following.ts';
import { WrittenText } from './written-text.ts';

/**
 * How long to wait before looking at the table when nothing is told: another process may execute the root, or decide what it
 * waits for. The longer nothing comes of it the longer, since runs may wait for days.
 */
const shortestLookMs = 1_000;
const longestLookMs = 4_000;

/**
 * To tell one of many takes 15 µs, of which 9 are the system's (measured). A crowd is told together, and so seldom that the run
 * it follows, and everybody else, have more than four fifths of the process; what comes meanwhile is told in one go.
 */
const shareOfOneMs = 0.1;

/** A root that somebody follows, or that is writing. */
export class LiveRoot implements FollowedRoot {
  readonly followings = new Set<Following>();
  readonly text = new WrittenText();
  version = 0;
  #lookMs = shortestLookMs;
  #timer: NodeJS.Timeout | undefined;
  /** What those who follow are still to be told. */
  #stored = false;
  #wave: NodeJS.Timeout | undefined;
  #lastWaveMs = Number.NEGATIVE_INFINITY;

  enter(following: Following): void {
    this.followings.add(following);
    if (!this.#timer) this.#lookLater();
  }

  leave(following: Following): void {
    this.followings.delete(following);
    if (this.followings.size > 0) return;
    clearTimeout(this.#timer);
    clearTimeout(this.#wave);
    this.#timer = undefined;
    this.#wave = undefined;
  }

  /** Something was stored, or may have been. */
  turn(): void {
    this.version++;
    this.#stored = true;
    this.tell();
  }

  /** Something comes of looking: it is looked again soon. */
  found(): void {
    if (this.#lookMs === shortestLookMs) return;
    this.#lookMs = shortestLookMs;
    clearTimeout(this.#timer);
    this.#lookLater();
  }

  /** One look for all who follow. */
  #lookLater(): void {
    const look = (): void => {
      this.#lookMs = Math.min(longestLookMs, 2 * this.#lookMs);
      this.#lookLater();
      this.turn();
    };
    this.#timer = setTimeout(look, this.#lookMs).unref();
  }

  /** Something was written: told at once, or once for all that comes until the others have had their share of the process. */
  tell(): void {
    if (this.#wave) return;
    const shareMs = this.followings.size * shareOfOneMs;
    const waitMs = shareMs < 1 ? 0 : this.#lastWaveMs + shareMs - performance.now();
    if (waitMs <= 0) this.#tellAll();
    else this.#wave = setTimeout(() => this.#tellAll(), waitMs);
  }

  #tellAll(): void {
    const stored = this.#stored;
    this.#stored = false;
    this.#wave = undefined;
    this.#lastWaveMs = performance.now();
    for (const following of this.followings)
      if (stored) following.turn();
      else following.tell();
  }
}
