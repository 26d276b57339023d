import type { ToldStep } from '@waymark/contract/runs';
import type { AuditRecord } from '@waymark/contract/stores';

/** Kinds of events with which a root begins, or goes on after its end. */
const begins: ReadonlySet<string> = new Set(['run_started', 'run_forked', 'run_retried']);

/** Steps of one root that wait for their place among what was said of it. */
export class StepQueue {
  readonly #steps: ToldStep[] = [];
  /** How often it is said of it, from here on, that it begins. */
  #begins = 0;
  /** Whether a step may come next; not before the begin, nor after the end; undefined: nothing of either was said yet. */
  #goesOn: boolean | undefined;

  put(step: ToldStep): void {
    this.#steps.push(step);
  }

  /** Hears, before any step is taken, what will be said of the root, in that order. */
  expect({ kind }: AuditRecord): void {
    if (begins.has(kind)) {
      this.#begins++;
      this.#goesOn ??= false;
    } else if (kind === 'run_finished') this.#goesOn ??= true;
  }

  /** The steps that come before what is said of the root now. */
  takeBefore({ kind, at_ms: atMs }: AuditRecord): readonly ToldStep[] {
    const goesOn = this.#goesOn ?? true;
    if (begins.has(kind)) {
      this.#begins--;
      this.#goesOn = true;
    } else if (kind === 'run_finished') {
      this.#goesOn = false;
      if (this.#begins === 0) return this.takeAll();
    }
    if (!goesOn) return [];
    const later = this.#steps.findIndex(({ at_ms, duration_ms }) => at_ms + duration_ms > atMs);
    return this.#steps.splice(0, later < 0 ? this.#steps.length : later);
  }

  takeAll(): readonly ToldStep[] {
    return this.#steps.splice(0);
  }
}
