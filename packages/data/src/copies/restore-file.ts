import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { DeclarationError } from '@waymark/contract';
import { Connection } from '../database/driver/connection.ts';
import { fileEnds } from '../database/file-ends.ts';
import { checkVersion, findVersionTable, selectVersion } from '../database/migrate.ts';
import { makePrivate } from '../database/private-files.ts';
import { toSqlFault } from '../database/sql-fault.ts';
import { parseSql } from '../database/sql-text.ts';
import { type MigrationState, migrationState } from '../migrations/migrate-database.ts';
import { migrations } from '../stores/migrations.ts';
import { copyFile } from './backup-file.ts';
import { CopyError } from './copy-error.ts';
import { isSameFile, refusePart } from './files-of-database.ts';
import { addName, putInPlace } from './put-in-place.ts';
import { hasHolder, inUse, type SoleUse, useAlone } from './sole-user.ts';
import { settleWork, type WorkOfCopy } from './work-of-copy.ts';

/** How a copy is put in place. */
export interface RestoreOptions {
  /** Name of the application that it has to be of. */
  readonly application: string;
  /** Folder of the migrations that it has to fit; undefined where there are none. */
  readonly folder: string | undefined;
  /** Time that the file which was there is named after, epoch milliseconds. */
  readonly atMs: number;
  /** Takes a copy of another application, or one that nobody knows; default: false. */
  readonly force?: boolean;
}

/** A copy that is in place now. */
export interface Restored extends WorkOfCopy {
  readonly bytes: number;
  /** When it was made, epoch milliseconds; undefined where it does not say. */
  readonly madeMs: number | undefined;
  /** Where the database is now that was there; undefined where there was none. */
  readonly before: string | undefined;
  /** Migrations that the next start, or `waymark migrate`, applies. */
  readonly pending: readonly string[];
}

/**
 * Puts a copy in the place of a database, whole and at once. What was there is kept beside it, with all that was committed.
 *
 * @throws {CopyError} it is no sound copy of this database, or a server has the database open; nothing was changed
 * @throws {DeclarationError} it does not fit the release, or its migrations
 */
export async function restoreFile(from: string, place: string, options: RestoreOptions): Promise<Restored> {
  // A link goes on leading where it led: to a volume, for one.
  const to = existsSync(place) ? realpathSync(place) : place;
  refuseBadPlaces(from, to);
  if (hasHolder(to)) throw inUse(to);
  const start = `.waymark-restore-${basename(to)}-`;
  const folder = mkdtempSync(join(dirname(resolve(to)), start));
  let use: SoleUse | undefined;
  try {
    const part = join(folder, 'copy.db');
    makePrivate(part);
    await copyFile(from, part).catch((error: unknown) => {
      throw toCopyError(from, error);
    });
    const { madeMs, ...settled } = await lookThrough(part, from, options);
    takeRights(part, to);
    // SQLite takes the log of a file away that it cannot make out, when all it was asked is whether it can.
    for (const end of fileEnds) if (existsSync(to + end)) addName(to + end, join(folder, `old${end}`));
    use = existsSync(to) && statSync(to).size > 0 ? useAlone(to) : undefined;
    // Left by one that was killed: nobody else is at work on this file.
    if (use?.isWhole) removeOld(folder, start);
    const { size: bytes } = statSync(part);
    const before = keepBefore(to, options.atMs, use?.isWhole ? undefined : folder);
    putInPlace(part, to);
    return { bytes, madeMs, before, ...settled };
  } finally {
    use?.letGo();
    rmSync(folder, { recursive: true, force: true });
  }
}

function removeOld(own: string, start: string): void {
  const folder = dirname(own);
  for (const name of readdirSync(folder))
    if (name.startsWith(start) && name !== basename(own))
      rmSync(join(folder, name), { recursive: true, force: true });
}

function refuseBadPlaces(from: string, to: string): void {
  const source = statSync(from, { throwIfNoEntry: false });
  if (!source?.isFile()) throw new CopyError(`there is no file ${from}`);
  if (source.size === 0) throw new CopyError(`${from} is empty`);
  if (!existsSync(dirname(resolve(to))))
    throw new CopyError(`the folder of ${to} is not there; make it first`);
  if (isSameFile(from, to)) throw new CopyError(`${from} is the database itself`);
  refusePart(to);
}

function toCopyError(from: string, error: unknown): unknown {
  const code = toSqlFault(error)?.code ?? '';
  if (code.startsWith('SQLITE_NOTADB')) return new CopyError(`${from} is no database`, { cause: error });
  if (/^SQLITE_(CORRUPT|IOERR)/.test(code)) return damaged(from, error);
  if (code.startsWith('SQLITE_')) return new CopyError(`${from} cannot be read (${code})`, { cause: error });
  return error;
}

function damaged(from: string, cause?: unknown): CopyError {
  return new CopyError(`${from} is damaged; take an older one`, { cause });
}

async function lookThrough(
  part: string,
  from: string,
  { application, folder, atMs, force = false }: RestoreOptions,
): Promise<Omit<Restored, 'bytes' | 'before'>> {
  let copy: Connection | undefined;
  try {
    copy = new Connection(part, 'PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL');
    const open = copy;
    const run = (sql: string) => open.run(parseSql(sql), []);
    if (run('PRAGMA integrity_check(1)').rows[0]?.[0] !== 'ok') throw damaged(from);
    const [version] = run(findVersionTable).rows;
    if (version) checkVersion(run(selectVersion).rows, migrations.length);
    const stamp = readStamp(run);
    if (!force) refuseOthers(from, application, { ofWaymark: version !== undefined, ...stamp });
    const state: MigrationState | undefined =
      folder === undefined
        ? undefined
        : await migrationState({ read: async (all) => all.map(({ sql }) => run(sql)) }, folder);
    const { problems = [], pending = [] } = state ?? {};
    if (!force && problems.length > 0) throw new DeclarationError(problems);
    open.exec('DROP TABLE IF EXISTS svc__backup');
    const work = settleWork((sql, values = []) => open.run(parseSql(sql), values), atMs);
    return { madeMs: stamp.madeMs, pending: pending.map(({ name }) => name), ...work };
  } catch (error) {
    throw toCopyError(from, error);
  } finally {
    copy?.close();
  }
}

interface Stamp {
  readonly application?: string;
  readonly madeMs: number | undefined;
}

function readStamp(run: (sql: string) => ReturnType<Connection['run']>): Stamp {
  if (run(`select 1 from sqlite_schema where name = 'svc__backup'`).rows.length === 0)
    return { madeMs: undefined };
  const [[application, madeMs] = []] = run('select application, made_ms from svc__backup').rows;
  return { application: String(application), madeMs: Number(madeMs) };
}

function refuseOthers(
  from: string,
  name: string,
  { ofWaymark, application }: { readonly ofWaymark: boolean; readonly application?: string },
): void {
  if (ofWaymark && application === undefined)
    throw new CopyError(
      `${from} does not say of which application it is: waymark backup did not write it; --force takes it`,
    );
  if (application !== undefined && application !== name)
    throw new CopyError(`${from} is of the application "${application}", not of "${name}"; --force takes it`);
  if (!ofWaymark)
    throw new CopyError(
      `${from} holds no tables of the service (svc__…), so no server has used it; --force takes it`,
    );
}

/** Who could use the file that was there can use this one: a command is often run by another user than the server. */
function takeRights(part: string, to: string): void {
  const stats = statSync(to, { throwIfNoEntry: false }) ?? statSync(dirname(resolve(to)));
  if (process.getuid?.() === 0) chownSync(part, stats.uid, stats.gid);
  // One that its group may write is shared on purpose.
  if (stats.isFile() && stats.mode & 0o020) chmodSync(part, 0o660);
}

/** @param saved where the second names are of what lay beside the file; undefined: it is whole without */
function keepBefore(to: string, atMs: number, saved: string | undefined): string | undefined {
  const time = new Date(atMs).toISOString().replace(/[-:]|\.\d+/g, '');
  const kept = [
    ...(existsSync(to) ? [{ end: '', file: to }] : []),
    ...(saved === undefined ? [] : fileEnds)
      .map((end) => ({ end, file: join(saved ?? '', `old${end}`) }))
      .filter(({ file }) => existsSync(file)),
  ];
  let before = `${to}.before-${time}`;
  for (let n = 2; ['', ...fileEnds].some((end) => existsSync(before + end)); n++)
    before = `${to}.before-${time}-${n}`;
  // The names are there before any of the others goes: killed in between, everything is kept.
  for (const { end, file } of kept) addName(file, before + end);
  for (const end of fileEnds) rmSync(to + end, { force: true });
  return kept.length === 0 ? undefined : before;
}
