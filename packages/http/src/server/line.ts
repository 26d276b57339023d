import type { Duplex } from 'node:stream';

/** Requests that may wait on a connection before it is parsed in slices, and before a slice of it waits for them. */
export const longLine = 16;

const line = Symbol('line');

/** Requests of a connection that were sent ahead, behind the one whose turn it is. */
export class Line {
  /** Nobody is taken in any more: the last one in it gets the last answer. */
  isFull = false;
  #waiting = 0;
  #goOn: (() => void) | undefined;

  get waiting(): number {
    return this.#waiting;
  }

  get isLong(): boolean {
    return this.#waiting >= longLine;
  }

  enter(): void {
    this.#waiting++;
  }

  leave(): void {
    this.#waiting--;
    this.#callBack();
  }

  /** Nobody in it is served any more. */
  dissolve(): void {
    this.#waiting = 0;
    this.#callBack();
  }

  /** Calls back when it is no longer long; one call is remembered. */
  whenShort(goOn: () => void): void {
    this.#goOn = goOn;
  }

  #callBack(): void {
    if (!this.#goOn || this.isLong) return;
    const goOn = this.#goOn;
    this.#goOn = undefined;
    goOn();
  }
}

/** The line of a connection. */
export function lineOf(socket: Duplex): Line {
  const lined = socket as LinedSocket;
  lined[line] ??= new Line();
  return lined[line];
}

/** Whether so many wait on a connection that nothing more of it is to be parsed at once. */
export function hasLongLine(socket: Duplex): boolean {
  return (socket as LinedSocket)[line]?.isLong === true;
}

interface LinedSocket extends Duplex {
  [line]?: Line;
}
