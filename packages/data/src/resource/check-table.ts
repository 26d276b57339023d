import type { SqlDatabase } from '../database/sql-database.ts';
import type { SqlRuleFault } from '../sql-rules.ts';
import { addColumnSql, createTableSql, type RowTable } from './row-table.ts';

/** Makes the table of a resource where that is wished, and says what keeps the one there is from being used. */
export async function prepareTable(
  rowTable: RowTable,
  table: string,
  createTable: boolean,
  database: SqlDatabase,
): Promise<readonly SqlRuleFault[]> {
  const columns = await columnsOf(table, database);
  if (columns.length > 0) return checkColumns(rowTable, columns);
  const sql = createTableSql(rowTable);
  if (createTable) {
    await database.write([{ sql }]);
    return [];
  }
  return [{ code: 'resource-table', rule: `there is no table "${table}"`, fix: `run: ${sql}` }];
}

interface Column {
  readonly name: string;
  readonly type: string;
  /** Its position in the primary key, from 1. */
  readonly key: number;
}

async function columnsOf(table: string, database: SqlDatabase): Promise<readonly Column[]> {
  const rows = await database.many('select name, type, pk from pragma_table_xinfo(?)', [table]);
  return rows.map(({ name, type, pk }) => ({
    name: String(name).toLowerCase(),
    type: String(type).toLowerCase(),
    key: Number(pk),
  }));
}

function checkColumns(
  { table, fields, key, keyIsGenerated }: RowTable,
  columns: readonly Column[],
): readonly SqlRuleFault[] {
  const missing = fields.filter(({ name }) => !columns.some((column) => column.name === name.toLowerCase()));
  if (missing.length > 0)
    return missing.map((field) => ({
      code: 'resource-columns',
      rule: `the table ${table} has no column "${field.name}"`,
      fix: `run: ${addColumnSql(table, field)}`,
    }));
  const keys = columns.filter((column) => column.key > 0);
  const [only] = keys;
  const fits = keys.length === 1 && only?.name === key.name.toLowerCase();
  // Only this very word makes SQLite give a number to a new row.
  if (fits && (!keyIsGenerated || only.type === 'integer')) return [];
  const rule = fits
    ? `the database does not number the rows of ${table}: "${key.name}" is ${only.type}, not integer`
    : `"${key.name}" is not the primary key of the table ${table}`;
  return [
    { code: 'resource-columns', rule, fix: 'name its primary key as primaryKey, or make another table' },
  ];
}
