import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Connection } from '../database/driver/connection.ts';
import { whenUnlocked } from '../database/driver/when-unlocked.ts';
import { makePrivate } from '../database/private-files.ts';
import { toSqlFault } from '../database/sql-fault.ts';
import { parseSql } from '../database/sql-text.ts';
import { toOpenProblem } from '../database/to-open-problem.ts';
import { CopyError } from './copy-error.ts';
import { refuseUsedPlace } from './files-of-database.ts';
import { addName, keepNames, putInPlace } from './put-in-place.ts';

/** How a copy is made. */
export interface BackupOptions {
  /** Name of the application, which the copy remembers. */
  readonly application: string;
  /** Time that it remembers, epoch milliseconds. */
  readonly atMs: number;
  /** Whether a file that has its name already is replaced; default: false. */
  readonly replaces?: boolean;
}

/** A copy that was made and looked through. */
export interface Backup {
  readonly bytes: number;
  readonly pages: number;
  /** Milliseconds that copying took; nobody who writes waits meanwhile. */
  readonly copyMs: number;
  /** Milliseconds that looking through the copy took. */
  readonly checkMs: number;
}

/**
 * Copies the file of a database, as it is when this begins, while others write to it. The copy is one file that its owner alone
 * can read (0600); it has its name once it is whole and was looked through.
 *
 * Not in a process that has a copy of SQLite besides that of Node open on the file.
 *
 * @throws {CopyError} there is a file of that name, or it is in use, or a part of a database; the copy is damaged
 * @throws {DeclarationError} the database cannot be read
 */
export async function backupFile(
  from: string,
  to: string,
  { application, atMs, replaces = false }: BackupOptions,
): Promise<Backup> {
  refuseBadPlaces(from, to, replaces);
  const folder = mkdtempSync(join(dirname(resolve(to)), '.waymark-backup-'));
  const part = join(folder, 'copy.db');
  try {
    makePrivate(part);
    const beginMs = performance.now();
    await copyFile(from, part);
    const copiedMs = performance.now();
    const pages = finish(part, application, atMs);
    const { size: bytes } = statSync(part);
    // Copying takes its time: somebody may have come to be at work there.
    refuseBadPlaces(from, to, replaces);
    giveName(part, to, replaces);
    return { bytes, pages, copyMs: copiedMs - beginMs, checkMs: performance.now() - copiedMs };
  } catch (error) {
    throw toOpenProblem(error);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Copies what is committed in a database, its log included. @throws what kept it from that */
export async function copyFile(from: string, to: string): Promise<void> {
  const source = await whenUnlocked(5_000, () => new Connection(from, 'PRAGMA query_only = ON', 'ro'));
  try {
    await whenUnlocked(5_000, () => source.copyTo(to));
  } finally {
    source.close();
  }
}

function refuseBadPlaces(from: string, to: string, replaces: boolean): void {
  const source = statSync(from, { throwIfNoEntry: false });
  if (!source || source.size === 0) throw new CopyError(`there is nothing in ${from} yet`);
  refuseUsedPlace(to, from);
  const there = statSync(to, { throwIfNoEntry: false });
  if (!there) return;
  if (!there.isFile()) throw new CopyError(`${to} is no file`);
  if (!replaces) throw new CopyError(`${to} is there already; --force replaces it`);
}

/** Makes it one file, which needs no log beside it, and says in it what it is of. @returns its pages */
function finish(part: string, application: string, atMs: number): number {
  const copy = new Connection(part, 'PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL');
  try {
    const one = (sql: string): unknown => copy.run(parseSql(sql), []).rows[0]?.[0];
    if (one('PRAGMA quick_check(1)') !== 'ok')
      throw new CopyError('the copy is damaged, and so is the database');
    copy.exec('BEGIN; DROP TABLE IF EXISTS svc__backup');
    copy.exec('CREATE TABLE svc__backup (application text not null, made_ms integer not null) strict');
    copy.run(parseSql('insert into svc__backup values (?, ?)'), [application, BigInt(atMs)]);
    copy.exec('COMMIT');
    return Number(one('PRAGMA page_count'));
  } catch (error) {
    if (toSqlFault(error)?.code.startsWith('SQLITE_CORRUPT'))
      throw new CopyError('the copy is damaged, and so is the database', { cause: error });
    throw error;
  } finally {
    copy.close();
  }
}

function giveName(part: string, to: string, replaces: boolean): void {
  if (replaces) {
    putInPlace(part, to);
    return;
  }
  try {
    addName(part, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new CopyError(`${to} is there already; --force replaces it`, { cause: error });
  }
  keepNames(dirname(resolve(to)));
}
