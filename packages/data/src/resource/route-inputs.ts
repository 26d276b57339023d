import { Type } from '@waymark/contract';
import { isStandardSchema } from '@waymark/contract/schema';
import { type Field, optionally } from '../fields/field.ts';
import { defaultLimit } from './list-rows.ts';

/** What a new row is made of. */
export function createInput(fields: readonly Field[]): Readonly<Record<string, object>> {
  return byName(fields, (field) => {
    const { schema, optional } = field;
    // It says itself what may be left out, and what is there then.
    if (isStandardSchema(schema)) return schema;
    if ('default' in field) return { ...schema, default: field.default };
    return optional ? optionally(schema) : schema;
  });
}

/** What a list is asked with. */
export function listInput(fields: readonly Field[]): Readonly<Record<string, object>> {
  return {
    limit: Type.Integer({ minimum: 1, default: defaultLimit }),
    // What the database can count.
    offset: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 }),
    sort: optionally(
      Type.String({ description: 'Fields, separated by commas; a minus before one turns it around.' }),
    ),
    ...byName(fields, ({ kind, schema }) =>
      optionally(
        kind === 'json'
          ? Type.String({
              description:
                'The value as JSON, the members of objects in the order in which they were written.',
            })
          : schema,
      ),
    ),
  };
}

/** A schema for each field. */
export function byName(
  fields: readonly Field[],
  schemaOf: (field: Field) => object,
): Readonly<Record<string, object>> {
  return Object.fromEntries(fields.map((field) => [field.name, schemaOf(field)]));
}
