import type { Trouble } from '@waymark/contract/engine';
import { isFailedRead, type SqlFault } from '../sql-fault.ts';
import type { FilePlace } from './file-place.ts';
import { toTrouble, troubleOf } from './to-trouble.ts';

/** What a trouble is about: of each there is one at most. */
type Subject = 'place' | 'content' | 'reading' | 'service' | 'writing';

/**
 * What is known to be wrong with a database at the moment, from statements that met it and from those who watch. Damage
 * stays until the restart; what keeps statements from being done ends with the next one that is; a file that could not be
 * read is well again when it was looked through.
 */
export class DatabaseTroubles {
  readonly #file: string | undefined;
  readonly #known = new Map<Subject, Trouble>();
  #doneMs = performance.now();
  #failedReads = 0;

  /** @param file of a local database */
  constructor(file?: string) {
    this.#file = file;
  }

  get list(): readonly Trouble[] {
    return [...this.#known.values()];
  }

  /** Reads of the file that have failed so far. */
  get failedReads(): number {
    return this.#failedReads;
  }

  /** Whether nobody knows if the file can be read. */
  get isDoubtful(): boolean {
    return this.#known.has('reading');
  }

  /** Whether a server is known to answer reads alone. */
  get isStuck(): boolean {
    return this.#known.has('writing');
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
    if (!trouble) return;
    if (trouble.code === 'database-damaged') this.#known.set('content', trouble);
    // A server reads its file itself: it is well as soon as it answers.
    else if (this.#file !== undefined && isFailedRead(fault.code)) {
      this.#failedReads++;
      if (!this.#known.has('content')) this.#known.set('reading', trouble);
    } else this.#known.set('service', trouble);
  }

  /** All of the file could be read. @param failedReads how many had failed when that began: a later one is still in doubt */
  readable(failedReads: number): void {
    if (failedReads === this.#failedReads) this.#known.delete('reading');
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

  /** A server, which answers reads, has stored something, or left a write without an answer. */
  wrote(stored: boolean): void {
    if (stored) this.#known.delete('writing');
    else this.#known.set('writing', troubleOf('database-stuck'));
  }

  /** Another process keeps the lock. */
  locked(): void {
    this.#known.set('service', troubleOf('database-locked'));
  }

  /** A statement takes too long, for no reason that is known. */
  stuck(): void {
    if (!this.hinders) this.#known.set('service', endless);
  }

  /** It came to an end after all, whichever. */
  unstuck(): void {
    if (this.#known.get('service') === endless) this.#known.delete('service');
  }

  damaged(): void {
    this.#known.delete('reading');
    this.#known.set('content', troubleOf('database-damaged'));
  }

  /** @param missing what is not where it was; undefined: all is there */
  placed(missing: FilePlace['missing']): void {
    if (missing) this.#known.set('place', { code: 'database-gone', message: missing });
    else this.#known.delete('place');
  }
}

const endless: Trouble = {
  code: 'database-failing',
  message: 'A write to the database does not come to an end: look at its disk.',
};
