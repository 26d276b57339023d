import type { SqliteRemoteDatabase } from 'drizzle-orm/sqlite-proxy';
import { drizzle } from './drizzle-orm.ts';
import type { SqlDatabase } from './sql-database.ts';
import type { SqlResult } from './sql-result.ts';
import type { SqlTransaction } from './sql-transaction.ts';

/**
 * Builds statements for tables with a declared schema, and runs them with `batch`.
 *
 * A statement that is awaited by itself runs as well, but drizzle writes its values into the message of what goes wrong.
 * There are no transactions here: those are the database's.
 */
export type Drizzle = Omit<SqliteRemoteDatabase, 'transaction'>;

/** A batch is one commit, or sees one state when all of it reads. */
export function toDrizzle(database: SqlDatabase): Drizzle {
  return drizzleOver((statements) => database.run(statements));
}

/** A batch runs one statement after another in the open transaction. */
export function drizzleIn(transaction: SqlTransaction): Drizzle {
  return drizzleOver(async (statements) => {
    const results: SqlResult[] = [];
    for (const { sql, args } of statements) results.push(await transaction.run(sql, args));
    return results;
  });
}

/** One statement as drizzle builds it. */
interface BuiltStatement {
  readonly sql: string;
  readonly args: readonly unknown[];
}

function drizzleOver(run: (statements: readonly BuiltStatement[]) => Promise<readonly SqlResult[]>): Drizzle {
  return drizzle(
    async (sql, params, method) => {
      const [result] = await run([{ sql, args: params }]);
      return { rows: toRows(result, method) };
    },
    async (batch) => {
      const results = await run(batch.map(({ sql, params }) => ({ sql, args: params })));
      return results.map((result, i) => ({ rows: toRows(result, batch[i]?.method ?? 'run') }));
    },
  );
}

/** For `get` drizzle wants the one row itself, or undefined. Its types say an array. */
function toRows(result: SqlResult | undefined, method: string): unknown[] {
  const rows = result?.rows ?? [];
  return (method === 'get' ? rows[0] : rows) as unknown[];
}
