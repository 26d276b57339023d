export type { AppliedMigration } from '../migrations/applied-migrations.ts';
export {
  type DoneMigration,
  type MigrateOptions,
  type MigrationState,
  migrateDatabase,
  migrationState,
  pendingProblem,
} from '../migrations/migrate-database.ts';
export { holdsMigrations } from '../migrations/read-migrations.ts';
