import { holdsItself } from '../schema/each-schema.ts';
import { toPlainSchema } from '../schema/json-schema.ts';
import { libraryOf, wayOut } from '../schema/library-schema.ts';
import { withNamedDefinitions } from '../schema/named-definitions.ts';
import { resolveReference, type SchemaObject } from '../schema/references.ts';
import { isStandardSchema, type StandardSchema } from '../schema/standard-schema.ts';
import { checkDescription, checkSchema, isCircular, titleOf } from './check-schema.ts';
import { knownFormatsOnly } from './known-formats-only.ts';
import type { Fault } from './rule-book.ts';

/** A schema as it was declared, read. */
export interface SchemaReading {
  /** JSON Schema 2020-12: what descriptions show. */
  readonly schema: object;
  /** The library that validates; without one the JSON Schema does. */
  readonly standard: StandardSchema | undefined;
  readonly faults: readonly Fault[];
}

/**
 * Reads whatever may stand for a schema (decision 1.3): TypeBox, JSON Schema, or a Standard Schema. What could not be
 * enforced is a fault, never an empty schema that accepts everything.
 *
 * @param side of a library's schema: what it accepts, or what it gives
 * @param title names it in faults: `input "id"`
 */
export function readSchema(given: object, side: 'input' | 'output', title: string): SchemaReading {
  if (isStandardSchema(given)) return readStandard(given, side, title);
  if (!isPlain(given)) return refused(title, `is ${nameOf(given)}`, wayOut(libraryOf(given)));
  if (holdsItself(given)) return { schema: {}, standard: undefined, faults: [isCircular(title)] };
  return { schema: toPlainSchema(given, side).schema, standard: undefined, faults: [] };
}

/** As `readSchema`, and looks into the schema as well: for one that stands alone, and is no part of a route's input. */
export function readWholeSchema(given: object, side: 'input' | 'output', title: string): SchemaReading {
  const read = readSchema(given, side, title);
  if (read.faults.length > 0) return read;
  const check = read.standard ? checkDescription : checkSchema;
  return { ...read, faults: check(read.schema, titleOf(title)) };
}

/** What libraries have to be told, by their names. */
const describing: Readonly<Record<string, Record<string, unknown>>> = {
  // What only code can say (`v.check`, `v.trim`) stays out of the description; it is asked all the same.
  valibot: {
    overrideAction: ({ errors, jsonSchema }: { errors?: readonly string[]; jsonSchema: object }) =>
      errors ? jsonSchema : undefined,
  },
};

/** effect says of each object that it is open, also where nobody has said so: a misspelt parameter would be lost. */
function withoutOpenness(schema: SchemaObject): SchemaObject {
  const { additionalProperties, ...rest } = schema;
  return additionalProperties === true ? rest : schema;
}

function readStandard(standard: StandardSchema, side: 'input' | 'output', title: string): SchemaReading {
  const { vendor, validate, jsonSchema } = standard['~standard'];
  const who = `is a schema of ${vendor} that`;
  if (typeof validate !== 'function') return refused(title, `${who} validates nothing`, wayOut(vendor));
  if (typeof jsonSchema?.[side] !== 'function')
    return refused(title, `${who} gives no JSON Schema`, wayOut(vendor));
  try {
    const libraryOptions = Object.hasOwn(describing, vendor) ? describing[vendor] : undefined;
    const { $schema: _, ...described } = jsonSchema[side]({
      target: 'draft-2020-12',
      ...(libraryOptions && { libraryOptions }),
    });
    const closed = vendor === 'effect' ? withoutOpenness(described) : described;
    const schema = withNamedDefinitions(closed, vendor, title);
    if (holdsItself(schema)) return { schema: {}, standard: undefined, faults: [isCircular(title)] };
    return { schema: knownFormatsOnly(withoutRootReference(schema)), standard, faults: [] };
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error);
    const fix =
      side === 'input'
        ? 'write what JSON can hold, and turn it into what you need with a transform'
        : 'write what JSON can hold';
    return refused(title, `${who} gives no JSON Schema of its ${side}: ${reason.slice(0, 200)}`, fix);
  }
}

/** Libraries write a schema that has a name as a reference to it; types are looked for in the schema itself. */
function withoutRootReference(schema: SchemaObject): SchemaObject {
  const { $ref, ...rest } = schema;
  if (typeof $ref !== 'string') return schema;
  const target = resolveReference($ref, { node: schema, outer: undefined });
  if (!target || target.node === schema) return schema;
  const { $defs, ...own } = { ...target.node, ...rest };
  return JSON.stringify(own).includes('"$ref"') ? { ...own, $defs } : own;
}

function refused(title: string, what: string, fix: string): SchemaReading {
  const fault: Fault = { code: 'schema-library', rule: `${title} ${what}`, fix };
  return { schema: {}, standard: undefined, faults: [fault] };
}

/** Schemas are data: whatever a library has made a class or a function for is not read as one. */
function isPlain(given: object): boolean {
  if (typeof given === 'function' || libraryOf(given) !== undefined) return false;
  const prototype: unknown = Object.getPrototypeOf(given);
  return prototype === null || Array.isArray(given) || Object.getPrototypeOf(prototype) === null;
}

function nameOf(given: object): string {
  const library = libraryOf(given);
  if (library !== undefined) return `a schema of ${library} that gives no JSON Schema`;
  const of: unknown = given.constructor?.name;
  return typeof given === 'function'
    ? 'a function, not a schema'
    : `an object of the class ${String(of)}, not a schema`;
}
