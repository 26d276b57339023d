import { convert, mapKeywords, valueKeywords } from './json-schema.ts';
import { isSchemaObject, type SchemaObject } from './references.ts';

/** How libraries number the definitions that nobody named. Two schemas share the numbers, or each process has others. */
const numbered: Readonly<Record<string, RegExp>> = {
  zod: /^__schema\d+$/,
  valibot: /^\d+$/,
  arktype: /^[a-z]+\d+$/,
};

const prefix = '#/$defs/';

/**
 * The schema of a library, the definitions that it only numbers named after what it is the schema of: `order_1`. A schema
 * without any is returned as it is.
 *
 * @param title of what it is the schema of: `input "order"`
 */
export function withNamedDefinitions(schema: SchemaObject, vendor: string, title: string): SchemaObject {
  const { $defs } = schema;
  const form = Object.hasOwn(numbered, vendor) ? numbered[vendor] : undefined;
  if (!form || !isSchemaObject($defs)) return schema;
  const [, quoted] = /"(.*)"/.exec(title) ?? [];
  const word = (quoted ?? 'Input').replaceAll(/[^\w.-]/g, '_');
  const names = new Map<string, string>();
  for (const key of Object.keys($defs))
    if (form.test(key)) names.set(key, freeName(word, names.size + 1, $defs));
  if (names.size === 0) return schema;
  const renamed = rename(schema, names) as { readonly $defs: SchemaObject };
  const definitions = Object.entries(renamed.$defs).map(([key, value]) => [names.get(key) ?? key, value]);
  return { ...renamed, $defs: Object.fromEntries(definitions) };
}

function freeName(word: string, n: number, taken: object): string {
  const name = `${word}_${n}`;
  return Object.hasOwn(taken, name) ? freeName(`${word}_`, n, taken) : name;
}

function rename(node: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(node)) return node.map((item) => rename(item, names));
  if (!isSchemaObject(node)) return node;
  return convert(node, (keyword, value) => {
    if (keyword === '$ref' && typeof value === 'string' && value.startsWith(prefix)) {
      const name = names.get(value.slice(prefix.length));
      return name === undefined ? value : prefix + name;
    }
    if (valueKeywords.has(keyword)) return value;
    if (!mapKeywords.has(keyword) || !isSchemaObject(value)) return rename(value, names);
    return convert(value, (_, schema) => rename(schema, names));
  });
}
