import { constants, PerformanceObserver } from 'node:perf_hooks';

/**
 * Bytes of bodies that nobody gives back, since whoever was given them may keep them: V8 frees them when it collects. Counted
 * until it did; it begins by itself once 64 MiB came about outside of its heap, and takes 200 ms for it beside other work
 * (measured), in which four bodies of 32 MiB more came.
 */
export class UncollectedBytes {
  #bytes = 0;
  /** Tells of collections; there while something is left. */
  #observer: PerformanceObserver | undefined;

  /** What was left since V8 last collected. */
  get bytes(): number {
    return this.#bytes;
  }

  add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#observer) return;
    this.#observer = new PerformanceObserver((list) => {
      if (list.getEntries().some(isWhole)) this.#collected();
    });
    this.#observer.observe({ entryTypes: ['gc'] });
  }

  #collected(): void {
    this.#bytes = 0;
    this.#observer?.disconnect();
    this.#observer = undefined;
  }
}

/** Whether it looked at all that there is, not at what is young alone. */
function isWhole(entry: object): boolean {
  const { detail } = entry as { readonly detail?: { readonly kind?: number } };
  return detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR;
}
