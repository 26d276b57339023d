import type { InputShape, RawSchema } from './handler.ts';
import { toPlainSchema } from './json-schema.ts';
import { pathNames } from './path-template.ts';
import { type Place, placeOf } from './place.ts';
import type { Method, Parameter } from './route.ts';

/** The input of a route, normalised. */
export interface RouteInput {
  readonly parameters: readonly Parameter[];
  readonly inputSchema: object;
  /** Rules the declaration breaks. */
  readonly faults: readonly string[];
}

/**
 * Reads an `input` declaration: where each parameter travels (decision 1.4), which are required (decision 1.5), and
 * the tool's input schema.
 *
 * @param strict refuse unknown members: `additionalProperties` of a composed schema is its opposite
 */
export function toRouteInput(method: Method, path: string, input: InputShape, strict: boolean): RouteInput {
  const names = pathNames(path);
  if (!isObject(input) || Array.isArray(input))
    return { ...toRouteInput(method, path, {}, strict), faults: ['input is not a record of schemas'] };
  if (isRawSchema(input)) return fromRaw(method, names, input);
  const faults: string[] = [];
  const declared = Object.entries(input).flatMap(([name, given]) => {
    if (!isObject(given)) {
      faults.push(`input "${name}" is not a schema`);
      return [];
    }
    const { schema, faults: wrong } = toPlainSchema(given);
    faults.push(...wrong.map((fault) => `input "${name}": ${fault}`));
    return [parameter(method, names, name, schema, isRequired(schema))];
  });
  const undeclared = names
    .filter((name) => !Object.hasOwn(input, name))
    .map((name): Parameter => ({ name, place: 'path', schema: { type: 'string' }, required: true }));
  const parameters = [...undeclared, ...declared];
  return {
    parameters,
    inputSchema: compose(parameters, strict),
    faults: [...faults, ...placeFaults(names, parameters), ...definitionFaults(parameters)],
  };
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
  const missing = names.filter((name) => !Object.hasOwn(properties, name));
  return {
    parameters,
    inputSchema: schema,
    faults: [
      ...(schema.type === 'object'
        ? []
        : [`the input schema has the type "${String(schema.type)}", not "object"`]),
      ...missing.map((name) => `path parameter {${name}} is not a property of the input schema`),
      ...placeFaults(names, parameters),
    ],
  };
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

function definitionFaults(parameters: readonly Parameter[]): readonly string[] {
  const known = new Map<string, string>();
  return parameters.flatMap(definitionsOf).flatMap(([name, definition]) => {
    const text = JSON.stringify(definition);
    const before = known.get(name) ?? text;
    known.set(name, text);
    return before === text ? [] : [`two inputs define "${name}" in their $defs, and differ`];
  });
}

function definitionsOf({ schema }: Parameter): readonly (readonly [string, unknown])[] {
  return Object.entries((schema as { readonly $defs?: object }).$defs ?? {});
}

function placeFaults(names: readonly string[], parameters: readonly Parameter[]): readonly string[] {
  const content = parameters.filter(({ place }) => place === 'content');
  const body = parameters.filter(({ place }) => place === 'body');
  return [
    ...parameters.flatMap(({ name, place, required, schema }) => {
      if (place === 'path' && !names.includes(name))
        return [`input "${name}" travels in the path, which has no {${name}}`];
      if (place !== 'path' && names.includes(name))
        return [`input "${name}" is part of the path and cannot be moved`];
      if (place === 'path' && !required)
        return [`path parameter "${name}" is optional; a path has no room for that`];
      if (place !== 'path' && place !== 'query') return [];
      return isFlat(schema)
        ? []
        : [`input "${name}" travels in the ${place}, which holds text, numbers, booleans and lists of them`];
    }),
    ...(content.length > 1 ? ['more than one input is the whole body'] : []),
    ...(content.length > 0 && body.length > 0
      ? [`input "${content[0]?.name}" is the whole body, so no other can be part of it`]
      : []),
  ];
}

/** Whether a value of the schema can be written in a path or query. A schema that does not say is given the benefit. */
function isFlat(schema: object, inList = false): boolean {
  const { type, anyOf, items } = schema as { type?: unknown; anyOf?: unknown; items?: unknown };
  if (Array.isArray(anyOf)) return anyOf.every((one: object) => isFlat(one, inList));
  if (type === 'array')
    return !inList && (typeof items !== 'object' || items === null || isFlat(items, true));
  return type !== 'object';
}
