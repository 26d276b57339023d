import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@waymark/contract/engine';
import { ThreadWriter } from '../driver/thread-writer.ts';
import { isFailedRead, SqlFault, toSqlFault } from '../sql-fault.ts';
import { parseSql } from '../sql-text.ts';
import type { DatabaseTroubles } from './database-troubles.ts';

/** What is looked through, and for how long. */
export interface LookThroughOptions {
  readonly path: string;
  /** No table is begun after this time. */
  readonly withinMs: number;
  readonly troubles: DatabaseTroubles;
  readonly log: Log;
}

/** What looking through has found; `unknown`: it was not done. */
type Finding = 'well' | 'damaged' | 'unreadable' | 'unknown';

/** How long closing waits for the table under way: SQLite cannot be interrupted here. */
const lastTableMs = 1_000;

/**
 * Looks through a file for damage while it is in use, table by table, on a thread of the driver and a connection of its own:
 * the event loop and the writer go on. It takes 2 ms for each MB; as long as one table is read, what is written stays in the
 * log of the file.
 *
 * It tells damage from a disk that refuses to be read, which SQLite does not: damage is found each time, and in the page
 * itself.
 */
export class LookThrough {
  readonly #options: LookThroughOptions;
  #work: Promise<void> | undefined;
  #stopping = false;

  constructor(options: LookThroughOptions) {
    this.#options = options;
  }

  /** Begins, unless it is under way. */
  start(): void {
    if (this.#stopping) return;
    this.#work ??= this.#look().finally(() => {
      this.#work = undefined;
    });
  }

  /** Begins no other table, and waits a moment for the one under way. */
  async stop(): Promise<void> {
    this.#stopping = true;
    const wait = new AbortController();
    await Promise.race([this.#work, sleep(lastTableMs, undefined, { signal: wait.signal }).catch(() => {})]);
    wait.abort();
  }

  async #look(): Promise<void> {
    const { troubles, log } = this.#options;
    const { failedReads } = troubles;
    const found = await this.#find();
    if (found === 'damaged') {
      troubles.damaged();
      log('error', 'the database file is damaged');
    } else if (found === 'unreadable') {
      troubles.met(new SqlFault('SQLITE_IOERR_READ'));
      log('warn', 'the database file could not be read');
    } else if (found === 'well') troubles.readable(failedReads);
  }

  async #find(): Promise<Finding> {
    for (let times = 1; ; times++)
      try {
        return await this.#lookOnce();
      } catch (error) {
        const code = toSqlFault(error)?.code ?? '';
        if (code === 'SQLITE_CORRUPT' && times === 1) continue;
        // Some damage keeps it from being looked for.
        if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return 'damaged';
        if (isFailedRead(code)) return 'unreadable';
        this.#options.log('warn', 'the database file could not be looked through', {
          fault: code === '' ? String(error) : code,
        });
        return 'unknown';
      }
  }

  async #lookOnce(): Promise<Finding> {
    const { path } = this.#options;
    const setup = { path, setup: '', mode: 'ro', slowMs: Number.POSITIVE_INFINITY } as const;
    const thread = await ThreadWriter.open(setup, () => undefined);
    try {
      return await this.#lookAt(thread);
    } finally {
      await thread.close();
    }
  }

  async #lookAt(thread: ThreadWriter): Promise<Finding> {
    const { withinMs, log } = this.#options;
    const startMs = performance.now();
    const spentMs = (): number => Math.round(performance.now() - startMs);
    const tables = (await thread.read(parseSql(selectTables))).rows.map(([name]) => String(name));
    for (const [i, table] of tables.entries()) {
      if (this.#stopping) return 'unknown';
      if (spentMs() >= withinMs) {
        const unseen = tables.length - i;
        log('warn', 'the database file is too large to be looked through', { unseen, ms: spentMs() });
        return 'well';
      }
      const found = (await thread.read(lookAtTable, [table])).rows[0]?.[0];
      if (found !== 'ok') return isRefusal(String(found)) ? 'unreadable' : 'damaged';
    }
    log('info', 'the database file was looked through', { ms: spentMs() });
    return 'well';
  }
}

/** Of each virtual table, those that hold it. */
const selectTables = `select 'sqlite_schema' union all
  select name from main.sqlite_schema where type = 'table' and rootpage > 0`;

/** The first finding is enough: what comes behind it may be an error, which says less. */
const lookAtTable = parseSql("select quick_check from pragma_quick_check(?, 'main') limit 1");

/** SQLite's words for a page that it was not given, by an error of reading (10) or for want of memory (7). */
function isRefusal(found: string): boolean {
  const [, code] = /unable to get the page\. error code=(\d+)/.exec(found) ?? [];
  return found.includes('failed to get page') || [10, 7].includes(Number(code) & 0xff);
}
