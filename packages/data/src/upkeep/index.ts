export { type Backup, type BackupOptions, backupFile } from '../copies/backup-file.ts';
export { CopyError } from '../copies/copy-error.ts';
export { type Restored, type RestoreOptions, restoreFile } from '../copies/restore-file.ts';
export { fileOf } from '../database/database-address.ts';
export { lookAtTables } from '../look-at-tables.ts';
export type { AppliedMigration } from '../migrations/applied-migrations.ts';
export { lookAtMigrations } from '../migrations/look-at-migrations.ts';
export {
  type DoneMigration,
  type MigrateOptions,
  type MigrationState,
  migrateDatabase,
  migrationState,
  pendingProblem,
} from '../migrations/migrate-database.ts';
export { holdsMigrations, readMigrations } from '../migrations/read-migrations.ts';
export { runSql, type SqlOutcome } from '../migrations/run-sql.ts';
