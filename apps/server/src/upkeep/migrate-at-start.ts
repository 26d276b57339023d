import { DeclarationError } from '@waymark/contract';
import { lostMigrations, type SqlDatabase } from '@waymark/data';
import type { ApplicationDatabase } from '../compose/application-database.ts';
import type { Settings } from '../options/settings.ts';
import { migrationsFolder } from './migrations-folder.ts';

/**
 * Applies the numbered migrations of an application to its open database, before anything looks at its tables.
 *
 * @throws {DeclarationError} what keeps them from being applied; what is pending, where a command is to do it
 */
export async function migrateAtStart(
  { database, log }: ApplicationDatabase,
  settings: Settings,
): Promise<void> {
  if (!database) return;
  const folder = await migrationsFolder(settings);
  if (folder === undefined) {
    await refuseLost(database, settings);
    return;
  }
  const { migrateDatabase, migrationState, pendingProblem } = await import('@waymark/data/upkeep');
  // No command could have reached what is in memory.
  if (settings.migrate === 'command' && database.kind !== 'memory') {
    const { pending, problems } = await migrationState(database, folder);
    const found = [
      ...problems,
      ...(problems.length === 0 && pending.length > 0 ? [pendingProblem(pending)] : []),
    ];
    if (found.length > 0) throw new DeclarationError(found);
    return;
  }
  await migrateDatabase(database, {
    folder,
    now: Date.now,
    onApplied: ({ name, ms, adopted }) =>
      log?.('info', adopted ? 'migration known' : 'migration applied', { name, ms: Math.round(ms) }),
  });
}

/**
 * Refuses a database that remembers migrations, for an application that has no folder of them and does not say so: the folder
 * was left out of what was deployed.
 *
 * @throws {DeclarationError}
 */
export async function refuseLost(
  database: SqlDatabase,
  { migrations }: Pick<Settings, 'migrations'>,
): Promise<void> {
  if (migrations === false) return;
  const problems = await lostMigrations(database);
  if (problems.length > 0) throw new DeclarationError(problems);
}
