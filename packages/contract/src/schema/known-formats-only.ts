import { convert, mapKeywords, valueKeywords } from './json-schema.ts';
import { knownFormats } from './keyword-forms.ts';
import { isSchemaObject, type SchemaObject } from './references.ts';

/**
 * The schema of a library without the formats that it alone knows, as zod's `starts_with` and `jwt`: readers of a
 * published schema refuse formats that JSON Schema does not have. The library goes on asking, and what it says in other
 * keywords, as `pattern` or `contentEncoding`, stays. A schema without any is returned as it is.
 */
export function knownFormatsOnly(schema: SchemaObject): SchemaObject {
  return clean(schema) as SchemaObject;
}

function clean(node: unknown): unknown {
  if (Array.isArray(node)) {
    const items = node.map(clean);
    return items.every((item, i) => item === node[i]) ? node : items;
  }
  if (!isSchemaObject(node)) return node;
  const { format, ...rest } = node;
  const isOwn = typeof format === 'string' && !knownFormats.some((known) => known === format);
  return convert(isOwn ? rest : node, (keyword, value) => {
    if (valueKeywords.has(keyword)) return value;
    return mapKeywords.has(keyword) && isSchemaObject(value)
      ? convert(value, (_, schema) => clean(schema))
      : clean(value);
  });
}
