import { type Json, Type } from '@waymark/contract';
import { readSchema } from '@waymark/contract/declaring';
import { isLibrarySchema, isStandardSchema, type StandardSchema } from '@waymark/contract/schema';
import type { SqlValue } from '../database/sql-result.ts';
import { libraryTakes, maybeLeftOut, maybeNull } from './library-field.ts';

/** Kind of a stored value. `json` is stored as text and holds any JSON value. */
export type FieldKind = 'integer' | 'number' | 'string' | 'boolean' | 'json';

/** Type of a field: one of the five kinds, or a schema. */
export type FieldType = FieldKind | object;

/** Fields by name. */
export type Fields = Readonly<Record<string, FieldType>>;

/** One field after normalising: how its values are described, and how they are stored. */
export interface Field {
  readonly name: string;
  readonly kind: FieldKind;
  /** Of one value, null included where it may be null; without a default, but for the one of a library. */
  readonly schema: object;
  /** Of one value as rows show it. */
  readonly rowSchema: object;
  /** Left out, it is null. A field without one of these must be given. */
  readonly nullable: boolean;
  readonly optional: boolean;
  readonly default?: unknown;
  /** How it is kept where its column is not of its name and kind; a table that was declared elsewhere says so. */
  readonly column?: FieldColumn;
}

/** The column of a field, where the field alone does not say what it is. */
export interface FieldColumn {
  readonly name: string;
  /** SQL that reads it; its quoted name. */
  readonly read?: string;
  /** SQL that stands for one value of it; a mere `?`. */
  readonly write?: string;
  /** Its value as it is bound, of one that is not null. */
  readonly encode?: (value: unknown) => unknown;
  /** Its value as it is answered, of one that is not null. */
  readonly decode?: (value: NonNullable<SqlValue>) => Json;
  /** The database computes it: nobody gives it. */
  readonly isComputed?: true;
}

const words: Readonly<Record<FieldKind, () => object>> = {
  integer: () => Type.Integer(),
  number: () => Type.Number(),
  string: () => Type.String(),
  boolean: () => Type.Boolean(),
  json: () => Type.Unknown(),
};

/** The words a field type can be. */
export const fieldWords: readonly string[] = Object.keys(words);

/** Whether something can be the type of a field. */
export function isFieldType(value: unknown): value is FieldType {
  return typeof value === 'string'
    ? Object.hasOwn(words, value)
    : (typeof value === 'object' && value !== null && !Array.isArray(value)) || isLibrarySchema(value);
}

/** The schema behind a field type. */
export function toSchema(type: FieldType): object {
  return typeof type === 'string' ? words[type]() : type;
}

/**
 * Reads one field. `Type.Optional` means that it may be left out and may be null: what is read can be sent back.
 */
export function toField(name: string, type: FieldType): Field {
  const given = toSchema(type);
  const { standard } = readSchema(given, 'output', name);
  return standard ? libraryField(name, standard) : plainField(name, given);
}

/** What a library gives is stored. */
function libraryField(name: string, standard: StandardSchema): Field {
  const { schema } = readSchema(standard, 'output', name);
  const types = typesOf(schema);
  const takesNull = types.has('null');
  const isDefaulted = 'default' in schema;
  const optional = !isDefaulted && libraryTakes(standard, undefined);
  const nullable = takesNull || optional;
  return {
    name,
    kind: kindOf(types),
    schema: optional && !takesNull ? maybeNull(standard) : standard,
    rowSchema: nullable && !takesNull && types.size > 0 ? Type.Union([schema, Type.Null()]) : schema,
    nullable,
    optional,
    ...(isDefaulted && { default: schema.default }),
  };
}

function plainField(name: string, given: object): Field {
  const optional = '~optional' in given;
  const types = typesOf(given);
  // Hidden marks of the schema stay behind: a copy is plain JSON Schema, and its members keep theirs.
  const { default: fallback, ...plain } = given as { readonly default?: unknown };
  const nullable = optional || types.has('null');
  const schema = optional && types.size > 0 && !types.has('null') ? Type.Union([plain, Type.Null()]) : plain;
  return {
    name,
    kind: kindOf(types),
    schema,
    rowSchema: schema,
    nullable,
    optional,
    ...('default' in given && { default: fallback }),
  };
}

/** The field may be left out. */
export function optionally(schema: object): object {
  return isStandardSchema(schema) ? maybeLeftOut(schema) : Type.Optional(schema);
}

/** The fields of one row as an answer describes it: every member is there. */
export function toRowSchema(fields: readonly Field[]): object {
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(({ name, rowSchema }) => [name, rowSchema])),
    required: fields.map(({ name }) => name),
  };
}

/** How a value that a schema takes is kept. */
export function kindOfSchema(schema: object): FieldKind {
  return kindOf(typesOf(schema));
}

/** The schema, and null. */
export function orNull(schema: object): object {
  const types = typesOf(schema);
  return types.size > 0 && !types.has('null') ? Type.Union([schema, Type.Null()]) : schema;
}

function kindOf(types: ReadonlySet<string>): FieldKind {
  const kinds = new Set([...types].filter((type) => type !== 'null'));
  const [only] = kinds;
  if (kinds.size === 1 && only !== undefined && only !== 'object' && only !== 'array')
    return only as FieldKind;
  return kinds.size === 2 && kinds.has('integer') && kinds.has('number') ? 'number' : 'json';
}

/** Unions in unions that are looked into. */
const maxDepth = 8;

/** The JSON types a schema takes; empty when it does not say. */
function typesOf(schema: unknown, depth = 0): ReadonlySet<string> {
  if (typeof schema !== 'object' || schema === null || depth > maxDepth) return new Set();
  const { type, anyOf, oneOf, enum: values } = schema as Readonly<Record<string, unknown>>;
  if (typeof type === 'string') return new Set([type]);
  if (Array.isArray(type)) return new Set(type as readonly string[]);
  const branches = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : undefined;
  if (branches) {
    const each = branches.map((branch: unknown) => typesOf(branch, depth + 1));
    // A branch that takes anything: the whole takes anything.
    return each.some(({ size }) => size === 0) ? new Set() : new Set(each.flatMap((types) => [...types]));
  }
  const literals = Array.isArray(values) ? values : 'const' in schema ? [schema.const] : [];
  return new Set(literals.map(typeOf));
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}
