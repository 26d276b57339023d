import { drizzle, type SqliteRemoteDatabase } from 'drizzle-orm/sqlite-proxy';
import type { SqlResult } from './sql-result.ts';

/**
 * Builds statements with drizzle, and runs them with `batch`: in one commit, or in one state when all of them read.
 *
 * A statement that is awaited by itself runs as well, but drizzle writes its values into the message of what goes wrong.
 * There are no transactions here: those are the database's.
 */
export type Drizzle = Omit<SqliteRemoteDatabase, 'transaction'>;

/** One statement as drizzle builds it. */
export interface BuiltStatement {
  readonly sql: string;
  readonly args: readonly unknown[];
}

/** @param run runs statements in one commit, in order */
export function toDrizzle(
  run: (statements: readonly BuiltStatement[]) => Promise<readonly SqlResult[]>,
): Drizzle {
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
