import { checkPlace } from './check-place.ts';
import { parseDatabaseUrl } from './database-address.ts';
import type { DatabaseOptions } from './database-options.ts';
import type { Driver } from './driver/driver.ts';
import { SqlDatabase } from './sql-database.ts';
import { DatabaseTroubles } from './watch/database-troubles.ts';

/**
 * Makes a database without opening it: routes can be made over it, and `open()` opens it.
 *
 * @throws {DeclarationError} an unknown form of URL, a credential in it
 */
export function declareDatabase(url: string, options: DatabaseOptions = {}): SqlDatabase {
  const address = parseDatabaseUrl(url);
  const { log = () => undefined } = options;
  const file = address.kind === 'file' ? address.path : undefined;
  const troubles = new DatabaseTroubles(file);
  const connect = async (): Promise<Driver> => {
    // The drivers are native and large: what only declares does not wait for them.
    const { openDriver } = await import('./driver/open-driver.ts');
    return openDriver(address, options, log, troubles);
  };
  return new SqlDatabase({ kind: address.kind, log, connect, troubles, ...(file !== undefined && { file }) });
}

/**
 * Checks the URL of a database, and for a file its folder and permissions, without opening or creating anything.
 *
 * @throws {DeclarationError} an unknown form of URL, a missing folder, no permission
 */
export function checkDatabase(url: string): void {
  const address = parseDatabaseUrl(url);
  if (address.kind === 'file') checkPlace(address.path);
}

/**
 * Opens `sqlite://<path>`, `file:<path>`, `:memory:`, `libsql://<host>` or `https://<host>`, and creates or migrates the
 * tables of Waymark (`svc__…`) in it. A missing file is created, a missing folder is not; a file that is refused is not
 * changed.
 *
 * @throws {DeclarationError} an unknown form of URL, a missing folder, no permission, no database, damaged, newer than
 * this release, locked for too long, out of reach, a wrong token
 */
export async function openDatabase(url: string, options: DatabaseOptions = {}): Promise<SqlDatabase> {
  const database = declareDatabase(url, options);
  await database.open();
  return database;
}
