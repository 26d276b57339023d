import type { SqlDatabase } from './database/sql-database.ts';

/** How the number that SQLite gives each row of a table is asked for. */
export interface Rowid {
  /** What it is called; undefined where columns have all three of its names. */
  readonly name: string | undefined;
}

/** Looks at a table; undefined of one whose rows have no number: WITHOUT ROWID, a view, none. */
export async function rowidOf(
  table: string,
  database: Pick<SqlDatabase, 'many'>,
): Promise<Rowid | undefined> {
  const [kept] = await database.many(
    `select 1 as found from pragma_table_list(?) where schema = 'main' and type <> 'view' and wr = 0`,
    [table],
  );
  if (!kept) return undefined;
  const columns = await database.many('select lower(name) as name from pragma_table_xinfo(?)', [table]);
  const isFree = (name: string): boolean => columns.every((column) => column['name'] !== name);
  return { name: ['rowid', '_rowid_', 'oid'].find(isFree) };
}
