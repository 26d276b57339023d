import type { BoundStatement, Driver, Synchronous } from '../driver/driver.ts';
import type { WritePlace } from '../driver/write-queue.ts';
import { SqlFault, toSqlFault } from '../sql-fault.ts';
import { parseSql } from '../sql-text.ts';
import { unavailable } from '../to-db-error.ts';
import type { DatabaseTroubles } from './database-troubles.ts';
import { FilePlace } from './file-place.ts';
import type { LookThrough } from './look-through.ts';

/** A lock that other processes keep for longer is no turn of theirs. */
const longLockMs = 1_000;

/** To look costs a quarter of a commit that does not wait for the disk: such a one believes what was seen so lately. */
const believedMs = 1;

/** What a `DatabaseWatch` tells, and when. */
export interface WatchOptions {
  readonly troubles: DatabaseTroubles;
  /** How long nothing may be heard of the database until it is asked. */
  readonly everyMs: number;
  /** Looks through the file while it is in use. */
  readonly lookThrough?: LookThrough | undefined;
  /** Whether nobody has looked through it before it was opened. */
  readonly unseen?: boolean;
}

/**
 * Finds out by itself what keeps an open database from being used, also when nobody uses it: whether its file is in its
 * place, and with a small write whether anything can be stored; of a remote one, whether it answers within half of the time
 * after which it is asked. One that says nothing is asked anew, since a connection that was cut says nothing for long.
 *
 * Its timer keeps no process alive.
 */
export class DatabaseWatch implements WritePlace {
  readonly #options: WatchOptions;
  #place: FilePlace | undefined;
  #timer: NodeJS.Timeout | undefined;
  #lookedMs = Number.NEGATIVE_INFINITY;
  #asking = false;
  #writing = false;
  #stopped = false;

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  /** @param path of a file, which is open by now */
  start(driver: Driver, path?: string): void {
    if (driver.kind === 'memory' || this.#stopped) return;
    if (path !== undefined) this.#place = new FilePlace(path);
    if (this.#options.unseen) this.#options.lookThrough?.start();
    this.#wait(driver, this.#options.everyMs);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#options.lookThrough?.stop();
  }

  get isGone(): boolean {
    return this.#place?.missing !== undefined;
  }

  refusal(outlasts: Synchronous): Error | undefined {
    const place = this.#place;
    if (!place) return undefined;
    const nowMs = performance.now();
    if (outlasts === 'normal' && nowMs - this.#lookedMs < believedMs && !this.isGone) return undefined;
    this.#lookedMs = nowMs;
    const before = place.missing;
    place.lookAtFile();
    if (place.missing !== before) this.#options.troubles.placed(place.missing);
    return place.missing === undefined ? undefined : unavailable('file is gone', undefined, 'database_gone');
  }

  stored(changed: boolean): void {
    this.#options.troubles.worked(changed);
  }

  locked(ms: number): void {
    if (ms >= longLockMs) this.#options.troubles.locked();
  }

  #wait(driver: Driver, ms: number): void {
    this.#timer = setTimeout(() => this.#look(driver), ms).unref();
  }

  #look(driver: Driver): void {
    const { troubles, everyMs, lookThrough } = this.#options;
    if (troubles.isDoubtful) lookThrough?.start();
    if (this.#place) {
      this.#place.lookAtAll();
      troubles.placed(this.#place.missing);
    }
    const leftMs = everyMs - troubles.silentMs;
    if (troubles.isStuck) void this.#write(driver);
    if (this.#asking) this.#stuck(driver);
    else if (!this.isGone && (troubles.hinders || leftMs <= 0)) void this.#ask(driver);
    // What was heard of a moment ago is asked when that is as long ago.
    this.#wait(driver, leftMs > 0 ? Math.ceil(leftMs) : everyMs);
  }

  /** No answer, and no reason for that. */
  #stuck({ kind }: Driver): void {
    const { troubles } = this.#options;
    if (kind === 'remote') troubles.met(new SqlFault('UNREACHABLE'));
    else troubles.stuck();
  }

  /** Whether it stores something again, its driver tells. */
  async #write(driver: Driver): Promise<void> {
    if (this.#writing) return;
    this.#writing = true;
    await driver.write([touch]).catch(() => undefined);
    this.#writing = false;
  }

  async #ask(driver: Driver): Promise<void> {
    const { troubles } = this.#options;
    this.#asking = true;
    try {
      await (driver.kind === 'remote'
        ? driver.read([ask], AbortSignal.timeout(this.#options.everyMs / 2))
        : driver.write([touch]));
      // Of a file its queue has told.
      if (driver.kind === 'remote') troubles.worked(true);
    } catch (error) {
      troubles.unstuck();
      const fault = toSqlFault(error);
      if (fault) troubles.met(fault);
      // Of a file it only says that much waits.
      else if (driver.kind === 'remote' && !this.#stopped) this.#stuck(driver);
    } finally {
      this.#asking = false;
    }
  }
}

/**
 * Writes a page. SQLite would write none if it changed nothing; of this number it only counts that it grows.
 */
const touch: BoundStatement = { text: parseSql('update svc__fence set last = last + 1'), values: [] };

const ask: BoundStatement = { text: parseSql('select 1'), values: [] };
