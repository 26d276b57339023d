export { type SqlStoresOptions, sqlStores } from './sql-stores.ts';
