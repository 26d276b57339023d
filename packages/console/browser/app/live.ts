import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { ProblemError } from '@waymark/client-gen/runtime';
import type { ControlClient } from '../client/control.ts';

/** What an event of the feed is about. */
export type LiveType = 'run' | 'step' | 'approval' | 'device' | 'insight' | 'webhook' | 'audit';

/** What pages ask about again when it is told of: all but the steps of runs, of which there are many. */
export const liveTypes: readonly LiveType[] = ['run', 'approval', 'device', 'insight', 'webhook', 'audit'];
const shortestPauseMs = 500;
const longestPauseMs = 15_000;

/**
 * The live feed of the service, taken up again behind the last event whenever it breaks.
 */
export class Live {
  readonly #open: Signal<boolean> = signal(false);
  readonly #listeners = new Set<(type: string, runId: string | undefined) => void>();
  readonly #types: readonly LiveType[];
  readonly #control: ControlClient;
  readonly #onBreak: () => void;
  #stopped = new AbortController();

  /**
   * @param types what is told of
   * @param onBreak the connection is gone, and nobody said why
   */
  constructor(control: ControlClient, types: readonly LiveType[], onBreak: () => void) {
    this.#types = types;
    this.#control = control;
    this.#onBreak = onBreak;
  }

  /** Whether what happens is told now; otherwise one has to ask. */
  get open(): ReadonlySignal<boolean> {
    return this.#open;
  }

  /** @returns takes it away again */
  listen(listener: (type: string, runId: string | undefined) => void): () => void {
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
        for await (const { type, run_id: runId } of this.#control.events.stream(
          { kinds: this.#types.join(',') },
          { signal: stopped },
        )) {
          pauseMs = shortestPauseMs;
          this.#tell(type, typeof runId === 'string' ? runId : undefined);
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

  #tell(type: string, runId: string | undefined): void {
    this.#open.value = true;
    for (const listener of this.#listeners) listener(type, runId);
  }
}
