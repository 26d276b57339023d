import { DeclarationError, type Problem } from '@waymark/contract';
import type { Host } from '@waymark/contract/engine';
import type { SqlDatabase } from '@waymark/data';
import type { DoneMigration, MigrationState } from '@waymark/data/upkeep';
import { compose } from '../compose/compose.ts';
import type { Declarations } from '../declaring/declarations.ts';
import { refuseLost } from './migrate-at-start.ts';
import { besideApplication, migrationsFolder } from './migrations-folder.ts';
import { placeError, placeProblems } from './place-problems.ts';

/** What can be done with the data of an application that does not serve: the commands `migrate`, `seed`, `backup` and `restore`. */
export interface Upkeep {
  /** Name of the application. */
  readonly name: string;
  /** URL of the database; undefined where none is declared. */
  readonly database: string | undefined;
  /** Folder of the file that makes the application. */
  readonly home: string;
  /** Who applies what is pending: the start of a server, or a command. */
  readonly migrate: 'start' | 'command';
  /** Folder of the numbered migrations; undefined where there are none. */
  folder(): Promise<string | undefined>;
  /**
   * Tells which migrations were applied and which are pending, and changes nothing; undefined where there are none and none
   * were ever.
   *
   * @throws {DeclarationError} a database that cannot be read
   */
  state(): Promise<MigrationState | undefined>;
  /**
   * Tells which tables of a database file do not fit the resources, and changes nothing: migrations that are pending come first.
   *
   * @throws {DeclarationError} a database that cannot be read
   */
  tables(): Promise<readonly Problem[]>;
  /**
   * Opens the database, applies what is pending, makes the tables of resources and memories where `tables` says so, and closes
   * it when the work is done.
   *
   * @throws {DeclarationError} a database that cannot be opened, a migration that cannot be applied
   */
  withDatabase<T>(work: (database: SqlDatabase) => Promise<T>, options?: OpeningOptions): Promise<T>;
}

/** What is done to a database before work with it begins. */
interface OpeningOptions {
  /** Told of each migration as soon as it is stored. */
  readonly onApplied?: (migration: DoneMigration) => void;
  /** Makes the tables that the start of a server would make; default: false. */
  readonly tables?: boolean;
}

/** Makes the upkeep of what is declared. */
export function toUpkeep(declared: () => Declarations): Upkeep {
  const { name, settings, database } = declared();
  const folder = (): Promise<string | undefined> => migrationsFolder(settings);
  return {
    name,
    database: database.url,
    home: besideApplication(settings.declaredAt),
    migrate: settings.migrate,
    folder,
    async state() {
      const found = await folder();
      if (database.url === undefined || settings.migrations === false) return undefined;
      const { fileOf, lookAtMigrations } = await import('@waymark/data/upkeep');
      // A server is asked for those that are lost when it is started.
      if (found === undefined && fileOf(database.url) === undefined) return undefined;
      const token = settings.env('DATABASE_AUTH_TOKEN') || undefined;
      const state = await lookAtMigrations(database.url, found, token).catch((error: unknown) => {
        throw placeError(error, settings);
      });
      return { ...state, problems: placeProblems(state.problems, settings) };
    },
    async tables() {
      if (database.url === undefined) return [];
      const { lookAtTables } = await import('@waymark/data/upkeep');
      return lookAtTables(database.url, declared().declared.data);
    },
    withDatabase: (work, options) => withDatabase(declared(), work, options),
  };
}

async function withDatabase<T>(
  declarations: Declarations,
  work: (database: SqlDatabase) => Promise<T>,
  { onApplied, tables = false }: OpeningOptions = {},
): Promise<T> {
  const { settings, database: declared } = declarations;
  const { database, problems } = declared;
  if (problems.length > 0 || !database) throw new DeclarationError(problems);
  const place = (error: unknown): never => {
    throw placeError(error, settings);
  };
  await database.open().catch(place);
  try {
    const folder = await migrationsFolder(settings);
    if (folder !== undefined) {
      const { migrateDatabase } = await import('@waymark/data/upkeep');
      const options = { folder, now: Date.now, ...(onApplied && { onApplied }) };
      await migrateDatabase(database, options).catch(place);
    } else await refuseLost(database, settings).catch(place);
    if (tables) await makeTables(declarations);
    return await work(database);
  } finally {
    await database.close();
  }
}

/** As the start of a server does it, by the plugin of what is declared over SQL alone. */
async function makeTables(declarations: Declarations): Promise<void> {
  const { plugins } = compose(declarations);
  const sql = plugins.find(({ name }) => name === 'sql');
  // All that it asks a host for is the time.
  await sql?.start?.({ now: Date.now } as Host);
}
