import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Connection } from '../database/driver/connection.ts';
import { toSqlFault } from '../database/sql-fault.ts';
import { parseSql } from '../database/sql-text.ts';
import { CopyError } from './copy-error.ts';

/** The file of a database that nobody else has open, and nobody can open before it is let go of. */
export interface SoleUse {
  /** Whether all that was committed is in the file itself: what lies beside it means nothing any more. */
  readonly isWhole: boolean;
  letGo(): void;
}

/**
 * Makes this process the only one that uses a file, and puts its log back into it: it is whole by itself then. Of a file so
 * damaged that SQLite does not open it, nothing is put back, and only `hasHolder` knows whether anybody has it.
 *
 * @throws {CopyError} another process has it open
 */
export function useAlone(path: string): SoleUse {
  let connection: Connection | undefined;
  try {
    connection = new Connection(path, 'PRAGMA locking_mode = EXCLUSIVE');
    // An idle connection holds a share of the file as long as it has a log: this asks for all of it.
    connection.exec('BEGIN IMMEDIATE; COMMIT; PRAGMA journal_mode = DELETE');
    if (modeOf(connection) !== 'delete') throw inUse(path);
    const held = connection;
    return { isWhole: true, letGo: () => held.close() };
  } catch (error) {
    connection?.close();
    const code = toSqlFault(error)?.code ?? '';
    if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) throw inUse(path);
    if (code === '') throw error;
    if (!/^SQLITE_(NOTADB|CORRUPT|IOERR)/.test(code))
      throw new CopyError(`${path} cannot be opened (${code})`, { cause: error });
    return { isWhole: false, letGo: () => undefined };
  }
}

function modeOf(connection: Connection): unknown {
  return connection.run(parseSql('PRAGMA journal_mode'), []).rows[0]?.[0];
}

/** What keeps a file from being used alone. */
export function inUse(path: string): CopyError {
  return new CopyError(`a server, or another program, has ${path} open; stop it first`);
}

/** Whether a process of the service is alive: each that works on runs holds a lock on a file of its own beside the database. */
export function hasHolder(path: string): boolean {
  const start = `${basename(path)}-holder-`;
  const folder = dirname(path);
  const locks = readdirSync(folder).filter((name) => name.startsWith(start) && !name.endsWith('-journal'));
  return locks.some((name) => existsSync(join(folder, name)) && isLocked(join(folder, name)));
}

function isLocked(path: string): boolean {
  try {
    new Connection(path, 'BEGIN EXCLUSIVE').close();
    return false;
  } catch (error) {
    return toSqlFault(error)?.code.startsWith('SQLITE_BUSY') ?? false;
  }
}
