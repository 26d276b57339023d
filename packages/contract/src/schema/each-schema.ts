import { enterSchema, isSchemaObject, type SchemaObject, type SchemaScope } from './references.ts';

/** The way from the outermost schema to one inside of it. Made into text only where somebody is told of it. */
export interface SchemaPath {
  readonly outer: SchemaPath | undefined;
  readonly step: string;
}

/** Told of one schema inside of another. */
export type VisitSchema = (node: SchemaObject, path: SchemaPath | undefined, scope: SchemaScope) => void;

/** Keywords that hold a schema, a list of schemas, or either. */
const holders = [
  ...['additionalItems', 'additionalProperties', 'allOf', 'anyOf', 'contains', 'contentSchema', 'else', 'if'],
  ...['items', 'not', 'oneOf', 'prefixItems', 'propertyNames', 'then', 'unevaluatedItems'],
  'unevaluatedProperties',
];

/** Keywords that hold schemas by name. */
const maps = ['$defs', 'definitions', 'dependentSchemas', 'patternProperties', 'properties'];

/** Both, and whether one of them is a map: one look-up for each keyword of each schema. */
const isMapOf: ReadonlyMap<string, boolean> = new Map([
  ...holders.map((keyword): [string, boolean] => [keyword, false]),
  ...maps.map((keyword): [string, boolean] => [keyword, true]),
]);

/** Shows every schema in a schema, itself first; `true` and `false`, which allow everything and nothing, are left out. */
export function eachSchema(
  schema: SchemaObject,
  visit: VisitSchema,
  path?: SchemaPath,
  outer: SchemaScope = enterSchema(schema),
): void {
  const scope = enterSchema(schema, outer);
  visit(schema, path, scope);
  for (const keyword of Object.keys(schema)) {
    const isMap = isMapOf.get(keyword);
    if (isMap === undefined) continue;
    const held = schema[keyword];
    if (typeof held !== 'object' || held === null) continue;
    const here = { outer: path, step: keyword };
    if (!isMap && isSchemaObject(held)) eachSchema(held, visit, here, scope);
    else
      for (const step of Object.keys(held)) {
        const one = (held as SchemaObject)[step];
        if (isSchemaObject(one)) eachSchema(one, visit, { outer: here, step }, scope);
      }
  }
}

/** A pointer from the outermost schema, which is the empty text: `/properties/id`. */
export function pointerOf(path: SchemaPath | undefined): string {
  return path === undefined ? '' : `${pointerOf(path.outer)}/${path.step}`;
}

/** No schema that anybody writes is nested this deep, or has so many parts. */
const maxDepth = 100;
const maxParts = 100_000;

/**
 * Whether a value holds itself, or might as well: so deep, or made of one part so many times over, that no walk through
 * it would end.
 */
export function holdsItself(value: unknown): boolean {
  let parts = 0;
  const isEndless = (one: unknown, depth: number): boolean => {
    if (typeof one !== 'object' || one === null) return false;
    if (depth > maxDepth || ++parts > maxParts) return true;
    for (const key of Object.keys(one)) if (isEndless((one as SchemaObject)[key], depth + 1)) return true;
    return false;
  };
  return isEndless(value, 0);
}
