import type { Cancel } from '@waymark/contract/engine';

/** Who watches which device, for the listing. */
export class WatcherNames {
  readonly #names = new Map<string, readonly string[]>();

  /** Adds a name, until it is cancelled. */
  add(device: string, watcher: string): Cancel {
    this.#names.set(device, [...this.of(device), watcher]);
    let inside = true;
    return () => {
      if (!inside) return;
      inside = false;
      const names = [...this.of(device)];
      names.splice(names.indexOf(watcher), 1);
      this.#names.set(device, names);
    };
  }

  /** In the order in which they were added. */
  of(device: string): readonly string[] {
    return this.#names.get(device) ?? [];
  }
}
