import { isJson, type Operation, type Parameter } from '../model/api.ts';
import { asList, asObject, asText, asTexts, isObject, type JsonObject, memberOf } from '../model/json.ts';
import type { References } from '../model/references.ts';
import { branchesOf } from '../model/schema-words.ts';

/** How a value is entered. */
export type Entry =
  | { readonly kind: 'text'; readonly long: boolean }
  | { readonly kind: 'integer' | 'number' | 'boolean' | 'json' }
  /** One of these. */
  | { readonly kind: 'choice'; readonly values: readonly unknown[] }
  /** A list, one item in each line. */
  | { readonly kind: 'lines'; readonly of: 'text' | 'integer' | 'number' | 'boolean' };

/** One value that a call takes. */
export interface Field {
  readonly name: string;
  /** Its name for tools and the client. */
  readonly argument: string;
  readonly place: 'path' | 'query' | 'header' | 'body';
  readonly required: boolean;
  /** Whether `null` is a value of it. */
  readonly nullable: boolean;
  readonly rest: boolean;
  readonly entry: Entry;
  readonly schema: unknown;
  readonly description: string;
  /** What stands in it at first: nothing, unless it must be given. */
  readonly initial: string;
}

/** How the body of a call is entered. */
export type BodyForm =
  | { readonly kind: 'none' }
  /** Bytes: a file. */
  | { readonly kind: 'file'; readonly mediaType: string; readonly required: boolean }
  /** JSON: by its members, where it is an object of such, and in whole. */
  | {
      readonly kind: 'json';
      readonly required: boolean;
      readonly members: readonly Field[];
      /** The whole of it, as it could be. */
      readonly example: string;
    };

/** What a form asks for. */
export interface FormShape {
  readonly fields: readonly Field[];
  readonly body: BodyForm;
}

/** What a call takes, as fields of a form. */
export function toFormShape({ parameters, body, facts }: Operation, references: References): FormShape {
  const fields = parameters.map((one) => toParameterField(one, references));
  if (!body) return { fields, body: { kind: 'none' } };
  const { required, mediaType, schema, example } = body;
  if (!isJson(mediaType) || schema === undefined)
    return { fields, body: { kind: 'file', mediaType, required } };
  const members = facts.content === undefined ? toMembers(schema, example, references) : [];
  const text = example === undefined ? '' : JSON.stringify(example, null, 2);
  return { fields, body: { kind: 'json', required, members, example: text } };
}

function toParameterField(parameter: Parameter, references: References): Field {
  const { name, argument, place, required, rest, schema, description, example } = parameter;
  const { entry, nullable } = toEntry(schema, references, 'text');
  return {
    ...{ name, argument, place, required, rest, entry, schema },
    // No text is null.
    nullable: nullable && entry.kind === 'json',
    description: description || asText(references.resolve(schema)['description']),
    initial: required ? toInitial(entry, example) : '',
  };
}

/** The members of a body that is an object of known ones and nothing more complicated. */
function toMembers(schema: unknown, example: unknown, references: References): readonly Field[] {
  const resolved = references.resolve(schema);
  const { properties, required } = resolved;
  if (!isObject(properties) || branchesOf(resolved).length > 0 || 'allOf' in resolved) return [];
  const needed = asTexts(required);
  return Object.entries(properties).map(([name, one]) => {
    const { entry, nullable } = toEntry(one, references, 'json');
    const said = memberOf(example, name);
    return {
      ...{ name, argument: name, place: 'body', rest: false, entry, nullable, schema: one },
      required: needed.includes(name),
      description: asText(references.resolve(one)['description']),
      initial: needed.includes(name) ? toInitial(entry, said) : '',
    };
  });
}

/** From here on a text is given room. */
const longText = 400;

/** @param mixed how values of several types are entered: as text in an address, as JSON in a body */
function toEntry(
  schema: unknown,
  references: References,
  mixed: 'text' | 'json',
): { readonly entry: Entry; readonly nullable: boolean } {
  const { schemas, nullable } = withoutNull(references.resolve(schema), references);
  const values = choicesOf(schemas);
  if (values.length > 0) return { entry: { kind: 'choice', values }, nullable };
  const [only] = schemas;
  if (schemas.length !== 1 || !only)
    return { entry: mixed === 'text' ? { kind: 'text', long: false } : { kind: 'json' }, nullable };
  return { entry: toPlainEntry(only, references, mixed), nullable };
}

function toPlainEntry(schema: JsonObject, references: References, mixed: 'text' | 'json'): Entry {
  const kind = plainKind(schema);
  if (kind === 'text') {
    const { maxLength, format, const: constant } = schema;
    const long = constant === undefined && format === undefined && Number(maxLength ?? 0) > longText;
    return { kind, long };
  }
  if (kind !== undefined) return { kind };
  if (schema['type'] === 'array') {
    const { schemas } = withoutNull(references.resolve(schema['items']), references);
    const of = schemas.length === 1 && schemas[0] ? plainKind(schemas[0]) : undefined;
    if (of !== undefined) return { kind: 'lines', of };
    return mixed === 'text' ? { kind: 'lines', of: 'text' } : { kind: 'json' };
  }
  return mixed === 'text' && schema['type'] !== 'object' ? { kind: 'text', long: false } : { kind: 'json' };
}

function plainKind(schema: JsonObject): 'text' | 'integer' | 'number' | 'boolean' | undefined {
  const { type } = schema;
  if (type === 'string') return 'text';
  return type === 'integer' || type === 'number' || type === 'boolean' ? type : undefined;
}

/** The alternatives of a schema, one for each type, and whether null is one of them. */
function withoutNull(
  schema: JsonObject,
  references: References,
): { readonly schemas: readonly JsonObject[]; readonly nullable: boolean } {
  const branches = branchesOf(schema).map((one) => references.resolve(one));
  const { type } = schema;
  const all =
    branches.length > 0
      ? branches
      : Array.isArray(type)
        ? type.map((one): JsonObject => ({ ...schema, type: one }))
        : [schema];
  const schemas = all.filter((one) => one['type'] !== 'null' && one['const'] !== null);
  return { schemas, nullable: schemas.length < all.length };
}

/** The values there are, where they are told one by one. */
function choicesOf(schemas: readonly JsonObject[]): readonly unknown[] {
  const values = schemas.flatMap((one): readonly unknown[] =>
    'const' in one ? [one['const']] : asList(one['enum']),
  );
  const complete = schemas.every((one) => 'const' in one || Array.isArray(one['enum']));
  return complete ? values.filter((one) => one !== null) : [];
}

/** An example, but of nothing that somebody decides: whether a call is approved, say. */
function toInitial(entry: Entry, example: unknown): string {
  const decided = entry.kind === 'boolean' || entry.kind === 'choice';
  return example === undefined || decided ? '' : toFieldText(entry, example);
}

/** How a value stands in the field for it. */
function toFieldText(entry: Entry, value: unknown): string {
  if (entry.kind === 'lines')
    return asList(value)
      .map((one) => plainText(one))
      .join('\n');
  if (entry.kind === 'choice' || entry.kind === 'boolean') return JSON.stringify(value);
  if (entry.kind === 'json') return JSON.stringify(value, null, 2);
  return plainText(value);
}

/** A value as an address has it: text as it is, anything else as JSON. */
export function plainText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The members of a body by their fields, where all of it can be told by them; undefined where it cannot. */
export function fromBody(members: readonly Field[], value: unknown): ReadonlyMap<string, string> | undefined {
  const entries = Object.entries(asObject(value));
  const byName = new Map(members.map((one) => [one.name, one]));
  if (!isObject(value) || entries.some(([name]) => !byName.has(name))) return undefined;
  return new Map(
    entries.map(([name, one]) => {
      const entry = byName.get(name)?.entry ?? { kind: 'json' };
      return [name, one === null ? 'null' : toFieldText(entry, one)];
    }),
  );
}
