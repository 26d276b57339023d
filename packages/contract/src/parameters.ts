import type { InputShape, RawSchema } from './handler.ts';
import { toPlainSchema } from './json-schema.ts';
import { toPart } from './own-root.ts';
import { pathNames } from './path-template.ts';
import { type Place, placeOf } from './place.ts';
import type { Method, Parameter } from './route.ts';

/** The input of a route, normalised. */
export interface RouteInput {
  readonly parameters: readonly Parameter[];
  readonly inputSchema: object;
}

/**
 * Reads an `input` declaration: where each parameter travels (decision 1.4), which are required (decision 1.5), and
 * the tool's input schema. What is wrong with it is found by `check-input.ts` and `check-schema.ts`.
 *
 * @param strict refuse unknown members: `additionalProperties` of a composed schema is its opposite
 */
export function toRouteInput(method: Method, path: string, input: InputShape, strict: boolean): RouteInput {
  const names = pathNames(path);
  if (!isObject(input) || Array.isArray(input)) return toRouteInput(method, path, {}, strict);
  if (isRawSchema(input)) return fromRaw(method, names, input);
  const declared = Object.entries(input).flatMap(([name, given]) => {
    if (!isObject(given)) return [];
    const { schema } = toPlainSchema(given);
    return [parameter(method, names, name, toPart(schema, name), isRequired(schema))];
  });
  const undeclared = names
    .filter((name) => !Object.hasOwn(input, name))
    .map((name): Parameter => ({ name, place: 'path', schema: textByDefault, required: true }));
  const parameters = [...undeclared, ...declared];
  return { parameters, inputSchema: compose(parameters, strict) };
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

function fromRaw(method: Method, names: readonly string[], schema: RawSchema): RouteInput {
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
  return { parameters, inputSchema: schema };
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
