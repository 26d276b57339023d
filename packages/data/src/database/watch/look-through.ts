import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Log } from '@waymark/contract/engine';
import { Connection } from '../driver/connection.ts';
import { toSqlFault } from '../sql-fault.ts';
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

/** How long closing waits for the table under way: the driver cannot be interrupted without waiting for it. */
const lastTableMs = 1_000;

/**
 * Looks through a file for damage while it is in use, once, table by table, on a thread of the driver and a connection of its
 * own: the event loop and the writer go on. It takes 2 ms for each MB; as long as one table is read, what is written stays in
 * the log of the file.
 */
export class LookThrough {
  readonly #options: LookThroughOptions;
  #work: Promise<void> = Promise.resolve();
  #stopping = false;

  constructor(options: LookThroughOptions) {
    this.#options = options;
  }

  start(): void {
    this.#work = this.#look();
  }

  /** Begins no other table, and waits a moment for the one under way. */
  async stop(): Promise<void> {
    this.#stopping = true;
    const wait = new AbortController();
    await Promise.race([this.#work, sleep(lastTableMs, undefined, { signal: wait.signal }).catch(() => {})]);
    wait.abort();
  }

  async #look(): Promise<void> {
    const { path, log } = this.#options;
    let connection: Connection | undefined;
    try {
      connection = new Connection(`${pathToFileURL(path).href}?mode=ro`, prepare);
      await this.#lookAt(connection);
    } catch (error) {
      const fault = toSqlFault(error);
      // Some damage keeps it from being looked for.
      if (/^SQLITE_(CORRUPT|NOTADB)/.test(fault?.code ?? '')) this.#found();
      else
        log('warn', 'the database file could not be looked through', { fault: fault?.code ?? String(error) });
    } finally {
      connection?.close();
    }
  }

  #found(): void {
    const { troubles, log } = this.#options;
    troubles.damaged();
    log('error', 'the database file is damaged');
  }

  async #lookAt(connection: Connection): Promise<void> {
    const { withinMs, log } = this.#options;
    const startMs = performance.now();
    const spentMs = (): number => Math.round(performance.now() - startMs);
    const tables = connection.run(parseSql(selectTables), []).rows.map(([name]) => String(name));
    for (const [i, table] of tables.entries()) {
      if (this.#stopping) return;
      if (spentMs() >= withinMs) {
        const unseen = tables.length - i;
        log('warn', 'the database file is too large to be looked through at start', {
          unseen,
          ms: spentMs(),
        });
        return;
      }
      await connection.execAside(look(table));
      if (connection.run(parseSql(selectFound), []).rows.length > 0) {
        this.#found();
        return;
      }
    }
    log('info', 'the database file was looked through', { ms: spentMs() });
  }
}

// What runs on a thread gives no rows: they are read from where it puts them.
const prepare = 'PRAGMA temp_store = MEMORY; create temp table seen (what text)';

const selectFound = `select 1 from temp.seen where what <> 'ok' limit 1`;

/** Of each virtual table, those that hold it. */
const selectTables = `select 'sqlite_schema' union all
  select name from main.sqlite_schema where type = 'table' and rootpage > 0`;

function look(table: string): string {
  const name = table.replaceAll("'", "''");
  return `insert into temp.seen select quick_check from pragma_quick_check('${name}', 'main')`;
}
