import type { Cancel } from '@waymark/contract/engine';

type Listener = (held: boolean, fence: number) => void;

/** Who leads, by name, among the parts of one process: the first who asked and has not left. */
export class Leaders {
  /** The leader first, then those who wait, in order. */
  readonly #queues = new Map<string, Candidate[]>();
  #lastFence = 0;
  #closed = false;

  join(name: string, listener: Listener): Cancel {
    if (this.#closed) return () => {};
    const queue = this.#queues.get(name) ?? [];
    this.#queues.set(name, queue);
    const candidate = new Candidate(listener);
    queue.push(candidate);
    if (queue.length === 1) candidate.take(++this.#lastFence);
    return () => this.#leave(name, candidate);
  }

  /** Every leader is told that it leads no more. */
  close(): void {
    this.#closed = true;
    for (const queue of this.#queues.values()) for (const candidate of queue) candidate.lose();
    this.#queues.clear();
  }

  #leave(name: string, candidate: Candidate): void {
    candidate.gone = true;
    const queue = this.#queues.get(name);
    const place = queue?.indexOf(candidate) ?? -1;
    if (!queue || place === -1) return;
    queue.splice(place, 1);
    if (queue.length === 0) this.#queues.delete(name);
    else if (place === 0) queue[0]?.take(++this.#lastFence);
  }
}

class Candidate {
  readonly #listener: Listener;
  #fence: number | undefined;
  #told = false;
  gone = false;

  constructor(listener: Listener) {
    this.#listener = listener;
  }

  take(fence: number): void {
    this.#fence = fence;
    queueMicrotask(() => {
      if (this.gone) return;
      this.#told = true;
      this.#listener(true, fence);
    });
  }

  /** Who was not yet told that it leads is told nothing. */
  lose(): void {
    const fence = this.#fence;
    if (!this.gone && this.#told && fence !== undefined) queueMicrotask(() => this.#listener(false, fence));
    this.gone = true;
  }
}
