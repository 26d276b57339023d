import type { Feature } from '@waymark/contract/declaring';
import type { SqlDatabase } from './database/sql-database.ts';
import { isDrizzleTable } from './drizzle/drizzle-table.ts';
import { memory } from './memory/memory.ts';
import { memoryRules } from './memory/memory-rules.ts';
import { migrationRules } from './migrations/migration-rules.ts';
import { query } from './query/query.ts';
import { resource } from './resource/resource.ts';
import { createSqlRoutes, type SqlDeclaration } from './sql-routes.ts';
import { sqlRules } from './sql-rules.ts';

/**
 * Feature with the declaration calls `query`, `resource` and `memory`, their rules, and the plugin that serves them.
 */
export const dataFeature = {
  name: 'data',
  kinds: [
    {
      method: 'query',
      declare: query,
      options: 3,
      title: (method, path) => `query ${method} ${path}`,
    },
    {
      method: 'resource',
      declare: resource,
      options: ([first]) => (isDrizzleTable(first) ? 1 : 2),
      title: (name) => `resource "${name}"`,
    },
    {
      method: 'memory',
      declare: memory,
      options: 1,
      title: (name) => `memory "${name}"`,
      arrange: ([name = 'memory', ...rest]) => [name, ...rest],
      gives: ({ tools }: ReturnType<typeof memory>) => tools,
    },
  ],
  rules: { ...sqlRules, ...memoryRules, ...migrationRules },
  // With a wrong URL, all that would be said of them follows from it.
  plugin: (declarations, { database, hasDatabase }) =>
    createSqlRoutes(hasDatabase && !database ? [] : declarations, database),
} as const satisfies Feature<
  SqlDeclaration,
  {
    /** Database of the application; undefined where none is declared, or where its URL is wrong. */
    readonly database: SqlDatabase | undefined;
    /** Tells whether a database is declared, be its URL right or wrong. */
    readonly hasDatabase: boolean;
  }
>;
