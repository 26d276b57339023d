import type { Field } from '../fields/field.ts';
import type { StoredForm } from '../resource/column-type.ts';
import { quote } from '../resource/quote.ts';
import type { ResourceDeclaration } from '../resource/resource.ts';
import { type RowTable, type TableColumn, toKey, toReadTable } from '../resource/row-table.ts';
import { type DrizzleColumn, type DrizzleTable, nameOf, ownMember, viewTable } from './drizzle-table.ts';
import { insertFilling, updateFilling } from './fillings.ts';
import { additionOf, creationOf, keyColumns, referencesOf } from './table-sql.ts';
import { toColumnField } from './to-column-field.ts';

/** Reads a resource over a drizzle table that is well declared. */
export function toDrizzleRowTable({ name, options }: ResourceDeclaration, table: DrizzleTable): RowTable {
  const view = viewTable(table);
  const { fields: refined, given } = options;
  const { omit = [] } = given;
  const [keyColumn] = keyColumns(view);
  const fields: Field[] = [];
  let key: Field | undefined;
  for (const [property, column] of Object.entries(view.columns)) {
    const field = omit.includes(property)
      ? undefined
      : toColumnField(property, column, ownMember(refined, property));
    if (!field) continue;
    const isKey = column === keyColumn;
    if (isKey) key = toKey({ ...field, optional: insertFilling(property, column) !== undefined });
    fields.push(isKey && key ? key : field);
  }
  if (!key) throw new Error(`the table ${view.name} has no primary key, which its check says`);
  const entries = Object.entries(view.columns);
  return {
    ...toReadTable({
      ...{ name, table: quote(view.name), key, fields },
      keyIsGenerated: key.kind === 'integer' && !key.optional,
    }),
    isDrizzle: true,
    tableColumns: entries.map(([property, column]) => ({
      ...{ name: column.name, add: additionOf(view, column) },
      kept: omit.includes(property) ? undefined : keptIn(column),
    })),
    creation: creationOf(view),
    references: referencesOf(view).map((foreign) => ({
      name: nameOf(foreign),
      creation: creationOf(viewTable(foreign)),
    })),
    onInsert: entries.flatMap(([property, column]) => insertFilling(property, column) ?? []),
    onUpdate: entries.flatMap(([property, column]) => updateFilling(property, column) ?? []),
  };
}

const forms: Readonly<Record<string, StoredForm>> = {
  SQLiteText: 'text',
  SQLiteTextJson: 'json',
  SQLiteBlobJson: 'blob',
  SQLiteInteger: 'integer',
  SQLiteBoolean: 'integer',
  SQLiteTimestamp: 'integer',
  SQLiteReal: 'real',
};

/** What a custom column stores nobody knows, and decimals are read from whatever they are kept as. */
function keptIn(column: DrizzleColumn): TableColumn['kept'] {
  const form = forms[column.columnType];
  return form && { form, declared: column.getSQLType() };
}
