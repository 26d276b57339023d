import { isObject, type JsonObject } from '../json.ts';

const namedSchemas = new Set(['properties', '$defs', 'definitions']);
const schemaLists = new Set(['anyOf', 'oneOf', 'prefixItems']);

/**
 * Closes every object of a schema, as the service asks of the schema of an answer; undefined when one is declared open
 * or is put together of several, since a closed one would then mean something else.
 */
export function closeSchema(schema: object): JsonObject | undefined {
  // Schemas are JSON already; a TypeBox one only has hidden marks besides.
  return close(schema as JsonObject);
}

function close(schema: JsonObject): JsonObject | undefined {
  const isClosable = schema['type'] === 'object' || isObject(schema['properties']);
  const open = schema['additionalProperties'];
  if (isClosable && open !== undefined && open !== false) return undefined;
  if (Array.isArray(schema['allOf']) && schema['allOf'].length > 1) return undefined;
  const closed: Record<string, JsonObject[string]> = {};
  for (const [key, value] of Object.entries(schema)) {
    const inner = closeMember(key, value);
    if (inner === undefined && value !== undefined) return undefined;
    closed[key] = inner;
  }
  return isClosable ? { ...closed, additionalProperties: false } : closed;
}

function closeMember(key: string, value: JsonObject[string]): JsonObject[string] {
  if (namedSchemas.has(key) && isObject(value)) {
    const entries = Object.entries(value).map(([name, inner]) => [name, closeOne(inner)] as const);
    return entries.some(([, inner]) => inner === undefined) ? undefined : Object.fromEntries(entries);
  }
  if (schemaLists.has(key) && Array.isArray(value)) {
    const list = (value as readonly JsonObject[string][]).map(closeOne);
    return list.some((inner) => inner === undefined) ? undefined : (list as JsonObject[]);
  }
  return key === 'items' ? closeOne(value) : value;
}

function closeOne(inner: JsonObject[string]): JsonObject[string] {
  return isObject(inner) ? close(inner) : inner;
}
