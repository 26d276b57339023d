import type { TraceEntry } from '../behaviour/behaviour-context.ts';

/** Entries that are kept. */
const maxEntries = 1_000;

/** What a run has done, in the order in which its function was told: the same at each replay. */
export class Trace {
  readonly #entries: TraceEntry[] = [];
  #closed = false;

  get entries(): readonly TraceEntry[] {
    return [...this.#entries];
  }

  /** The function has ended: what code behind its end is told comes at another moment in each leg, or never. */
  close(): void {
    this.#closed = true;
  }

  add(entry: TraceEntry): void {
    if (this.#closed) return;
    this.#entries.push(Object.freeze(entry));
    if (this.#entries.length > maxEntries) this.#entries.shift();
  }

  /** Notes how a step came out, and passes it on. */
  async note<T>(kind: 'call' | 'run' | 'ask' | 'context', name: string, step: Promise<T>): Promise<T> {
    try {
      const value = await step;
      this.add({ kind, name, ok: true });
      return value;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.add({ kind, name, ok: false, error: message });
      throw error;
    }
  }
}
