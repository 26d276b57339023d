import { asList, asObject, asTexts, isObject, type JsonObject, memberOf } from './json.ts';
import { type References, referenceName } from './references.ts';

/** How deep a type is written in one line. */
const deepest = 3;

/** A type in a few words: `integer`, `list of Ticket`, `"open" or "closed"`. */
export function typeWords(schema: unknown, references: References, depth = 0): string {
  if (schema === false) return 'nothing';
  const name = referenceName(schema);
  if (name !== undefined) return name;
  const { title, type, items, const: constant, enum: values, format } = asObject(schema);
  if (typeof title === 'string' && depth > 0) return title;
  if (constant !== undefined) return JSON.stringify(constant);
  if (Array.isArray(values)) return shortList(values.map((one) => JSON.stringify(one)));
  const branches = branchesOf(asObject(schema));
  if (branches.length > 0 && depth < deepest)
    return shortList([...new Set(branches.map((one) => typeWords(one, references, depth + 1)))]);
  const types = typeof type === 'string' ? [type] : asTexts(type);
  const words = types.map((one) => {
    if (one === 'array' && items !== undefined && depth < deepest)
      return `list of ${typeWords(items, references, depth + 1)}`;
    if (one === 'array') return 'list';
    return one === 'string' && typeof format === 'string' ? `string (${format})` : one;
  });
  return words.length > 0
    ? shortList(words)
    : isObject(memberOf(schema, 'properties'))
      ? 'object'
      : 'anything';
}

/** The alternatives of a schema. */
export function branchesOf(schema: JsonObject): readonly unknown[] {
  return [...asList(schema['anyOf']), ...asList(schema['oneOf'])];
}

/** What a schema asks besides its type, one short phrase each. */
export function limitWords(schema: unknown): readonly string[] {
  const all = asObject(schema);
  const range = (least: string, most: string, what: string): readonly string[] => {
    const [low, high] = [all[least], all[most]];
    // So far no number of JSON goes.
    const tops = typeof high === 'number' && high < Number.MAX_SAFE_INTEGER ? high : undefined;
    if (typeof low === 'number' && tops !== undefined) return [`${grouped(low)} to ${grouped(tops)}${what}`];
    if (typeof low === 'number') return [`${grouped(low)} or more${what}`];
    return tops === undefined ? [] : [`up to ${grouped(tops)}${what}`];
  };
  const said = (name: string, words: string): readonly string[] => {
    const value = all[name];
    return typeof value === 'string' || typeof value === 'number' ? [`${words} ${value}`] : [];
  };
  return [
    ...range('minimum', 'maximum', ''),
    ...said('exclusiveMinimum', 'more than'),
    ...said('exclusiveMaximum', 'less than'),
    ...said('multipleOf', 'in steps of'),
    ...range('minLength', 'maxLength', ' characters'),
    ...said('pattern', 'matches'),
    ...range('minItems', 'maxItems', ' items'),
    ...(all['uniqueItems'] === true ? ['no item twice'] : []),
    ...range('minProperties', 'maxProperties', ' members'),
    ...('default' in all ? [`default ${JSON.stringify(all['default'])}`] : []),
    ...(all['readOnly'] === true ? ['read only'] : []),
    ...(all['deprecated'] === true ? ['deprecated'] : []),
  ];
}

/** `1,048,576`, the same everywhere. */
function grouped(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 20 });
}

const mostAlternatives = 6;

function shortList(words: readonly string[]): string {
  if (words.length <= 1) return words[0] ?? '';
  if (words.length > mostAlternatives)
    return `${words.slice(0, mostAlternatives).join(', ')} or ${words.length - mostAlternatives} more`;
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
