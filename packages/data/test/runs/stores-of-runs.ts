import type { SqlDatabase } from '../../src/index.ts';
import { type SqlRunOptions, sqlRunStore, sqlSessionStore } from '../../src/index.ts';
import { sqlStores } from '../../src/stores/index.ts';

/** The stores over one database that runs write to. */
export function storesOfRuns(database: SqlDatabase, options: SqlRunOptions = {}) {
  const { usage, outbox } = sqlStores(database);
  const sessions = sqlSessionStore(database, options.sessions);
  return { database, runs: sqlRunStore(database, options), sessions, usage, outbox };
}
