import type { Progress } from '@waymark/contract';
import type { WrittenPiece } from '@waymark/contract/runs';
import { type Reader, WrittenText } from './written-text.ts';

/** One who follows a root: told that there is something to read, never what. */
export class Following implements Reader {
  readonly joins: boolean;
  readonly since: number;
  readonly places: Reader['places'] = new Map();
  readonly #live: LiveRoot;
  #wake: () => void = () => {};
  /** The table knows more than was read. */
  stale = true;
  #text = false;

  /** @param joins whether the root may have been under way before */
  constructor(live: LiveRoot, joins: boolean) {
    this.#live = live;
    this.joins = joins;
    this.since = live.text.ends;
  }

  /** Counts what the root stored, so that those who read the same page in the same moment can be told apart from later ones. */
  get version(): number {
    return this.#live.version;
  }

  /** Whether anything is being written. */
  get writes(): boolean {
    return !this.#live.text.empty;
  }

  /** What is being written and was not told. @param upto of steps with numbers up to it */
  written(seen: number, upto?: number): Iterable<Progress> {
    this.#text = false;
    if (!this.writes) return [];
    return this.#live.text.read(this, seen, upto);
  }

  /** Something was stored. */
  turn(): void {
    this.stale = true;
    this.#wake();
  }

  /** Something was written. */
  tell(): void {
    this.#text = true;
    this.#wake();
  }

  /** Settles when there is something to read, or when the signal fires. @returns false: nothing was told for `ms` */
  wait(ms: number, signal: AbortSignal): Promise<boolean> {
    if (this.stale || this.#text || signal.aborted) return Promise.resolve(true);
    return new Promise((resolve) => {
      const done = (told: boolean): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        this.#wake = () => {};
        resolve(told);
      };
      const onAbort = (): void => done(true);
      const timer = setTimeout(() => done(false), ms);
      signal.addEventListener('abort', onAbort, { once: true });
      this.#wake = () => done(true);
    });
  }
}

/** A root that somebody follows, or that is writing. */
class LiveRoot {
  readonly followings = new Set<Following>();
  readonly text = new WrittenText();
  version = 0;

  turn(): void {
    this.version++;
    for (const following of this.followings) following.turn();
  }
}

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

  /** @param joins whether the root may have been under way before */
  follow(rootId: string, joins: boolean): Following {
    const live = this.#open(rootId);
    const following = new Following(live, joins);
    live.followings.add(following);
    return following;
  }

  leave(rootId: string, following: Following): void {
    const live = this.#roots.get(rootId);
    live?.followings.delete(following);
    if (live?.followings.size !== 0) return;
    live.text.forgetStored();
    if (live.text.empty) this.#roots.delete(rootId);
  }

  /** A step of a run writes. */
  write(rootId: string, runId: string, piece: WrittenPiece): void {
    const live = this.#open(rootId);
    live.text.write(runId, piece);
    for (const following of live.followings) following.tell();
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
