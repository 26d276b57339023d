import { knownFormats } from '../schema/keyword-forms.ts';
import { mapSchemas } from '../schema/map-schemas.ts';
import type { SchemaObject } from '../schema/references.ts';

/**
 * The schema of a library without the formats that it alone knows, as zod's `starts_with` and `jwt`: readers of a
 * published schema refuse formats that JSON Schema does not have. The library goes on asking, and what it says in other
 * keywords, as `pattern` or `contentEncoding`, stays. A schema without any is returned as it is.
 */
export function knownFormatsOnly(schema: SchemaObject): SchemaObject {
  return mapSchemas(schema, (node) => {
    const { format, ...rest } = node;
    const isOwn = typeof format === 'string' && !knownFormats.some((known) => known === format);
    return isOwn ? rest : node;
  });
}
