import { isObject, type JsonObject } from '../json.ts';

/** What the schema of an answer must not be; undefined when it is fine. Every object is closed. */
export function checkClosedSchema(schema: JsonObject): string | undefined {
  if (schema['type'] === 'object' && schema['additionalProperties'] !== false) {
    return "For 'object' type, 'additionalProperties' must be explicitly set to false";
  }
  const groups = [schema['properties'], schema['$defs'], schema['definitions']].filter(isObject);
  const lists = [schema['anyOf'], schema['allOf'], [schema['items']]];
  const inner: unknown[] = [...groups.flatMap((group) => Object.values(group)), ...lists.flat()];
  return inner
    .filter(isObject)
    .map(checkClosedSchema)
    .find((problem) => problem !== undefined);
}
