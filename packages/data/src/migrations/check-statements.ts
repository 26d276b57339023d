import { parseSql } from '../database/sql-text.ts';
import type { Migration, MigrationStatement } from './migration.ts';
import { lineOfOpenComment, splitStatements } from './split-statements.ts';

/** What of a migration is run, or the first thing that keeps it from that. */
export type CheckedStatements =
  | ({ readonly ok: true } & Pick<Migration, 'statements' | 'enforcesKeys'>)
  | { readonly ok: false; readonly line: number; readonly rule: string; readonly fix: string };

/** What may be said in a transaction, and ends with it or belongs to the file. */
const pragmas: ReadonlySet<string> = new Set([
  ...['application_id', 'defer_foreign_keys', 'foreign_key_check', 'legacy_alter_table', 'user_version'],
]);

/** Comments, and what looks like one and is a name or a text. */
const quoted = /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]/g;

/** Looks at the statements of a migration: all of them have to fit into one transaction. */
export function checkStatements(text: string): CheckedStatements {
  const line = lineOfOpenComment(text);
  if (line !== undefined)
    return { ok: false, line, rule: 'the comment that begins here has no end', fix: 'write */ behind it' };
  const given = splitStatements(text);
  const statements: MigrationStatement[] = [];
  let enforcesKeys = true;
  for (const one of given) {
    const pragma = readPragma(one.sql);
    if (pragma?.name === 'foreign_keys') {
      // SQLite ignores it in a transaction, and would delete along every key while a table is made anew.
      if (pragma.isOff) enforcesKeys = false;
      continue;
    }
    const wrong = pragma ? checkPragma(pragma.name) : checkStatement(one.sql);
    if (wrong) return { ok: false, line: one.line, ...wrong };
    statements.push(one);
  }
  if (statements.length > 0) return { ok: true, statements, enforcesKeys };
  return { ok: false, line: 1, rule: 'it holds no statement', fix: 'write it, or delete the file' };
}

interface Wrong {
  readonly rule: string;
  readonly fix: string;
}

function readPragma(sql: string): { readonly name: string; readonly isOff: boolean } | undefined {
  const [, name, value = ''] =
    /^pragma\s+(?:\w+\s*\.\s*)?(\w+)\s*(?:[=(]\s*['"]?([\w.+-]+))?/i.exec(
      sql.replace(quoted, (text) => (isComment(text) ? ' ' : text)).trim(),
    ) ?? [];
  if (name === undefined) return undefined;
  // Every word that SQLite does not know is off, too.
  return {
    name: name.toLowerCase(),
    isOff: value !== '' && !/^(on|yes|true|full|extra|0*[1-9]\d*)$/i.test(value),
  };
}

function checkPragma(name: string): Wrong | undefined {
  if (pragmas.has(name)) return undefined;
  return {
    rule: `PRAGMA ${name} is no part of a migration`,
    fix: `take it out; there are foreign_keys, ${[...pragmas].join(', ')}`,
  };
}

function checkStatement(sql: string): Wrong | undefined {
  try {
    const { kind, verb, parameters } = parseSql(sql);
    if (kind === 'control') return refuseControl(verb);
    if (parameters.length > 0)
      return { rule: 'it has a parameter, which nobody binds', fix: 'write the value' };
  } catch (error) {
    return { rule: (error as Error).message, fix: 'write one statement, and a semicolon' };
  }
  if (!namesOwnTable(sql)) return undefined;
  return {
    rule: 'it names a table of the service itself (svc__…)',
    fix: 'leave these alone; the service changes them by itself',
  };
}

/** Words with a name behind them, which SQLite takes in the quotes of a text, too. */
const beforeName =
  /(?:\b(?:table|into|from|update|join|on|exists|index|trigger|view|to|references)\s*|\.\s*)$/i;

function namesOwnTable(sql: string): boolean {
  const names = sql.replace(quoted, (text, at: number) => {
    if (isComment(text)) return ' ';
    if (!text.startsWith("'")) return text;
    const isName = /^'svc__/i.test(text) && beforeName.test(sql.slice(Math.max(0, at - 100), at));
    return isName ? text : ' ';
  });
  return /\bsvc__\w/i.test(names);
}

function isComment(text: string): boolean {
  return text.startsWith('--') || text.startsWith('/*');
}

function refuseControl(verb: string): Wrong {
  if (/^(BEGIN|COMMIT|END|ROLLBACK|SAVEPOINT|RELEASE)$/.test(verb))
    return {
      rule: `${verb} is no part of a migration`,
      fix: 'take it out: each migration is one transaction',
    };
  return {
    rule: `${verb} cannot be undone with a transaction, or is no statement of a migration`,
    fix: 'take it out, and run it by hand where it is needed',
  };
}
