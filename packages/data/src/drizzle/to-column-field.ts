import { readSchema } from '@waymark/contract/declaring';
import { isLibrarySchema, type StandardSchema } from '@waymark/contract/schema';
import {
  type Field,
  type FieldColumn,
  type FieldType,
  kindOfSchema,
  orNull,
  toSchema,
} from '../fields/field.ts';
import { libraryOrNull, maybeLeftOut } from '../fields/library-field.ts';
import { type ColumnForm, formOf } from './column-forms.ts';
import type { DrizzleColumn } from './drizzle-table.ts';
import { literalOf, mayBeLeftOut } from './fillings.ts';

/** A column as a field; undefined where it has no form in JSON. @param refined a schema that says more than the column */
export function toColumnField(name: string, column: DrizzleColumn, refined?: FieldType): Field | undefined {
  const form = formOf(name, column);
  if (!form || (form.kind === undefined && refined === undefined)) return undefined;
  const stored: FieldColumn = {
    ...{ name: column.name, ...form.stored },
    ...(column.generated && { isComputed: true as const }),
  };
  const nullable = !column.notNull && !column.primary;
  const optional = mayBeLeftOut(column);
  if (refined !== undefined && isLibrarySchema(refined)) {
    const { standard } = readSchema(refined, 'output', name);
    if (standard) return ofLibrary({ name, column: stored, nullable, optional }, form, standard);
  }
  const { default: _, ...given } = (refined === undefined ? {} : toSchema(refined)) as { default?: unknown };
  const value = { ...form.schema, ...given };
  const schema = nullable ? orNull(value) : value;
  const fallback = literalOf(column);
  return {
    ...{ name, column: stored, nullable, optional, schema, rowSchema: schema },
    kind: form.kind ?? kindOfSchema(value),
    ...(fallback !== undefined && { default: fallback instanceof Date ? fallback.toISOString() : fallback }),
  };
}

/** What a library gives is stored. It is not asked of what nobody gives. */
function ofLibrary(
  known: Pick<Field, 'name' | 'column' | 'nullable' | 'optional'>,
  form: ColumnForm,
  standard: StandardSchema,
): Field {
  const { schema: row } = readSchema(standard, 'output', known.name);
  const schema = known.nullable ? libraryOrNull(standard) : standard;
  return {
    ...known,
    kind: form.kind ?? kindOfSchema(row),
    schema: known.optional ? maybeLeftOut(schema) : schema,
    rowSchema: known.nullable ? orNull(row) : row,
  };
}
