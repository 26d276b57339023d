import type { Query, SQL, TablesRelationalConfig } from 'drizzle-orm';
import type { SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core';
import {
  type PreparedQueryConfig,
  type RemotePreparedQuery,
  SQLiteProxyTransaction,
  SQLiteRemoteSession,
} from 'drizzle-orm/sqlite-proxy';
import type { SqlDatabase } from '../database/sql-database.ts';
import { type SqlResult, toRecords } from '../database/sql-result.ts';
import type { SqlTransaction, Statement } from '../database/sql-transaction.ts';
import { entityOf } from './drizzle-table.ts';

/** Tables and relations as drizzle-orm has read them. */
export interface Relations {
  readonly fullSchema: Record<string, unknown>;
  readonly schema: TablesRelationalConfig;
  readonly tableNamesMap: Record<string, string>;
}

/** What sessions of one database share. */
interface Shared {
  readonly dialect: SQLiteAsyncDialect;
  readonly relations: Relations | undefined;
  readonly database: SqlDatabase;
}

type Schema = Record<string, unknown>;
type Run = (statements: readonly Statement[]) => Promise<readonly SqlResult[]>;
type Session = SQLiteRemoteSession<Schema, TablesRelationalConfig>;

/** Runs what drizzle-orm builds: on the database, or in a transaction of it. */
export class DrizzleSession extends SQLiteRemoteSession<Schema, TablesRelationalConfig> {
  readonly #shared: Shared;
  readonly #run: Run;

  constructor(shared: Shared, run: Run) {
    super(
      async (sql, params, method) => toAnswer((await run([{ sql, args: params }]))[0], method),
      shared.dialect,
      shared.relations,
      async (batch) => {
        const results = await run(batch.map(({ sql, params }) => ({ sql, args: params })));
        return results.map((result, i) => toAnswer(result, batch[i]?.method ?? 'run'));
      },
    );
    this.#shared = shared;
    this.#run = run;
  }

  override prepareQuery<T extends Omit<PreparedQueryConfig, 'run'>>(
    ...given: Parameters<Session['prepareQuery']>
  ): RemotePreparedQuery<T> {
    const prepared = super.prepareQuery<T>(...given);
    for (const method of ['run', 'all', 'get', 'values'] as const) {
      // Which of them it is decides what it gives, and nothing here looks at that.
      const work: (values?: Schema) => Promise<unknown> = prepared[method].bind(prepared);
      Object.assign(prepared, { [method]: (values?: Schema) => own(work(values)) });
    }
    return prepared;
  }

  override batch(...given: Parameters<Session['batch']>): ReturnType<Session['batch']> {
    return own(super.batch(...given));
  }

  /** Rows of raw SQL are objects, as over other drivers. */
  override async all<T = unknown>(query: SQL): Promise<T[]> {
    const { sql, params }: Query = this.#shared.dialect.sqlToQuery(query);
    const [result] = await this.#run([{ sql, args: params }]);
    // What the rows are is the caller's word.
    return (result ? toRecords(result) : []) as T[];
  }

  override async get<T = unknown>(query: SQL): Promise<T> {
    const [row] = await this.all<T>(query);
    return row as T;
  }

  override extractRawAllValueFromBatchResult(result: unknown): unknown {
    return toRecords(result as Answer);
  }

  override extractRawGetValueFromBatchResult(result: unknown): unknown {
    const { columns, rows } = result as Answer;
    return toRecords({ columns, rows: [rows] })[0];
  }

  override transaction<T>(
    body: (tx: SQLiteProxyTransaction<Schema, TablesRelationalConfig>) => Promise<T>,
  ): Promise<T> {
    return this.#shared.database.transaction((open) =>
      body(new OpenDrizzle(this.#shared, new DrizzleSession(this.#shared, runIn(open)), open)),
    );
  }
}

/** A transaction that is open; one inside of it is a savepoint. */
class OpenDrizzle extends SQLiteProxyTransaction<Schema, TablesRelationalConfig> {
  readonly #shared: Shared;
  readonly #session: DrizzleSession;
  readonly #open: SqlTransaction;

  constructor(shared: Shared, session: DrizzleSession, open: SqlTransaction) {
    super('async', shared.dialect, session, shared.relations);
    this.#shared = shared;
    this.#session = session;
    this.#open = open;
  }

  override transaction<T>(
    body: (tx: SQLiteProxyTransaction<Schema, TablesRelationalConfig>) => Promise<T>,
  ): Promise<T> {
    return this.#open.nested(() => body(new OpenDrizzle(this.#shared, this.#session, this.#open)));
  }
}

/** Statements of a transaction run one after another. */
function runIn(open: SqlTransaction): Run {
  return async (statements) => {
    const results: SqlResult[] = [];
    for (const { sql, args } of statements) results.push(await open.run(sql, args));
    return results;
  };
}

/** What a statement gave, as drizzle-orm takes it. */
interface Answer {
  readonly rows: never[];
  readonly columns: readonly string[];
  readonly rowsAffected: number;
  readonly lastInsertRowid: number | bigint | null;
}

/** For `get` drizzle-orm wants the one row itself, or undefined. Its types say an array. */
function toAnswer(result: SqlResult | undefined, method: string): Answer {
  const { rows, columns, affected, lastInsertId } = result ?? nothing;
  return {
    rows: (method === 'get' ? rows[0] : rows) as never[],
    ...{ columns, rowsAffected: affected, lastInsertRowid: lastInsertId },
  };
}

const nothing: SqlResult = { columns: [], rows: [], affected: 0, lastInsertId: null };

/** Fails with what the database said: the errors of drizzle-orm hold SQL and values, and would be logged. */
async function own<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw withoutValues(error);
  }
}

function withoutValues(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  // Not every version gives the class that has the statement.
  const wraps = ('query' in error && 'params' in error) || entityOf(error) === 'DrizzleError';
  if (wraps && error.cause !== undefined) return withoutValues(error.cause);
  // A part of what could not be read is in its message.
  return error instanceof SyntaxError ? new Error('a row is not what its drizzle table says') : error;
}
