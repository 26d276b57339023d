import { statSync } from 'node:fs';
import type { Problem } from '@waymark/contract';
import { fileOf } from './database/database-address.ts';
import { Connection } from './database/driver/connection.ts';
import { toRecords } from './database/sql-result.ts';
import { parseSql } from './database/sql-text.ts';
import { toOpenProblem } from './database/to-open-problem.ts';
import { compareTables, type SqlDeclaration } from './sql-routes.ts';

/**
 * Compares the resources among declarations with the tables of a file that nobody has opened, as a start would find them, and
 * changes nothing. Of a database that is no file, or not there yet, nothing is said.
 *
 * @throws {DeclarationError} a database that cannot be read
 */
export async function lookAtTables(
  url: string,
  declarations: readonly SqlDeclaration[],
): Promise<readonly Problem[]> {
  const path = fileOf(url);
  if (path === undefined || (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return [];
  try {
    const connection = new Connection(path, 'PRAGMA query_only = ON', 'ro');
    try {
      const many = async (sql: string, args: readonly unknown[] = []) =>
        // What is asked are names of tables.
        toRecords(connection.run(parseSql(sql), args.map(String)));
      return await compareTables(declarations, { many });
    } finally {
      connection.close();
    }
  } catch (error) {
    throw toOpenProblem(error);
  }
}
