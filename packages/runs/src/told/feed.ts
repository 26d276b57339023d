import type { WrittenPiece } from '@waymark/contract/runs';
import { Following } from './following.ts';
import { LiveRoot } from './live-root.ts';

/**
 * Wakes those who follow the roots that this process executes, and keeps what those roots are writing. What is stored it keeps
 * nothing of: that is read from the table, by everybody, at their own pace. For a root that nobody follows, and that writes
 * nothing, there is no entry.
 */
export class Feed {
  readonly #roots = new Map<string, LiveRoot>();

  /** Roots that somebody follows, or that write. */
  get size(): number {
    return this.#roots.size;
  }

  /**
   * @param joins whether the root may have been under way before
   * @param signal ends the following
   */
  follow(rootId: string, joins: boolean, signal: AbortSignal): Following {
    const live = this.#open(rootId);
    const following = new Following(live, joins, signal);
    live.enter(following);
    signal.addEventListener('abort', following.onAbort);
    return following;
  }

  leave(rootId: string, following: Following): void {
    following.signal.removeEventListener('abort', following.onAbort);
    const live = this.#roots.get(rootId);
    live?.leave(following);
    if (live?.followings.size !== 0) return;
    live.text.forgetStored();
    if (live.text.empty) this.#roots.delete(rootId);
  }

  /** A step of a run writes. @param after the number of the last step of that run that is stored */
  write(rootId: string, runId: string, piece: WrittenPiece, after: () => number): void {
    const live = this.#open(rootId);
    live.text.write(runId, piece, after);
    live.tell();
  }

  /** A step of a run was stored. */
  stored(rootId: string, runId: string, ord: number): void {
    const live = this.#roots.get(rootId);
    if (!live) return;
    const { text, followings } = live;
    text.end(runId, ord, followings.size > 0);
    if (followings.size > 0) live.turn();
    else if (text.empty) this.#roots.delete(rootId);
  }

  /** The root is executed here no more: what it was writing comes to nothing. */
  ended(rootId: string): void {
    const live = this.#roots.get(rootId);
    if (!live) return;
    live.text.forgetOpen();
    live.turn();
    if (live.followings.size === 0) this.#roots.delete(rootId);
  }

  /** Something changed for every root. */
  turnAll(): void {
    for (const live of this.#roots.values()) live.turn();
  }

  /** The root changed in a way that only the table tells. */
  turn(rootId: string): void {
    this.#roots.get(rootId)?.turn();
  }

  #open(rootId: string): LiveRoot {
    const known = this.#roots.get(rootId);
    if (known) return known;
    const live = new LiveRoot();
    this.#roots.set(rootId, live);
    return live;
  }
}
