import { DeclarationError, type Problem } from '@waymark/contract';
import type { Log } from '@waymark/contract/engine';
import { checkDatabase, declareDatabase, type SqlDatabase } from '@waymark/data';
import type { Settings } from '../options/settings.ts';

/** The database of an application, from its declaration on: handlers hold it before it is open. */
export interface ApplicationDatabase {
  readonly url: string | undefined;
  /** Undefined where none is declared, or where its URL is wrong. */
  readonly database: SqlDatabase | undefined;
  /** Where runs and the ledger are kept: the same one, or one in memory. */
  readonly state: SqlDatabase;
  /** What is wrong with the URL. */
  readonly problems: readonly Problem[];
  /** Takes the log lines of the database; there is none before the application runs. */
  log: Log | undefined;
  /** Tells the database whose work it is that asks for a transaction; nobody's before the application runs. */
  callerOf: (() => unknown) | undefined;
}

/** Names the declared database; nothing touches it before the application starts. */
export function applicationDatabase(settings: Settings): ApplicationDatabase {
  const { database: url, env } = settings;
  const log: Log = (...line) => found.log?.(...line);
  const callerOf = (): unknown => found.callerOf?.();
  const state = declareDatabase(':memory:', { log });
  let found: ApplicationDatabase = {
    ...{ url, database: undefined, state, problems: [], log: undefined, callerOf: undefined },
  };
  if (url === undefined) return found;
  try {
    const authToken = env('DATABASE_AUTH_TOKEN') || undefined;
    const database = declareDatabase(url, { ...(authToken !== undefined && { authToken }), log, callerOf });
    found = { ...found, database, state: database };
    return found;
  } catch (error) {
    if (!(error instanceof DeclarationError)) throw error;
    found = { ...found, problems: placeDatabase(error, settings).problems };
    return found;
  }
}

/** What keeps the database from being opened, as far as its place shows it. */
export function checkDatabasePlace(
  { url, problems }: ApplicationDatabase,
  settings: Settings,
): readonly Problem[] {
  if (url === undefined || problems.length > 0) return problems;
  try {
    checkDatabase(url);
    return [];
  } catch (error) {
    if (!(error instanceof DeclarationError)) throw error;
    return placeDatabase(error, settings).problems;
  }
}

/** What is wrong with the database stands where it is named: where the application is made, or in a variable. */
export function placeDatabase(
  { problems }: DeclarationError,
  { declaredAt, variables, variablesAt }: Settings,
): DeclarationError {
  const { database: variable } = variables;
  const at = variable === undefined ? declaredAt : variablesAt;
  return new DeclarationError(
    problems.map((problem) => ({
      ...(at !== undefined && { at }),
      ...problem,
      ...(variable !== undefined && { declaration: 'environment', rule: `${variable}: ${problem.rule}` }),
    })),
  );
}
