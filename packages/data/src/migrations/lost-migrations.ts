import type { Problem } from '@waymark/contract';
import type { SqlDatabase } from '../database/sql-database.ts';
import { readApplied } from './applied-migrations.ts';
import { migrationProblem } from './migration-rules.ts';

/** Finds what a database remembers of migrations, for an application that says nothing of any and has no folder of them. */
export async function lostMigrations(database: Pick<SqlDatabase, 'read'>): Promise<readonly Problem[]> {
  const { migrations } = await readApplied(async (sql) => (await database.read([{ sql }]))[0]?.rows ?? []);
  const last = migrations.at(-1);
  if (!last) return [];
  const which =
    migrations.length === 1 ? `${last.name} was` : `${migrations.length} migrations up to ${last.name} were`;
  return [
    migrationProblem(
      'migration-missing',
      undefined,
      `${which} applied to this database, and there is no folder of migrations`,
      "put the folder beside the application, or name it: migrations: 'folder'; migrations: false where another application has it",
    ),
  ];
}
