import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Problem } from '@waymark/contract';
import { migrationProblem } from './migration-rules.ts';

/** A migration as the list of a folder names it. */
export interface JournalEntry {
  /** Name of its file without `.sql`. */
  readonly name: string;
  readonly journalMs: number | undefined;
}

/** The list of a folder, and what is wrong with it. */
export interface ListedFiles {
  readonly entries: readonly JournalEntry[];
  readonly problems: readonly Problem[];
}

/** Where drizzle-kit keeps the order of its files. */
export function journalOf(folder: string): string {
  return join(folder, 'meta', '_journal.json');
}

/** Dialects whose SQL is SQLite's; for Turso it writes `sqlite` or `turso`. */
const dialects: readonly unknown[] = ['sqlite', 'turso'];

/** Reads the journal of drizzle-kit, and compares it with the files that lie beside it. */
export function readJournal(folder: string, files: readonly string[]): ListedFiles {
  const wrong = (rule: string, fix: string): ListedFiles => ({
    entries: [],
    problems: [migrationProblem('migration-folder', `${shown(folder)}:1`, rule, fix)],
  });
  let journal: unknown;
  try {
    journal = JSON.parse(readFileSync(journalOf(folder), 'utf8').replace(/^\uFEFF/, ''));
  } catch {
    return wrong('the journal is no JSON', 'mend it: a merge may have left its marks');
  }
  const { dialect, entries } = (journal ?? {}) as { readonly dialect?: unknown; readonly entries?: unknown };
  if (!dialects.includes(dialect))
    return wrong(
      `the journal is of the dialect ${JSON.stringify(dialect)}, not sqlite or turso`,
      'name the folder of this database: migrations: …, or false for none',
    );
  if (!Array.isArray(entries) || !entries.every(isEntry))
    return wrong('the journal has no list of entries with idx, when and tag', 'let drizzle-kit write it');
  const listed = entries.toSorted((a, b) => a.idx - b.idx);
  const twin = listed.find(({ idx, tag }, i) =>
    listed.some((other, j) => j < i && (other.idx === idx || other.tag === tag)),
  );
  if (twin)
    return wrong(
      `the journal has ${twin.tag}, or its number, twice`,
      'take the later one out, and generate it again',
    );
  return compare(folder, listed, files);
}

function compare(folder: string, listed: readonly Entry[], files: readonly string[]): ListedFiles {
  const at = `${shown(folder)}:1`;
  const missing = listed.filter(({ tag }) => !files.includes(`${tag}.sql`));
  const surplus = files.filter((file) => !listed.some(({ tag }) => `${tag}.sql` === file));
  return {
    entries: listed.map(({ tag, when }) => ({ name: tag, journalMs: when })),
    problems: [
      ...missing.map(({ tag }) =>
        migrationProblem(
          'migration-folder',
          at,
          `the journal names ${tag}, and there is no ${tag}.sql`,
          'put the file back',
        ),
      ),
      ...surplus.map((file) =>
        migrationProblem(
          'migration-folder',
          at,
          `${file} is not in the journal, and would never be applied`,
          'generate it: npx drizzle-kit generate --custom, and move its SQL there',
        ),
      ),
    ],
  };
}

interface Entry {
  readonly idx: number;
  readonly when: number;
  readonly tag: string;
}

function isEntry(value: unknown): value is Entry {
  if (typeof value !== 'object' || value === null) return false;
  const { idx, when, tag } = value as Partial<Record<keyof Entry, unknown>>;
  return (
    Number.isInteger(idx) &&
    typeof when === 'number' &&
    typeof tag === 'string' &&
    /^[\w.-]{1,200}$/.test(tag)
  );
}

function shown(folder: string): string {
  const path = journalOf(folder);
  const home = `${process.cwd()}/`;
  return path.startsWith(home) ? path.slice(home.length) : path;
}
