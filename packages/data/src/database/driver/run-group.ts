import { toSqlFault } from '../sql-fault.ts';
import type { SqlResult } from '../sql-result.ts';
import type { Connection } from './connection.ts';
import type { BoundStatement, OnStatement } from './driver.ts';

/** What became of one of the writes of a group; one that was `undone` had no trouble of its own. */
export type Outcome =
  | { readonly kind: 'stored'; readonly results: readonly SqlResult[] }
  | { readonly kind: 'failed' | 'undone'; readonly error: unknown };

/** What became of a group of writes. */
export interface GroupOutcome {
  /** Why it could not begin; then it has no outcomes. */
  readonly refusal?: unknown;
  /** Of each write, in order. */
  readonly outcomes: readonly Outcome[];
  /** Whether anything had to be written. */
  readonly changed: boolean;
}

/** Stores a group of writes in one transaction: a write that fails fails alone, and one of several statements is undone whole. */
export function runGroup(
  connection: Connection,
  works: readonly (readonly BoundStatement[])[],
  onStatement: OnStatement,
): GroupOutcome {
  try {
    connection.begin();
  } catch (refusal) {
    connection.rollBack();
    return { refusal, outcomes: [], changed: false };
  }
  const outcomes: Outcome[] = [];
  for (const work of works) {
    try {
      // What is alone is undone with its transaction.
      const results =
        works.length === 1 ? runAll(connection, work, onStatement) : runWhole(connection, work, onStatement);
      outcomes.push({ kind: 'stored', results });
    } catch (error) {
      if (!connection.inTransaction || endsGroup(error))
        return undoAll(connection, works.length, outcomes, error);
      outcomes.push({ kind: 'failed', error });
    }
  }
  const committed = commitGroup(connection, outcomes);
  if (!committed.broken || works.length === 1) return committed;
  // A rule that is checked at the end was broken by one of them: alone, each is told of its own.
  const each = works.map((work) => runGroup(connection, [work], onStatement));
  return {
    outcomes: each.map(({ refusal, outcomes: [outcome] }) => outcome ?? { kind: 'failed', error: refusal }),
    changed: each.some(({ changed }) => changed),
  };
}

/** `broken`: what is checked at the end does not hold. */
function commitGroup(
  connection: Connection,
  outcomes: readonly Outcome[],
): GroupOutcome & { readonly broken?: boolean } {
  if (outcomes.every(({ kind }) => kind !== 'stored')) {
    connection.rollBack();
    return { outcomes, changed: false };
  }
  try {
    connection.exec('COMMIT');
    return { outcomes, changed: connection.hasChanged };
  } catch (error) {
    connection.rollBack();
    const failed: Outcome = { kind: 'failed', error };
    return {
      outcomes: outcomes.map((one) => (one.kind === 'stored' ? failed : one)),
      changed: false,
      broken: toSqlFault(error)?.code.startsWith('SQLITE_CONSTRAINT') ?? false,
    };
  }
}

/** SQLite has undone everything, or nothing can be trusted: what nobody was told is stored is given up. */
function undoAll(
  connection: Connection,
  count: number,
  before: readonly Outcome[],
  error: unknown,
): GroupOutcome {
  connection.rollBack();
  const undone: Outcome = { kind: endsGroup(error) ? 'failed' : 'undone', error };
  const outcomes = Array.from({ length: count }, (_, i): Outcome => {
    const earlier = before[i];
    if (i === before.length) return { kind: 'failed', error };
    return earlier?.kind === 'failed' ? earlier : undone;
  });
  return { outcomes, changed: false };
}

/** Runs statements one after another. */
export function runAll(
  connection: Connection,
  statements: readonly BoundStatement[],
  onStatement: OnStatement,
): readonly SqlResult[] {
  return statements.map((one) => runOne(connection, one, onStatement));
}

/** Runs one statement, and tells how long it took. */
export function runOne(
  connection: Connection,
  { text, values, rows }: BoundStatement,
  onStatement: OnStatement,
): SqlResult {
  const startMs = performance.now();
  const result = connection.run(text, values, rows);
  onStatement(text, performance.now() - startMs);
  return result;
}

/** One statement is whole by itself; several, or one whose rows may be refused, are undone together. */
function runWhole(
  connection: Connection,
  statements: readonly BoundStatement[],
  onStatement: OnStatement,
): readonly SqlResult[] {
  const [first] = statements;
  if (statements.length === 1 && first && !connection.returnsRows(first.text))
    return [runOne(connection, first, onStatement)];
  connection.exec('SAVEPOINT work');
  try {
    const results = runAll(connection, statements, onStatement);
    connection.exec('RELEASE work');
    return results;
  } catch (error) {
    if (connection.inTransaction) connection.exec('ROLLBACK TO work; RELEASE work');
    throw error;
  }
}

/** Troubles of the database itself, not of the write that met them. */
function endsGroup(error: unknown): boolean {
  const code = toSqlFault(error)?.code ?? '';
  return /^SQLITE_(FULL|IOERR|CORRUPT|NOTADB|NOMEM|CANTOPEN|READONLY|BUSY|LOCKED)/.test(code);
}
