import { statSync } from 'node:fs';
import { parseDatabaseUrl } from '../database/database-address.ts';
import { Connection } from '../database/driver/connection.ts';
import { parseSql } from '../database/sql-text.ts';
import { toOpenProblem } from '../database/to-open-problem.ts';
import type { ReadOne } from './applied-migrations.ts';
import { type MigrationState, migrationState } from './migrate-database.ts';

/**
 * Tells what was applied to a database that nobody has opened, and what is pending. Nothing is made and nothing is written: of
 * a file that is not there everything is pending.
 *
 * @param folder undefined: there is none, and nothing says so
 * @throws {DeclarationError} a database that cannot be read
 */
export async function lookAtMigrations(
  url: string,
  folder: string | undefined,
  authToken?: string,
): Promise<MigrationState> {
  const address = parseDatabaseUrl(url);
  try {
    if (address.kind === 'remote') return await lookAtServer(address.url, folder, authToken);
    const isThere =
      address.kind === 'file' && (statSync(address.path, { throwIfNoEntry: false })?.size ?? 0) > 0;
    if (!isThere)
      return await migrationState(
        toRead(async () => []),
        folder,
      );
    const connection = new Connection(address.path, 'PRAGMA query_only = ON', 'ro');
    try {
      return await migrationState(
        toRead(async (sql) => connection.run(parseSql(sql), []).rows),
        folder,
      );
    } finally {
      connection.close();
    }
  } catch (error) {
    throw toOpenProblem(error);
  }
}

async function lookAtServer(
  url: string,
  folder: string | undefined,
  authToken: string | undefined,
): Promise<MigrationState> {
  const { createClient } = await import('@libsql/client/web');
  const client = createClient({ url, ...(authToken !== undefined && { authToken }) });
  try {
    return await migrationState(
      toRead(async (sql) => {
        const { columns, rows } = await client.execute(sql);
        return rows.map((row) => columns.map((_, i) => String(row[i])));
      }),
      folder,
    );
  } finally {
    client.close();
  }
}

function toRead(one: ReadOne): Parameters<typeof migrationState>[0] {
  return {
    read: (statements) =>
      Promise.all(
        statements.map(async ({ sql }) => ({
          ...{ columns: [], rows: await one(sql) },
          ...{ affected: 0, lastInsertId: null },
        })),
      ),
  };
}
