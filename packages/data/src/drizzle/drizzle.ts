import { createTableRelationsHelpers, extractTablesRelationalConfig } from 'drizzle-orm';
import { type BaseSQLiteDatabase, SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core';
import { SqliteRemoteDatabase } from 'drizzle-orm/sqlite-proxy';
import type { SqlDatabase } from '../database/sql-database.ts';
import { DrizzleSession, type Relations } from './drizzle-session.ts';

/** Result of a statement that gives no rows back. */
export interface DrizzleResult {
  /** Values of each row of a raw statement, in the order of its columns. */
  readonly rows: unknown[];
  /** Rows inserted, changed or deleted. */
  readonly rowsAffected: number;
  /** The rowid of the row inserted last; null when the statement returns rows. */
  readonly lastInsertRowid: number | bigint | null;
}

/** What drizzle-orm gives for a database, as over any driver of SQLite: queries, `batch` and `transaction`. */
export type Drizzle<S extends Record<string, unknown> = Record<string, never>> = BaseSQLiteDatabase<
  'async',
  DrizzleResult,
  S
> &
  Pick<SqliteRemoteDatabase<S>, 'batch'>;

/** Options of `drizzle`. Every one has a default. */
export interface DrizzleOptions<S extends Record<string, unknown>> {
  /** Tables and relations by name, for `db.query`: `import * as schema from './schema.ts'`; default: none. */
  readonly schema?: S;
}

/**
 * Lends drizzle-orm the database of an application: `drizzle(application.database, { schema })`.
 *
 * Reads see what is committed and wait for no writer. Each write, each `batch` and each `transaction` takes its turn in the one
 * queue of the database: nothing else writes while a transaction is open, and one that takes too long is undone with a 503.
 * Inside a transaction use its `tx`; the outer database is refused there. A transaction in a transaction is a savepoint.
 *
 * What goes wrong comes as it does from the database itself, an `HTTPError` where it may be answered; the error of
 * drizzle-orm, which holds SQL and values, stays behind.
 */
export function drizzle<S extends Record<string, unknown> = Record<string, never>>(
  database: SqlDatabase,
  { schema }: DrizzleOptions<S> = {},
): Drizzle<S> {
  const dialect = new SQLiteAsyncDialect();
  const relations = schema && toRelations(schema);
  const session = new DrizzleSession({ dialect, relations, database }, (statements) =>
    database.run(statements),
  );
  // Its results have more than those of the class, and its schema is that of the tables.
  return new SqliteRemoteDatabase('async', dialect, session, relations) as unknown as Drizzle<S>;
}

function toRelations(fullSchema: Record<string, unknown>): Relations {
  const { tables, tableNamesMap } = extractTablesRelationalConfig(fullSchema, createTableRelationsHelpers);
  return { fullSchema, schema: tables, tableNamesMap };
}
