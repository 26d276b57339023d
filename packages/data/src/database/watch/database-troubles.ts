import type { Trouble } from '@waymark/contract/engine';
import type { SqlFault } from '../sql-fault.ts';
import type { FilePlace } from './file-place.ts';
import { toTrouble, troubleOf } from './to-trouble.ts';

/** What a trouble is about: of each there is one at most. */
type Subject = 'place' | 'content' | 'service';

/**
 * What is known to be wrong with a database at the moment, from statements that met it and from those who watch. Damage
 * stays until the restart; what keeps statements from being done ends with the next one that is.
 */
export class DatabaseTroubles {
  readonly #file: string | undefined;
  readonly #known = new Map<Subject, Trouble>();
  #doneMs = performance.now();

  /** @param file of a local database */
  constructor(file?: string) {
    this.#file = file;
  }

  get list(): readonly Trouble[] {
    return [...this.#known.values()];
  }

  /** Whether statements are known not to be done. */
  get hinders(): boolean {
    return this.#known.has('service');
  }

  /** Milliseconds since the database was last seen to work. */
  get silentMs(): number {
    return performance.now() - this.#doneMs;
  }

  /** A statement was refused. */
  met(fault: SqlFault): void {
    const trouble = toTrouble(fault, this.#file);
    if (trouble?.code === 'database-damaged') this.#known.set('content', trouble);
    else if (trouble) this.#known.set('service', trouble);
  }

  /**
   * Something was stored, or a server has answered.
   *
   * @param changed whether it had to be written: a statement that finds nothing to change needs no room on the disk
   */
  worked(changed: boolean): void {
    if (changed) this.#doneMs = performance.now();
    if (this.#known.size === 0) return;
    if (changed || this.#known.get('service')?.code === 'database-locked') this.#known.delete('service');
  }

  /** Another process keeps the lock. */
  locked(): void {
    this.#known.set('service', troubleOf('database-locked'));
  }

  /** A statement takes too long, for no reason that is known. */
  stuck(): void {
    if (!this.hinders)
      this.#known.set('service', {
        code: 'database-failing',
        message: 'A write to the database does not come to an end: look at its disk.',
      });
  }

  damaged(): void {
    this.#known.set('content', troubleOf('database-damaged'));
  }

  /** @param missing what is not where it was; undefined: all is there */
  placed(missing: FilePlace['missing']): void {
    if (missing) this.#known.set('place', { code: 'database-gone', message: missing });
    else this.#known.delete('place');
  }
}
