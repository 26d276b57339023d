import { isOptions, nearestOr } from '@waymark/contract/declaring';
import { isLibrarySchema } from '@waymark/contract/schema';
import { type FieldType, isFieldType, kindOfSchema, toSchema } from '../fields/field.ts';
import type { SqlRuleFault } from '../sql-rules.ts';
import { formOf } from './column-forms.ts';
import {
  type DrizzleColumn,
  type DrizzleTable,
  ownMember,
  type TableView,
  viewTable,
} from './drizzle-table.ts';
import { mayBeLeftOut } from './fillings.ts';
import { keyColumns } from './table-sql.ts';

/** What a program says about the columns of a table. */
interface Said {
  readonly fields: unknown;
  readonly omit: unknown;
}

/** Finds what keeps a table from being served. */
export function checkDrizzleTable(table: DrizzleTable, said: Said): readonly SqlRuleFault[] {
  const view = viewTable(table);
  if (view.kind !== 'SQLiteTable') return [notOfSqlite(view)];
  if (Object.values(view.columns).some(({ dataType }) => dataType.includes(' '))) return [tooNew(view)];
  const omitted: readonly unknown[] = Array.isArray(said.omit) ? said.omit : [];
  const fields = isOptions(said.fields) ? (said.fields as Readonly<Record<string, unknown>>) : {};
  return [
    ...checkNames(view, omitted, 'omit'),
    ...checkNames(view, Object.keys(fields), 'fields'),
    ...checkDrizzleKey(view, omitted, fields),
    ...Object.entries(view.columns).flatMap(([name, column]) =>
      omitted.includes(name)
        ? checkOmitted(view, name, column)
        : checkColumn(name, column, ownMember(fields, name)),
    ),
  ];
}

function notOfSqlite({ name, kind }: TableView): SqlRuleFault {
  const what = kind === 'View' ? 'a view' : `a ${kind || 'table of another library'}`;
  return {
    code: 'resource-drizzle-table',
    rule: `"${name}" is ${what}, and no table of SQLite`,
    fix: 'declare it with sqliteTable of drizzle-orm/sqlite-core',
  };
}

/** There, columns do not map their values any more. */
function tooNew({ name }: TableView): SqlRuleFault {
  return {
    code: 'resource-drizzle-table',
    rule: `"${name}" is of a drizzle-orm that is newer than what is known here`,
    fix: 'install drizzle-orm@0.45',
  };
}

function checkNames(
  { columns }: TableView,
  names: readonly unknown[],
  option: 'omit' | 'fields',
): readonly SqlRuleFault[] {
  const known = Object.keys(columns);
  return names
    .filter((name): name is string => typeof name === 'string' && !known.includes(name))
    .map((name) => ({
      code: 'resource-drizzle-column',
      rule: `${option} names "${name}", which is no column of the table`,
      ...nearestOr(`write one of ${known.join(', ')}`, name, known),
    }));
}

/** Types that a key in a path can have; of one of the program's own, its schema says it. */
const keyTypes: readonly string[] = ['SQLiteInteger', 'SQLiteText', 'SQLiteCustomColumn'];

function checkDrizzleKey(
  view: TableView,
  omitted: readonly unknown[],
  fields: Readonly<Record<string, unknown>>,
): readonly SqlRuleFault[] {
  const keys = keyColumns(view);
  const names = keys.map((key) => Object.keys(view.columns).find((name) => view.columns[name] === key) ?? '');
  const [key] = keys;
  const [name = ''] = names;
  const fault = (rule: string, fix: string): readonly SqlRuleFault[] => [{ code: 'resource-key', rule, fix }];
  const byHand = 'or serve it with routes of your own';
  if (!key) return fault('its table has no primary key', `write id: integer().primaryKey(), ${byHand}`);
  if (keys.length > 1) {
    const quoted = names.map((one) => `"${one}"`).join(', ');
    return fault(`its primary key has ${keys.length} columns, ${quoted}`, `make it one column, ${byHand}`);
  }
  if (omitted.includes(name))
    return fault(`its primary key "${name}" is omitted`, 'take it out of omit: it is in the path');
  if (isLibrarySchema(ownMember(fields, name)))
    return fault(`its primary key "${name}" has the schema of a library`, 'take it out of fields');
  if (keyTypes.includes(key.columnType)) return [];
  return fault(`its primary key "${name}" is ${typeOf(key)}`, `make it text() or integer(), ${byHand}`);
}

/** A row without the column can be made, or none can be made at all. */
function checkOmitted(view: TableView, name: string, column: DrizzleColumn): readonly SqlRuleFault[] {
  if (mayBeLeftOut(column) || keyColumns(view).includes(column)) return [];
  return [
    {
      code: 'resource-drizzle-column',
      rule: `the column "${name}" is omitted, and no row is made without it`,
      fix: `give it a default, or take notNull() from it`,
    },
  ];
}

function checkColumn(name: string, column: DrizzleColumn, refined: unknown): readonly SqlRuleFault[] {
  const form = formOf(name, column);
  const fault = (rule: string, fix: string): readonly SqlRuleFault[] => [
    { code: 'resource-drizzle-column', rule, fix },
  ];
  const omit = `omit: [${JSON.stringify(name).replaceAll('"', "'")}]`;
  if (!form)
    return fault(`the column "${name}" is ${typeOf(column)}, which JSON has no form for`, `write ${omit}`);
  if (form.kind === undefined && refined === undefined)
    return fault(
      `the column "${name}" has a type of its own, and nothing says what it is in JSON`,
      `write fields: { ${name}: Type.String() }, or ${omit}`,
    );
  if (form.kind === undefined || form.kind === 'json' || !isOwnSchema(refined)) return [];
  const kind = kindOfSchema({ ...form.schema, ...toSchema(refined) });
  if (kind === form.kind) return [];
  return fault(
    `the schema of "${name}" is of ${kind} values, and its column of ${form.kind} ones`,
    `write ${name}: '${form.kind}', or a schema of such values`,
  );
}

/** A schema that is read here; what a library says is known when it is asked. */
function isOwnSchema(refined: unknown): refined is FieldType {
  return refined !== undefined && isFieldType(refined) && !isLibrarySchema(refined);
}

/** How drizzle-orm calls the type of a column. */
function typeOf({ columnType }: DrizzleColumn): string {
  return words[columnType] ?? columnType;
}

const words: Readonly<Record<string, string>> = {
  SQLiteBlobBuffer: 'a blob of bytes',
  SQLiteBlobJson: 'a blob of JSON',
  SQLiteBigInt: 'a bigint',
  SQLiteNumericBigInt: 'a bigint',
  SQLiteTimestamp: 'a timestamp',
  SQLiteBoolean: 'a boolean',
  SQLiteReal: 'a real number',
  SQLiteNumeric: 'numeric',
  SQLiteNumericNumber: 'numeric',
  SQLiteTextJson: 'JSON',
};
