import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Problem } from '@waymark/contract';
import { nearest } from '@waymark/contract/declaring';
import { checkStatements } from './check-statements.ts';
import type { Migration } from './migration.ts';
import { migrationProblem } from './migration-rules.ts';
import { type JournalEntry, journalOf, readJournal } from './read-journal.ts';

/** The migrations of a folder in their order, and everything wrong with them. */
export interface MigrationFolder {
  readonly migrations: readonly Migration[];
  readonly problems: readonly Problem[];
}

/** Whether a folder looks like one of migrations: SQL files, or the journal of drizzle-kit; or cannot be looked into. */
export function holdsMigrations(folder: string): boolean {
  return existsSync(journalOf(folder)) || listSql(folder).length > 0;
}

/**
 * Reads the migrations of a folder: those of the journal where drizzle-kit keeps one, else all SQL files by their numbers.
 * Never throws.
 */
export function readMigrations(folder: string): MigrationFolder {
  if (!existsSync(folder))
    return {
      migrations: [],
      problems: [missingFolder(folder)],
    };
  const files = listSql(folder);
  if (typeof files === 'string')
    return {
      migrations: [],
      problems: [
        folderProblem(toShown(folder), `the folder cannot be read: ${files}`, 'let this user read it'),
      ],
    };
  const listed = existsSync(journalOf(folder)) ? readJournal(folder, files) : numberFiles(folder, files);
  const problems = [...listed.problems];
  const migrations: Migration[] = [];
  // Of a list that is wrong the order is not known.
  for (const entry of problems.length > 0 ? [] : listed.entries) {
    const read = readOne(folder, entry, migrations.length);
    if ('declaration' in read) problems.push(read);
    else migrations.push(read);
  }
  return { migrations, problems };
}

/** A path as problems show it. */
function toShown(path: string): string {
  const home = `${process.cwd()}/`;
  return path.startsWith(home) ? path.slice(home.length) : path;
}

/** A problem of the folder. @param shown as `toShown` gives it */
function folderProblem(shown: string, rule: string, fix: string): Problem {
  return migrationProblem('migration-folder', undefined, `${shown}: ${rule}`, fix);
}

function missingFolder(folder: string): Problem {
  const rule = `${toShown(folder)}: the folder is not there`;
  const above = dirname(folder);
  const close = nearest(basename(folder), listFolders(above));
  return {
    ...{ code: 'migration-folder', declaration: 'migrations', rule },
    ...(close === undefined
      ? { fix: 'make it, or name another one' }
      : { nearest: toShown(join(above, close)) }),
  };
}

function listFolders(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  } catch {
    // Without one above it, or one that may be read, there is none to be proposed.
    return [];
  }
}

/** Names of the SQL files, none where there is no folder; or the code of why it cannot be read. */
function listSql(folder: string): readonly string[] | string {
  try {
    return readdirSync(folder)
      .filter((name) => name.toLowerCase().endsWith('.sql') && !name.startsWith('.'))
      .sort();
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? [] : code;
  }
}

/** Without a journal the number in front of each name is its place. */
function numberFiles(folder: string, files: readonly string[]): ReturnType<typeof readJournal> {
  const numbered = files.map((file) => ({ file, digits: /^(\d{1,30})(?![\p{L}\d])/u.exec(file)?.[1] }));
  const problems = numbered
    .filter(({ digits }) => digits === undefined)
    .map(({ file }) =>
      folderProblem(
        toShown(join(folder, file)),
        'its name begins with no number',
        'name it like 0001_what_it_does.sql',
      ),
    );
  const sorted = numbered
    .flatMap(({ file, digits }) => (digits === undefined ? [] : [{ file, number: BigInt(digits) }]))
    .sort((a, b) => (a.number < b.number ? -1 : a.number > b.number ? 1 : 0));
  for (const [i, { file, number }] of sorted.entries()) {
    const before = sorted[i - 1];
    if (before?.number === number)
      problems.push(
        folderProblem(
          toShown(join(folder, file)),
          `its number is that of ${before.file}`,
          'give the later one the next number',
        ),
      );
  }
  return {
    entries: sorted.map(
      ({ file }): JournalEntry => ({ name: file.slice(0, -'.sql'.length), journalMs: undefined }),
    ),
    problems,
  };
}

function readOne(folder: string, { name, journalMs }: JournalEntry, position: number): Migration | Problem {
  const path = toShown(join(folder, `${name}.sql`));
  let raw: Buffer;
  try {
    raw = readFileSync(join(folder, `${name}.sql`));
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    return folderProblem(path, `it cannot be read (${code})`, 'let this user read it');
  }
  // Other bytes would be stored as question marks, and SQLite reads a statement up to a null character only.
  if (!isUtf8(raw) || raw.includes(0))
    return migrationProblem(
      'migration-statement',
      `${path}:1`,
      'it is no UTF-8 text, or holds a null character',
      'save it as UTF-8',
    );
  const text = raw.toString('utf8').replace(/^\uFEFF/, '');
  const checked = checkStatements(text);
  if (!checked.ok)
    return migrationProblem('migration-statement', `${path}:${checked.line}`, checked.rule, checked.fix);
  const { statements, enforcesKeys } = checked;
  return {
    ...{ position, name, path, journalMs, statements, enforcesKeys },
    // Whoever checks it out may have line ends of another system; what is run are those of the file, as its texts may hold some.
    sha256: hash(text.replaceAll('\r\n', '\n')),
    rawSha256: hash(raw),
  };
}

function hash(text: string | Buffer): string {
  return createHash('sha256').update(text).digest('hex');
}
