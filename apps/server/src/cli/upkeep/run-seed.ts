import { existsSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { SqlDatabase } from '@waymark/data';
import type { Application } from '../../application.ts';
import { explainImport } from '../load/explain-import.ts';
import { watchExit } from '../load/watch-exit.ts';
import { Failure } from '../output/failure.ts';
import { UsageError } from '../output/usage-error.ts';

/** What a seed is given. */
export interface SeedContext {
  readonly database: SqlDatabase;
  readonly application: Application;
}

const usualFiles = ['seed.ts', 'seed.js', 'seed.sql'];

/** The file of the seed: the one that is named, else the first usual one beside the application. */
export function seedFile(home: string, named: string | undefined): string {
  if (named !== undefined) {
    if (!existsSync(named)) throw new UsageError(`there is no file ${named}`);
    if (!/\.(ts|js|mjs|mts|sql)$/.test(named)) throw new UsageError(`${named} is neither .ts, .js nor .sql`);
    return named;
  }
  const found = usualFiles.map((one) => join(home, one)).find((one) => existsSync(one));
  if (found !== undefined) return relative(process.cwd(), found);
  throw new Failure(
    `there is none of ${usualFiles.join(', ')} beside the application; write seed.ts: export async function seed({ database }) { … }`,
  );
}

/**
 * Runs a seed on the database, with its migrations applied and its tables in place. One of SQL is one transaction; a function
 * decides for itself.
 *
 * @throws {Failure} there is no seed in the file, or its SQL fails
 */
export async function runSeed(application: Application, file: string): Promise<void> {
  // Read before anything is opened.
  const seed = file.endsWith('.sql') ? toSqlSeed(file) : await importSeed(file);
  await application
    .upkeep()
    .withDatabase(async (database) => seed({ database, application }), { tables: true });
}

type Seed = (context: SeedContext) => unknown;

function toSqlSeed(file: string): Seed {
  const text = readFileSync(file, 'utf8');
  return async ({ database }) => {
    const { runSql } = await import('@waymark/data/upkeep');
    const outcome = await runSql(database, text);
    if (!outcome.ok) throw new Failure(`${file}:${outcome.line}  ${outcome.rule}; nothing of it was stored`);
  };
}

async function importSeed(file: string): Promise<Seed> {
  const module = (await watchExit(file, () =>
    import(pathToFileURL(resolve(file)).href).catch(async (error: unknown) => {
      throw await explainImport(error, file);
    }),
  )) as Readonly<Record<string, unknown>>;
  const seed = module['seed'] ?? module['default'];
  if (typeof seed === 'function') return seed as Seed;
  throw new Failure(`${file} exports no seed; write: export async function seed({ database }) { … }`);
}
