import type { SqlDatabase } from '../database/sql-database.ts';
import { hasMigrations } from '../migrations/applied-migrations.ts';
import type { SqlRuleFault } from '../sql-rules.ts';
import { type Column, compareColumns } from './compare-columns.ts';
import type { RowTable } from './row-table.ts';

/** What is asked of a database to compare a table. */
export type TableReader = Pick<SqlDatabase, 'many'>;

/** Says what keeps the table of a resource from being used, and makes none: of one that a start would make, nothing. */
export async function lookAtTable(
  rowTable: RowTable,
  table: string,
  createTable: boolean,
  database: TableReader,
): Promise<readonly SqlRuleFault[]> {
  const columns = await columnsOf(table, database);
  if (columns.length > 0) return checkColumns(rowTable, columns, database);
  return createTable ? [] : [missingTable(rowTable, table)];
}

/** Makes the table of a resource where that is wished, and says what keeps the one there is from being used. */
export async function prepareTable(
  rowTable: RowTable,
  table: string,
  createTable: boolean,
  database: SqlDatabase,
): Promise<readonly SqlRuleFault[]> {
  const columns = await columnsOf(table, database);
  if (columns.length > 0) return checkColumns(rowTable, columns, database);
  if (!createTable) return [missingTable(rowTable, table)];
  await database.write(rowTable.creation.map((sql) => ({ sql })));
  return [];
}

function missingTable({ creation }: RowTable, table: string): SqlRuleFault {
  const fix = `run: ${creation.join('; ')}`;
  return { code: 'resource-table', rule: `there is no table "${table}"`, fix };
}

/** Finds tables that rows refer to and that are not there: no row could be written. */
export async function checkReferences(
  { references }: RowTable,
  database: SqlDatabase,
): Promise<readonly SqlRuleFault[]> {
  const faults: SqlRuleFault[] = [];
  for (const { name, creation } of references) {
    if ((await columnsOf(name, database)).length > 0) continue;
    const rule = `it refers to the table "${name}", which does not exist`;
    faults.push({
      code: 'resource-table',
      rule,
      fix: `declare a resource of it, or run: ${creation.join('; ')}`,
    });
  }
  return faults;
}

async function columnsOf(table: string, database: TableReader): Promise<readonly Column[]> {
  const rows = await database.many(
    `select name, type, pk, "notnull" as never_null, dflt_value as fallback, hidden,
      (select max("strict") from pragma_table_list(?)) as is_strict,
      (select count(*) from pragma_index_list(?) where origin = 'pk') as key_index from pragma_table_xinfo(?)`,
    [table, table, table],
  );
  return rows.map((row) => {
    const { name, type, pk, never_null: neverNull, fallback, hidden, is_strict: isStrict } = row;
    const isComputed = Number(hidden) > 1;
    const isFilled = isComputed || (fallback !== null && !/^null$/i.test(String(fallback)));
    return {
      ...{ name: String(name).toLowerCase(), written: String(name), type: String(type).toLowerCase() },
      ...{ key: Number(pk), isComputed, isStrict: Number(isStrict) === 1 },
      mustBeGiven: Number(neverNull) === 1 && !isFilled,
      // A key with an index is a column beside the number of the row: DESC, or WITHOUT ROWID.
      isRowNumber: Number(pk) === 1 && /^integer$/i.test(String(type)) && Number(row['key_index']) === 0,
    };
  });
}

/** Everything in which the table that is there does not fit, at once. */
async function checkColumns(
  rowTable: RowTable,
  columns: readonly Column[],
  database: TableReader,
): Promise<readonly SqlRuleFault[]> {
  if (faultsOf(rowTable, columns, '').length === 0) return [];
  return faultsOf(rowTable, columns, (await hasMigrations(database)) ? 'write a migration:' : 'run:');
}

function faultsOf(rowTable: RowTable, columns: readonly Column[], change: string): readonly SqlRuleFault[] {
  const { table, tableColumns, isDrizzle } = rowTable;
  const missing = tableColumns.filter(
    ({ name }) => !columns.some((column) => column.name === name.toLowerCase()),
  );
  const advice = isDrizzle ? 'generate a migration: npx drizzle-kit generate; or write one:' : change;
  return [
    ...missing.map(
      ({ name, add }): SqlRuleFault => ({
        code: 'resource-columns',
        rule: `the table ${table} has no column "${name}"`,
        fix: `${advice} ${add}`,
      }),
    ),
    ...(missing.length > 0 ? [] : checkKey(rowTable, columns)),
    ...compareColumns(rowTable, columns, change),
  ];
}

function checkKey(
  { table, key, keyIsGenerated }: RowTable,
  columns: readonly Column[],
): readonly SqlRuleFault[] {
  const keys = columns.filter((column) => column.key > 0);
  const [only] = keys;
  const keyName = key.column?.name ?? key.name;
  const fits = keys.length === 1 && only?.name === keyName.toLowerCase();
  if (fits && (!keyIsGenerated || only.isRowNumber)) return [];
  // Only this very word makes SQLite give a number to a new row.
  const why = only?.type === 'integer' ? 'of a table WITHOUT ROWID, or DESC' : `${only?.type}, not integer`;
  const rule = fits
    ? `the database does not number the rows of ${table}: "${keyName}" is ${why}`
    : `"${keyName}" is not the primary key of the table ${table}`;
  return [
    { code: 'resource-columns', rule, fix: 'name its primary key as primaryKey, or make another table' },
  ];
}
