import { DeclarationError, type Problem } from '@waymark/contract';
import { databaseProblem } from '../database/database-problem.ts';
import { ScriptFault } from '../database/driver/script.ts';
import type { SqlDatabase } from '../database/sql-database.ts';
import { toSqlFault } from '../database/sql-fault.ts';
import { toOpenProblem } from '../database/to-open-problem.ts';
import { type AppliedMigration, readApplied, rememberSql, tellDrizzleSql } from './applied-migrations.ts';
import { lostMigrations } from './lost-migrations.ts';
import type { Migration } from './migration.ts';
import { migrationProblem } from './migration-rules.ts';
import { type MigrationPlan, type PendingMigration, planMigrations } from './plan-migrations.ts';
import { readMigrations } from './read-migrations.ts';

/** How migrations are applied. */
export interface MigrateOptions {
  /** Folder of the files. */
  readonly folder: string;
  /** Clock that rows show: `Date.now`. */
  readonly now: () => number;
  /** Milliseconds to wait for another process that migrates or writes; default: 60,000. */
  readonly waitMs?: number;
  /** Told of each one as soon as it is stored. */
  readonly onApplied?: (migration: DoneMigration) => void;
}

/** A migration that was just applied; `adopted`: drizzle's own migrator had done it, and it is known now. */
export interface DoneMigration {
  readonly name: string;
  readonly ms: number;
  readonly adopted: boolean;
}

/** State of the migrations of a database: what was applied and what is pending, by name. */
export interface MigrationState {
  readonly applied: readonly AppliedMigration[];
  readonly pending: readonly {
    readonly name: string;
    readonly statements: number;
    readonly adopts: boolean;
  }[];
  readonly problems: readonly Problem[];
}

/**
 * Applies what is pending, in order, each in one transaction; returns when all are applied, whoever did it.
 *
 * Several processes may do it at once: one applies, the others wait.
 *
 * @throws {DeclarationError} a folder that is wrong, a file that was changed, one that fails, a lock that does not end
 */
export async function migrateDatabase(
  database: SqlDatabase,
  { folder, now, waitMs = 60_000, onApplied = () => undefined }: MigrateOptions,
): Promise<readonly DoneMigration[]> {
  const { migrations, problems } = readMigrations(folder);
  if (problems.length > 0) throw new DeclarationError(problems);
  const done: DoneMigration[] = [];
  for (;;) {
    const plan = await planFor(database, migrations);
    if (plan.problems.length > 0) throw new DeclarationError(plan.problems);
    const [next] = plan.pending;
    if (!next) return done;
    const startMs = performance.now();
    if (!(await apply(database, next, { atMs: now(), waitMs, tellsDrizzle: plan.tellsDrizzle }))) continue;
    const one = { name: next.migration.name, ms: performance.now() - startMs, adopted: next.adopts };
    done.push(one);
    onApplied(one);
  }
}

/**
 * Tells what was applied and what is pending, and everything wrong with it, without applying anything.
 *
 * @param folder undefined: there is none, and nothing says so
 */
export async function migrationState(
  database: Pick<SqlDatabase, 'read'>,
  folder: string | undefined,
): Promise<MigrationState> {
  if (folder === undefined) return { applied: [], pending: [], problems: await lostMigrations(database) };
  const { migrations, problems } = readMigrations(folder);
  if (problems.length > 0) return { applied: [], pending: [], problems };
  const { applied, pending, problems: found } = await planFor(database, migrations);
  return {
    applied,
    pending: pending.map(({ migration: { name, statements }, adopts }) => ({
      ...{ name, statements: statements.length, adopts },
    })),
    problems: found,
  };
}

/** Says that a server does not start before these were applied. */
export function pendingProblem(pending: MigrationState['pending']): Problem {
  const names = pending.slice(0, 5).map(({ name }) => name);
  const more = pending.length > names.length ? ` and ${pending.length - names.length} more` : '';
  return migrationProblem(
    'migration-pending',
    undefined,
    `${names.join(', ')}${more} ${pending.length === 1 ? 'was' : 'were'} not applied yet`,
    'run: waymark migrate',
  );
}

async function planFor(
  database: Pick<SqlDatabase, 'read'>,
  migrations: readonly Migration[],
): Promise<MigrationPlan & { readonly tellsDrizzle: boolean }> {
  const applied = await readApplied(async (sql) => (await database.read([{ sql }]))[0]?.rows ?? []);
  return { ...planMigrations(migrations, applied), tellsDrizzle: applied.drizzle !== undefined };
}

/** @returns false: another process was faster */
async function apply(
  database: SqlDatabase,
  { migration, adopts }: PendingMigration,
  options: { readonly atMs: number; readonly waitMs: number; readonly tellsDrizzle: boolean },
): Promise<boolean> {
  const { statements, enforcesKeys, journalMs, rawSha256 } = migration;
  const { atMs, waitMs, tellsDrizzle } = options;
  const first = rememberSql({ ...migration, atMs });
  const told = tellsDrizzle && journalMs !== undefined ? [tellDrizzleSql(rawSha256, journalMs)] : [];
  try {
    await database.script(
      adopts
        ? { statements: [first], enforcesKeys: true, waitMs }
        : { statements: [first, ...statements.map(({ sql }) => sql), ...told], enforcesKeys, waitMs },
    );
    return true;
  } catch (error) {
    if (isTaken(error)) return false;
    throw toFailure(migration, error, waitMs);
  }
}

/** What drizzle-kit writes for Turso is SQL of libsql servers in part. */
function fixFor(sql: string): string {
  return /^alter\s+table\s[\s\S]+\salter\s+column\s/i.test(sql)
    ? "SQLite has no ALTER COLUMN, libsql servers have: make the table anew; drizzle-kit does with dialect: 'sqlite'"
    : 'mend it, and start again';
}

/** The first statement fails where its row is there already. */
function isTaken(error: unknown): boolean {
  if (!(error instanceof ScriptFault) || error.index !== 0) return false;
  return toSqlFault(error)?.code.startsWith('SQLITE_CONSTRAINT') ?? false;
}

function toFailure({ path, statements }: Migration, error: unknown, waitMs: number): unknown {
  if (!(error instanceof ScriptFault)) {
    if (!toSqlFault(error)?.code.startsWith('SQLITE_BUSY')) return toOpenProblem(error);
    return databaseProblem(
      'database-busy',
      `another process has migrated or written for ${Math.round(waitMs / 1000)} s, and the migrations waited for it`,
      'wait until it is done, or find and stop it',
    );
  }
  // Before the first stands what remembers the migration.
  const statement = statements[error.index - 1];
  return new DeclarationError([
    migrationProblem(
      'migration-failed',
      `${path}:${statement?.line ?? statements.at(-1)?.line ?? 1}`,
      `${error.message}; nothing of the migration was stored`,
      fixFor(statement?.sql ?? ''),
    ),
  ]);
}
