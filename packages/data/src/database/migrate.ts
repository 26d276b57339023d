import { databaseProblem } from './database-problem.ts';
import { foldColumns } from './fold-columns.ts';
import type { SqlDatabase } from './sql-database.ts';
import type { SqlTransaction } from './sql-transaction.ts';

/** One step of the schema of our own tables: statements that lead there from the step before. */
export type Migration = readonly string[];

/** The one row that says which version our own tables have. */
const versionTable = 'svc__schema';

/** Asks for the table that holds the version; no row in a database that is not ours yet. */
export const findVersionTable = `select 1 from sqlite_schema where type = 'table' and name = '${versionTable}'`;

/** Asks for the version itself. */
export const selectVersion = `select version from ${versionTable}`;

/**
 * The version in what `selectVersion` gave.
 *
 * @throws {DeclarationError} damaged, or written by a newer release
 */
export function checkVersion(rows: readonly (readonly unknown[])[], known: number): number {
  const version = rows[0]?.[0];
  if (rows.length !== 1 || typeof version !== 'number' || !Number.isInteger(version) || version < 0)
    throw databaseProblem(
      'database-damaged',
      `its table ${versionTable} does not hold one version`,
      'restore the file from a backup, or give another one',
    );
  if (version > known)
    throw databaseProblem(
      'database-newer',
      `it has version ${version} of the service's tables; this release knows ${known}`,
      'start the release that wrote it, or give another file',
    );
  return version;
}

/** Whether our own tables are missing or older than this release. Only reads: a database can be opened while it is locked. */
export async function isBehind(database: Pick<SqlDatabase, 'read'>, known: number): Promise<boolean> {
  const run = async (sql: string) => (await database.read([{ sql }]))[0]?.rows ?? [];
  return (await versionOf(run, known)) !== known;
}

/** Brings our own tables to the newest version, in the one transaction it is given; others that open wait for it. */
export async function migrate(transaction: SqlTransaction, migrations: readonly Migration[]): Promise<void> {
  const run = async (sql: string) => (await transaction.run(sql)).rows;
  const version = await versionOf(run, migrations.length);
  const versioned = [
    `create table ${versionTable} (version integer not null) strict`,
    `insert into ${versionTable} (version) values (0)`,
  ];
  await transaction.runAll([
    ...(version === undefined ? versioned : []),
    ...(version === undefined ? foldColumns(migrations.flat()) : migrations.slice(version).flat()),
    `update ${versionTable} set version = ${migrations.length}`,
  ]);
}

async function versionOf(
  run: (sql: string) => Promise<readonly (readonly unknown[])[]>,
  known: number,
): Promise<number | undefined> {
  return (await run(findVersionTable)).length === 0
    ? undefined
    : checkVersion(await run(selectVersion), known);
}
