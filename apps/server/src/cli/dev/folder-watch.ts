import { type FSWatcher, watch } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Watches the folders of files, because editors replace a file rather than write into it. A folder that goes away is
 * watched no longer.
 */
export class FolderWatch {
  readonly #folders = new Map<string, FSWatcher>();
  readonly #changed: (file: string) => void;

  /** @param changed told of each file that changed, in any of the folders */
  constructor(changed: (file: string) => void) {
    this.#changed = changed;
  }

  /** Watches the folder of a file, once. */
  add(file: string): void {
    const folder = dirname(file);
    if (this.#folders.has(folder)) return;
    const watcher = watch(folder, (_event, name) => {
      if (name !== null) this.#changed(join(folder, name));
    });
    watcher.once('error', () => {
      watcher.close();
      this.#folders.delete(folder);
    });
    this.#folders.set(folder, watcher);
  }

  close(): void {
    for (const watcher of this.#folders.values()) watcher.close();
    this.#folders.clear();
  }
}
