export { dataFeature } from './data-feature.ts';
export { type Arguments, BindError } from './database/bind.ts';
export { isDatabaseUrl } from './database/database-address.ts';
export type { DatabaseOptions } from './database/database-options.ts';
export { fileEnds } from './database/file-ends.ts';
export { checkDatabase, declareDatabase, openDatabase } from './database/open-database.ts';
export { type CheckedSql, SqlDatabase } from './database/sql-database.ts';
export type { SqlResult, SqlValue } from './database/sql-result.ts';
export { SqlTransaction, type Statement } from './database/sql-transaction.ts';
export type { DrizzleTable } from './drizzle/drizzle-table.ts';
export type { FieldKind, Fields, FieldType } from './fields/field.ts';
export { type MemoryDeclaration, type MemoryOptions, memory } from './memory/memory.ts';
export { memoryRules } from './memory/memory-rules.ts';
export { lostMigrations } from './migrations/lost-migrations.ts';
export { type QueryDeclaration, type QueryOptions, type QueryParams, query } from './query/query.ts';
export {
  type ResourceDeclaration,
  type ResourceOptions,
  resource,
  type TableResourceOptions,
} from './resource/resource.ts';
export type { SqlSessionOptions } from './runs/session-turns.ts';
export { type SqlRunOptions, sqlRunStore } from './runs/sql-run-store.ts';
export { sqlSessionStore } from './runs/sql-session-store.ts';
export { createSqlRoutes, type SqlDeclaration } from './sql-routes.ts';
export { sqlRules } from './sql-rules.ts';
