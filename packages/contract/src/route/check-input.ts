import { nearestOr } from '../declaring/nearest.ts';
import type { Fault, RuleBook } from '../declaring/rule-book.ts';
import { isLibrarySchema } from '../schema/library-schema.ts';
import { enterSchema, type SchemaObject, type SchemaScope } from '../schema/references.ts';
import { type SchemaValues, valuesOf } from '../schema/values-of.ts';
import type { InputShape } from './handler.ts';
import { isRawSchema, type RouteInput } from './parameters.ts';
import type { BodyForm, Parameter } from './route.ts';

/** What holds for the parameters of a route. */
export const inputRules = {
  'input-form': 'Input is a record of schemas, or one JSON Schema of the type "object".',
  'parameter-undeclared': 'A parameter of the path is a property of a JSON Schema for the whole input.',
  'parameter-place': 'A parameter travels in the path, the query, the body, or is the whole content.',
  'parameter-not-in-path': 'A parameter that travels in the path is named in the path.',
  'parameter-moved': 'A parameter that the path names travels in the path.',
  'parameter-optional': 'A parameter of the path is neither optional nor has a default.',
  'parameter-not-flat':
    'What travels in path or query can be written there: text, numbers, booleans, lists of them.',
  'whole-body': 'The whole body is one parameter, and no other is a part of it.',
  'body-form': 'A route that takes its body as bytes has no parameters in it.',
  'definitions-differ': 'What two parameters define under one name in their $defs is the same.',
} as const satisfies RuleBook;

type InputFault = Fault<keyof typeof inputRules>;

/**
 * Finds what is wrong with the form of an input declaration, before its schemas are looked at.
 *
 * @param names those of the path
 * @param isWhole whether it is one schema
 */
export function checkInputForm(
  names: readonly string[],
  input: unknown,
  isWhole = isRawSchema(input as InputShape),
): readonly InputFault[] {
  if (!isRecord(input))
    return [
      { code: 'input-form', rule: 'input is not a record of schemas', fix: 'write { name: Type.String() }' },
    ];
  if (!isWhole)
    return Object.entries(input)
      .filter(([, schema]) => (typeof schema !== 'object' || schema === null) && !isLibrarySchema(schema))
      .map(([name, given]) => ({
        code: 'input-form',
        rule: `input "${name}" is not a schema`,
        fix: schemaFor(name, given),
      }));
  const properties = isRecord(input['properties']) ? Object.keys(input['properties']) : [];
  return [
    ...(input['type'] === 'object'
      ? []
      : [
          {
            code: 'input-form' as const,
            rule:
              typeof input['type'] === 'string'
                ? `the input schema has the type "${input['type']}", not "object"`
                : 'the input schema is not of the type "object"',
            fix: "write { body: from('content', schema) } for a body that is no object",
          },
        ]),
    ...names
      .filter((name) => !properties.includes(name))
      .map((name) => ({
        code: 'parameter-undeclared' as const,
        rule: `path parameter {${name}} is not a property of the input schema`,
        ...nearestOr('declare it in properties', name, properties),
      })),
  ];
}

const places = ['path', 'query', 'body', 'content'];

/**
 * Finds what is wrong with where parameters travel.
 *
 * @param inputSchema of all of them, where references start
 */
export function checkParameters(
  names: readonly string[],
  { parameters, inputSchema }: Pick<RouteInput, 'parameters' | 'inputSchema'>,
  body: BodyForm | undefined,
): readonly InputFault[] {
  const scope = enterSchema(inputSchema as SchemaObject);
  return [
    ...parameters.flatMap((parameter) => checkPlace(parameter, names, scope)),
    ...checkBody(parameters, body),
    ...checkDefinitions(parameters),
  ];
}

function checkPlace(
  { name, place, required, schema }: Parameter,
  names: readonly string[],
  scope: SchemaScope,
): readonly InputFault[] {
  if (!places.includes(place))
    return [
      {
        code: 'parameter-place',
        rule: `input "${name}" travels in "${place}"`,
        ...nearestOr(`write one of ${places.join(', ')}`, String(place), places),
      },
    ];
  if (place === 'path' && !names.includes(name))
    return [
      {
        code: 'parameter-not-in-path',
        rule: `input "${name}" travels in the path, which has no {${name}}`,
        ...nearestOr(`write {${name}} in the path`, name, names),
      },
    ];
  if (place !== 'path' && names.includes(name))
    return [
      {
        code: 'parameter-moved',
        rule: `input "${name}" is part of the path and cannot be moved`,
        fix: 'take from(…) away, or give one of them another name',
      },
    ];
  if (place === 'path' && !required)
    return [
      {
        code: 'parameter-optional',
        rule: `path parameter "${name}" is optional; a path has no room for that`,
        fix: 'declare a second route without it',
      },
    ];
  if (place === 'body' || place === 'content') return [];
  if (isFlat(valuesOf(schema, scope))) return [];
  return [
    {
      code: 'parameter-not-flat',
      rule: `input "${name}" travels in the ${place}, which holds text, numbers, booleans and lists of them`,
      fix: 'take its members as parameters, or declare the route with POST',
    },
  ];
}

function checkBody(parameters: readonly Parameter[], body: BodyForm | undefined): readonly InputFault[] {
  const whole = parameters.filter(({ place }) => place === 'content');
  const parts = parameters.filter(({ place }) => place === 'body');
  const asBytes = body !== undefined && body !== 'json' ? [...whole, ...parts] : [];
  return [
    ...(whole.length > 1
      ? [
          {
            code: 'whole-body' as const,
            rule: 'more than one input is the whole body',
            fix: `take from('content', …) away from all but one`,
          },
        ]
      : []),
    ...(whole.length > 0 && parts.length > 0
      ? [
          {
            code: 'whole-body' as const,
            rule: `input "${whole[0]?.name}" is the whole body, so no other can be part of it`,
            fix: `move ${parts.map(({ name }) => `"${name}"`).join(', ')} with from('query', …)`,
          },
        ]
      : []),
    ...asBytes.map(({ name }) => ({
      code: 'body-form' as const,
      rule: `input "${name}" travels in a JSON body, and the route takes its body as "${body}"`,
      fix: `move it with from('query', …), or leave the option body out`,
    })),
  ];
}

function checkDefinitions(parameters: readonly Parameter[]): readonly InputFault[] {
  const known = new Map<string, string>();
  return parameters
    .flatMap(({ schema }) => Object.entries((schema as { readonly $defs?: object }).$defs ?? {}))
    .flatMap(([name, definition]): readonly InputFault[] => {
      const text = JSON.stringify(definition);
      const before = known.get(name) ?? text;
      known.set(name, text);
      if (before === text) return [];
      const rule = `two inputs define "${name}" in their $defs, and differ`;
      return [{ code: 'definitions-differ', rule, fix: 'give one of them another name' }];
    });
}

/**
 * Whether every value can be written in a path or query; `null` aside, which is left out there. A schema that does not
 * say is given the benefit.
 */
function isFlat(values: SchemaValues, inList = false): boolean {
  const { types, open } = values;
  if (open) return true;
  if (types.has('object') || ![...types].some((type) => type !== 'null')) return false;
  return !types.has('array') || (!inList && isFlatList(values));
}

function isFlatList({ ownItems, itemAt }: SchemaValues): boolean {
  const first = Array.from({ length: ownItems }, (_, i) => itemAt(i));
  const rest = itemAt(ownItems);
  const ends = first.length > 0 && rest.types.size === 0;
  return first.every((item) => isFlat(item, true)) && (ends || isFlat(rest, true));
}

/** What was probably meant by something that is no schema. */
function schemaFor(name: string, given: unknown): string {
  const words: Readonly<Record<string, string>> = {
    integer: 'Integer',
    number: 'Number',
    boolean: 'Boolean',
  };
  const constructors = new Map<unknown, string>([
    [Number, 'Number'],
    [Boolean, 'Boolean'],
  ]);
  const type = (typeof given === 'string' ? words[given] : constructors.get(given)) ?? 'String';
  return `write ${name}: Type.${type}()`;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
