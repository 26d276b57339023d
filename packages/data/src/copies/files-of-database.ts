import { type BigIntStats, existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileEnds } from '../database/file-ends.ts';
import { CopyError } from './copy-error.ts';

/** What stands behind the name of a database in the names of files that belong to it. */
const ending = /-(?:wal|shm|journal|holder-.*)$/;

/** Whether two paths lead to one file, by links of either kind, too; a file that is not there has a place all the same. */
export function isSameFile(a: string, b: string): boolean {
  return placesOf(a).some((place) => placesOf(b).includes(place)) || isSameNode(nodeOf(a), nodeOf(b));
}

/**
 * Keeps a copy from a place where something else is in use: the database that it is of, whatever belongs to that or to
 * another database, and a database that somebody may be at work on.
 *
 * @throws {CopyError}
 */
export function refuseUsedPlace(to: string, database: string): void {
  if (isSameFile(to, database)) throw new CopyError(`${to} is the database itself`);
  if (partsOf(database).some((file) => isSameFile(to, file))) throw partOf(to, database);
  refusePart(to);
  const log = placesOf(to)
    .flatMap((place) => fileEnds.map((end) => place + end))
    .find((file) => existsSync(file));
  if (log !== undefined)
    throw new CopyError(
      `${to} is a database that somebody may be at work on, since ${basename(log)} is beside it; name another file`,
    );
}

/** Keeps a copy from the name of what belongs to a database, whether that is there or not. @throws {CopyError} */
export function refusePart(to: string): void {
  const owner = ownerOf(to);
  if (owner !== undefined) throw partOf(to, owner);
}

function partOf(to: string, database: string): CopyError {
  return new CopyError(`${to} belongs to the database ${database}; name another file`);
}

/** The database that a file belongs to by its name. */
function ownerOf(file: string): string | undefined {
  return placesOf(file)
    .map((place) => place.replace(ending, ''))
    .find((place) => !placesOf(file).includes(place) && statSync(place, { throwIfNoEntry: false })?.isFile());
}

/** The files that belong to a database: beside its name, and beside the file that this leads to. */
function partsOf(database: string): readonly string[] {
  return placesOf(database).flatMap((place) => {
    const folder = dirname(place);
    const locks = existsSync(folder)
      ? readdirSync(folder).filter((name) => name.startsWith(`${basename(place)}-holder-`))
      : [];
    return [...fileEnds.map((end) => place + end), ...locks.map((name) => join(folder, name))];
  });
}

/** Where a name is, and where it leads to; no part of either is a link to a folder. */
function placesOf(path: string): readonly string[] {
  const full = resolve(path);
  const folder = dirname(full);
  const named = existsSync(folder) ? join(realpathSync(folder), basename(full)) : full;
  return existsSync(full) ? [...new Set([named, realpathSync(full)])] : [named];
}

function nodeOf(path: string): BigIntStats | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false });
}

function isSameNode(a: BigIntStats | undefined, b: BigIntStats | undefined): boolean {
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino;
}
