import { readSchema } from '../declaring/read-schema.ts';
import type { Fault } from '../declaring/rule-book.ts';
import { boundTexts } from '../schema/bound-texts.ts';
import { isLibrarySchema } from '../schema/library-schema.ts';
import { toPart } from '../schema/own-root.ts';
import type { SchemaObject } from '../schema/references.ts';
import { isStandardSchema, type StandardSchema } from '../schema/standard-schema.ts';
import { validateStandard } from '../schema/validate-standard.ts';
import type { InputShape, RawSchema } from './handler.ts';
import { pathNames } from './path-template.ts';
import { from, type Place, placeOf } from './place.ts';
import type { Method, Parameter } from './route.ts';

/** The input of a route, normalised. */
export interface RouteInput {
  readonly parameters: readonly Parameter[];
  readonly inputSchema: object;
  /** Validates the parameters as a whole. */
  readonly standard: StandardSchema | undefined;
  readonly faults: readonly Fault[];
}

const nothing: Pick<RouteInput, 'standard' | 'faults'> = { standard: undefined, faults: [] };

/**
 * Reads an `input` declaration: where each parameter travels (decision 1.4), which are required (decision 1.5), and
 * the tool's input schema, in which texts that have a pattern have a `maxLength`, too. What is wrong with it is found by `check-input.ts` and `check-schema.ts`.
 *
 * @param strict refuse unknown members: `additionalProperties` of a composed schema is its opposite
 */
export function toRouteInput(method: Method, path: string, input: InputShape, strict: boolean): RouteInput {
  const names = pathNames(path);
  if (isStandardSchema(input)) return fromStandard(method, names, input, strict);
  if (!isObject(input) || Array.isArray(input)) return toRouteInput(method, path, {}, strict);
  if (isRawSchema(input)) return fromRaw(method, names, boundTexts(input));
  const declared = Object.entries(input as object).flatMap(([name, given]: readonly [string, unknown]) => {
    if (!isSchema(given)) return [];
    const { schema: read, standard, faults } = readSchema(given, 'input', `input "${name}"`);
    const schema = boundTexts(read as SchemaObject);
    const required = standard ? !takesNothing(standard, schema) : isRequired(schema);
    const moved = placeOf(given);
    const part = toPart(moved === undefined ? schema : from(moved, schema), name);
    const one = parameter(method, names, name, part, required);
    return [{ one: standard ? { ...one, standard } : one, faults }];
  });
  const undeclared = names
    .filter((name) => !Object.hasOwn(input, name))
    .map((name): Parameter => ({ name, place: 'path', schema: textByDefault, required: true }));
  const parameters = [...undeclared, ...declared.map(({ one }) => one)];
  return {
    ...nothing,
    parameters,
    inputSchema: compose(parameters, strict),
    faults: declared.flatMap(({ faults }) => faults),
  };
}

/**
 * The part of an input that is not left to libraries, as one JSON Schema: which names there are, and the schemas of
 * those parameters that have one of their own.
 */
export function toEnforcedSchema({
  parameters,
  inputSchema,
  standard,
}: Pick<RouteInput, 'parameters' | 'inputSchema'> & {
  readonly standard?: StandardSchema | undefined;
}): object {
  if (!standard && parameters.every((one) => one.standard === undefined)) return inputSchema;
  const { additionalProperties } = inputSchema as { readonly additionalProperties?: unknown };
  // What a library says of other names is held by it alone: each fault is told once.
  const others = typeof additionalProperties === 'object' && standard ? true : additionalProperties;
  const enforced = parameters.map((one) =>
    standard || one.standard ? { ...one, schema: {}, required: false } : one,
  );
  return { ...compose(enforced, true), additionalProperties: others ?? true };
}

/** Of a parameter that only the path names: text. */
const textByDefault = { type: 'string' };

/** Whether only the path names a parameter. */
export function isUndeclared({ schema }: Parameter): boolean {
  return schema === textByDefault;
}

/** Tells a JSON Schema for the whole input from a record of schemas: its `type` is a string (decision 1.3). */
export function isRawSchema(input: InputShape): input is RawSchema {
  return typeof (input as { type?: unknown } | null)?.type === 'string';
}

/** The properties of a library's object are the parameters. Unlike inside of it, a name that it lacks is refused. */
function fromStandard(
  method: Method,
  names: readonly string[],
  given: StandardSchema,
  strict: boolean,
): RouteInput {
  const { schema, standard, faults } = readSchema(given, 'input', 'the input schema');
  const closed = boundTexts({ additionalProperties: !strict, ...schema });
  return { ...fromRaw(method, names, closed), standard, faults };
}

function fromRaw(method: Method, names: readonly string[], schema: SchemaObject): RouteInput {
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, object>>;
  const required = Array.isArray(schema['required']) ? (schema['required'] as readonly string[]) : [];
  // A property may be `true`: any value.
  const parameters = Object.entries(properties).map(([name, property]) =>
    parameter(
      method,
      names,
      name,
      isObject(property) ? property : {},
      required.includes(name) && !('default' in Object(property)),
    ),
  );
  return { ...nothing, parameters, inputSchema: schema };
}

/** Libraries make functions of their schemas, too. */
function isSchema(value: unknown): value is object {
  return isObject(value) || isLibrarySchema(value);
}

/** Only the library knows whether a parameter may be left out. One that has to wait to say so is asked at each call. */
function takesNothing(standard: StandardSchema, schema: object): boolean {
  try {
    const result = validateStandard(standard, undefined);
    if (!(result instanceof Promise)) return result.ok;
    result.catch(() => undefined);
  } catch {
    // Its own code did not expect that: it is needed.
  }
  return 'default' in schema;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function parameter(
  method: Method,
  names: readonly string[],
  name: string,
  schema: object,
  required: boolean,
): Parameter {
  const place: Place =
    placeOf(schema) ?? (names.includes(name) ? 'path' : hasBody(method) ? 'body' : 'query');
  return { name, place, schema, required };
}

/** Whether parameters of a method travel in the body by default. */
export function hasBody(method: Method): boolean {
  return method === 'POST' || method === 'PUT' || method === 'PATCH';
}

/** TypeBox counts a defaulted property as required; we do not. */
function isRequired(schema: object): boolean {
  return !('~optional' in schema) && !('default' in schema);
}

function compose(parameters: readonly Parameter[], strict: boolean): object {
  return {
    type: 'object',
    properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: !strict,
    ...hoistedDefinitions(parameters),
  };
}

/** A `#/$defs/…` of a parameter counts from the root of its schema, and here that root is a property. */
function hoistedDefinitions(parameters: readonly Parameter[]): object {
  const definitions = parameters.flatMap(definitionsOf);
  return definitions.length === 0 ? {} : { $defs: Object.fromEntries(definitions) };
}

function definitionsOf({ schema }: Parameter): readonly (readonly [string, unknown])[] {
  return Object.entries((schema as { readonly $defs?: object }).$defs ?? {});
}
