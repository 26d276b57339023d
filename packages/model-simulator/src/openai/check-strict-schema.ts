import { isObject, type JsonObject } from '../json.ts';

/** What a schema with `strict: true` must not be; undefined when it is fine. Every object is closed and needs all members. */
export function checkStrictSchema(schema: JsonObject, path: readonly string[] = []): string | undefined {
  const context = `In context=(${path.map((part) => `'${part}'`).join(', ')})`;
  const { properties } = schema;
  if (schema['type'] === 'object' || isObject(properties)) {
    if (schema['additionalProperties'] !== false) {
      return `${context}, 'additionalProperties' is required to be supplied and to be false`;
    }
    const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
    const missing = Object.keys(isObject(properties) ? properties : {}).find(
      (name) => !required.includes(name),
    );
    if (missing !== undefined) {
      return `${context}, 'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'`;
    }
  }
  for (const [part, inner] of innerSchemas(schema)) {
    const problem = checkStrictSchema(inner, [...path, part]);
    if (problem) return problem;
  }
  return undefined;
}

function innerSchemas(schema: JsonObject): [string, JsonObject][] {
  const groups = [schema['properties'], schema['$defs'], schema['definitions']].filter(isObject);
  const lists = [schema['anyOf'], schema['allOf'], schema['oneOf']].filter((list) => Array.isArray(list));
  const all: [string, unknown][] = [
    ...groups.flatMap((group) => Object.entries(group)),
    ...lists.flatMap((list) => list.map((inner: unknown, index): [string, unknown] => [`${index}`, inner])),
    ['items', schema['items']],
  ];
  return all.filter((entry): entry is [string, JsonObject] => isObject(entry[1]));
}
