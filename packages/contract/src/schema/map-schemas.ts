import { convert, mapKeywords, valueKeywords } from './json-schema.ts';
import { isSchemaObject, type SchemaObject } from './references.ts';

/** Changes every schema in a schema, the outermost first. What is not changed stays the same object. */
export function mapSchemas(
  schema: SchemaObject,
  change: (schema: SchemaObject) => SchemaObject,
): SchemaObject {
  return mapNode(schema, change) as SchemaObject;
}

function mapNode(node: unknown, change: (schema: SchemaObject) => SchemaObject): unknown {
  if (Array.isArray(node)) {
    const items = node.map((one) => mapNode(one, change));
    return items.every((item, i) => item === node[i]) ? node : items;
  }
  if (!isSchemaObject(node)) return node;
  return convert(change(node), (keyword, value) => {
    if (typeof value !== 'object' || valueKeywords.has(keyword)) return value;
    return mapKeywords.has(keyword) && isSchemaObject(value)
      ? convert(value, (_, one) => mapNode(one, change))
      : mapNode(value, change);
  });
}
