import type { Progress } from '@waymark/contract';
import type { NextStep, Reader, WrittenText } from './written-text.ts';

/** What those who follow a root share. */
export interface FollowedRoot {
  readonly text: WrittenText;
  /** Counts what the root stored. */
  readonly version: number;
  /** Something comes of looking. */
  found(): void;
}

/** One who follows a root: told that there is something to read, never what. */
export class Following implements Reader {
  readonly joins: boolean;
  readonly since: number;
  readonly places: Reader['places'] = new Map();
  readonly #live: FollowedRoot;
  readonly signal: AbortSignal;
  #wake: () => void = () => {};
  /** The table knows more than was read. */
  stale = true;
  #text = false;

  /**
   * @param joins whether the root may have been under way before
   * @param signal ends the following
   */
  constructor(live: FollowedRoot, joins: boolean, signal: AbortSignal) {
    this.#live = live;
    this.signal = signal;
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

  /** What is being written and was not told. @param next of steps up to this one */
  written(seen: number, next?: NextStep): Iterable<Progress> {
    this.#text = false;
    if (!this.writes) return [];
    return this.#live.text.read(this, seen, next);
  }

  /** Something was stored. */
  turn(): void {
    this.stale = true;
    this.#wake();
  }

  /** There was more in the table than was read. */
  found(): void {
    this.#live.found();
  }

  /** Something was written. */
  tell(): void {
    this.#text = true;
    this.#wake();
  }

  /** Settles when there is something to read, or when the signal fires. */
  wait(): Promise<void> {
    if (this.stale || this.#text || this.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  readonly onAbort = (): void => this.#wake();
}
