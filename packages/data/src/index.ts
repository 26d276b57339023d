export { type Arguments, BindError } from './database/bind.ts';
export { type DatabaseOptions, openDatabase } from './database/open-database.ts';
export { type CheckedSql, SqlDatabase } from './database/sql-database.ts';
export type { SqlResult, SqlValue } from './database/sql-result.ts';
export { SqlTransaction, type Statement } from './database/sql-transaction.ts';
export { type SqlStoresOptions, sqlStores } from './stores/sql-stores.ts';
