import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { ProblemError } from '@waymark/client-gen/runtime';
import type { ControlClient } from '../client/control.ts';

/** What an event of the feed is about. */
export type LiveType = 'run' | 'approval' | 'device' | 'insight' | 'webhook' | 'audit';

const types: readonly LiveType[] = ['run', 'approval', 'device', 'insight', 'webhook', 'audit'];
const shortestPauseMs = 500;
const longestPauseMs = 15_000;

/**
 * The live feed of the service, taken up again behind the last event whenever it breaks. Steps of runs are left out: whoever
 * looks at a run reads it.
 */
export class Live {
  readonly #open: Signal<boolean> = signal(false);
  readonly #listeners = new Set<(type: string) => void>();
  readonly #control: ControlClient;
  readonly #onBreak: () => void;
  #stopped = new AbortController();

  /** @param onBreak the connection is gone, and nobody said why */
  constructor(control: ControlClient, onBreak: () => void) {
    this.#control = control;
    this.#onBreak = onBreak;
  }

  /** Whether what happens is told now; otherwise one has to ask. */
  get open(): ReadonlySignal<boolean> {
    return this.#open;
  }

  /** @returns takes it away again */
  listen(listener: (type: string) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Nothing is told now: somebody found the service away. The next event says that it is back. */
  lost(): void {
    this.#open.value = false;
  }

  start(): void {
    this.stop();
    const { signal } = this.#stopped;
    void this.#follow(signal);
  }

  stop(): void {
    this.#stopped.abort();
    this.#stopped = new AbortController();
    this.#open.value = false;
  }

  async #follow(stopped: AbortSignal): Promise<void> {
    for (let pauseMs = shortestPauseMs; !stopped.aborted; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      try {
        // It goes on by itself behind the last event, also at a service that has started again.
        for await (const { type } of this.#control.events.stream(
          { kinds: types.join(',') },
          { signal: stopped },
        )) {
          pauseMs = shortestPauseMs;
          this.#tell(type);
        }
      } catch (error) {
        if (stopped.aborted) return;
        // The caller may not, or nobody is there to be told; the rest passes.
        if (error instanceof ProblemError && (error.status === 401 || error.status === 403)) return;
      }
      this.lost();
      this.#onBreak();
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }

  #tell(type: string): void {
    this.#open.value = true;
    for (const listener of this.#listeners) listener(type);
  }
}
