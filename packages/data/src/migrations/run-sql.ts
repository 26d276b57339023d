import { ScriptFault } from '../database/driver/script.ts';
import type { SqlDatabase } from '../database/sql-database.ts';
import { checkStatements } from './check-statements.ts';

/** What became of the text of a file: all of it is stored, or nothing. */
export type SqlOutcome =
  | { readonly ok: true; readonly statements: number }
  | { readonly ok: false; readonly line: number; readonly rule: string };

/** Runs the SQL of a file in one transaction. @param waitMs for whoever writes; 60,000 */
export async function runSql(database: SqlDatabase, text: string, waitMs = 60_000): Promise<SqlOutcome> {
  const checked = checkStatements(text);
  if (!checked.ok) return checked;
  const { statements, enforcesKeys } = checked;
  try {
    await database.script({ statements: statements.map(({ sql }) => sql), enforcesKeys, waitMs });
    return { ok: true, statements: statements.length };
  } catch (error) {
    if (!(error instanceof ScriptFault)) throw error;
    const { line = 1 } = statements[error.index] ?? statements.at(-1) ?? {};
    return { ok: false, line, rule: error.message };
  }
}
