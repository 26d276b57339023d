import type { SqlDatabase } from '../database/sql-database.ts';
import type { SqlResult } from '../database/sql-result.ts';

/** A migration that was applied, as its database remembers it. */
export interface AppliedMigration {
  readonly position: number;
  readonly name: string;
  readonly sha256: string;
  /** Epoch milliseconds. */
  readonly atMs: number;
}

/** What a database remembers of migrations: ours, and those of drizzle's own migrator. */
export interface Applied {
  readonly migrations: readonly AppliedMigration[];
  /** By `when` of the journal, the hash of the file; undefined where there is no such table. */
  readonly drizzle: ReadonlyMap<number, string> | undefined;
}

/** Runs one statement that reads. */
export type ReadOne = (sql: string) => Promise<SqlResult['rows']>;

const drizzleTable = '__drizzle_migrations';
const ownTable = 'svc__migration';

/** Reads what was applied; a database that we have not opened yet remembers nothing. */
export async function readApplied(read: ReadOne): Promise<Applied> {
  const tables = (
    await read(
      `select name from sqlite_schema where type = 'table' and name in ('${ownTable}', '${drizzleTable}')`,
    )
  ).map(([name]) => name);
  const own = tables.includes(ownTable)
    ? await read(`select n, name, sha256, applied_ms from ${ownTable} order by n`)
    : [];
  const drizzle = tables.includes(drizzleTable)
    ? await read(`select cast(created_at as integer), hash from ${drizzleTable} order by id`)
    : undefined;
  return {
    migrations: own.map(([position, name, sha256, atMs]) => ({
      ...{ position: Number(position), name: String(name) },
      ...{ sha256: String(sha256), atMs: Number(atMs) },
    })),
    drizzle: drizzle && new Map(drizzle.map(([when, hash]) => [Number(when), String(hash)])),
  };
}

/** Whether migrations change a database: what is changed beside them makes the next one fail. */
export async function hasMigrations(database: Pick<SqlDatabase, 'many'>): Promise<boolean> {
  const { migrations, drizzle } = await readApplied(async (sql) => {
    const rows = await database.many(sql);
    return rows.map((row) => Object.values(row)) as SqlResult['rows'];
  });
  return migrations.length > 0 || drizzle !== undefined;
}

/** Remembers one: fails where another process has been faster. The name holds no quote. */
export function rememberSql({ position, name, sha256, atMs }: AppliedMigration): string {
  return `insert into ${ownTable} (n, name, sha256, applied_ms) values (${position}, '${name.replaceAll("'", "''")}', '${sha256}', ${atMs})`;
}

/** Tells drizzle's own migrator, too, where it has been at work: it would apply it once more. */
export function tellDrizzleSql(rawSha256: string, when: number): string {
  return `insert into ${drizzleTable} (hash, created_at) values ('${rawSha256}', ${when})`;
}

/** How somebody who knows better accepts a file as it is now. */
export function acceptSql({ name, sha256 }: Pick<AppliedMigration, 'name' | 'sha256'>): string {
  return `update ${ownTable} set sha256 = '${sha256}' where name = '${name.replaceAll("'", "''")}'`;
}
