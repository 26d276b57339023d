import { checkPlace } from './check-place.ts';
import { Connection } from './driver/connection.ts';
import { checkVersion, findVersionTable, selectVersion } from './migrate.ts';
import { SqlFault } from './sql-fault.ts';
import { parseSql } from './sql-text.ts';

/**
 * Looks at a file before it is opened for writing, so that one which is refused stays as it is, byte for byte.
 *
 * The file is never read by other means than SQLite: closing it elsewhere in this process would drop the locks that an
 * open database holds on it.
 *
 * @param known the newest version of our tables that this release knows
 * @returns whether it is large, and was not looked through
 * @throws {DeclarationError}
 */
export function checkFile(path: string, known: number): boolean {
  const size = checkPlace(path) ?? 0;
  const isLarge = size > lookThroughBytes;
  if (size > 0) checkContent(path, isLarge, known);
  return isLarge;
}

/** Files up to this size are looked through, 4 ms for each MB; of larger ones the first pages and the length count. */
const lookThroughBytes = 32 * 1024 * 1024;

function checkContent(path: string, isLarge: boolean, known: number): void {
  let connection: Connection | undefined;
  try {
    connection = new Connection(path, 'PRAGMA query_only = ON', 'ro');
    const found = connection.run(parseSql(findVersionTable), []);
    if (!isLarge) checkPages(connection);
    if (found.rows.length > 0) checkVersion(connection.run(parseSql(selectVersion), []).rows, known);
  } finally {
    connection?.close();
  }
}

function checkPages(connection: Connection): void {
  const { rows } = connection.run(parseSql('PRAGMA quick_check(1)'), []);
  if (rows[0]?.[0] !== 'ok') throw new SqlFault('SQLITE_CORRUPT');
}
