import { isObject, type JsonObject, numberOf, objectsOf, textOf } from '../json.ts';
import type { Hints } from './hints.ts';
import { sharedWords, wordsOf } from './words.ts';

/** How deep an instance goes, and how many values it has: a schema may refer to itself for ever. */
const maxDepth = 16;
const maxValues = 10_000;

/**
 * Makes an instance of a JSON Schema, with values from a text where they fit.
 *
 * Members that are not required are there when the text says their names. Understood are types, `enum`, `const`,
 * `default`, references within the schema, `allOf`, the first of `anyOf` and `oneOf` that is not null, bounds of
 * numbers, texts and lists, and the common formats; a `pattern` only as far as the text happens to fit it.
 */
export function instanceOf(schema: JsonObject, hints: Hints): unknown {
  return make({ root: schema, hints, values: 0 }, schema, '', 0);
}

/** Whether the text gives what the required members of a schema need: numbers cannot be made up. */
export function canFill(schema: JsonObject, hints: Hints): boolean {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return required.every((name: unknown) => {
    const property = properties[textOf(name)];
    const type =
      isObject(property) && !('default' in property || 'const' in property) ? property['type'] : '';
    return hints.hasNumber || !['integer', 'number'].includes(textOf(type));
  });
}

interface Making {
  readonly root: JsonObject;
  readonly hints: Hints;
  /** Made so far. */
  values: number;
}

function make(making: Making, given: unknown, name: string, depth: number): unknown {
  if (!isObject(given) || ++making.values > maxValues || depth > maxDepth) return {};
  const schema = resolve(making.root, given);
  if ('const' in schema) return schema['const'];
  if (Array.isArray(schema['enum'])) return likeliest(schema['enum'], making.hints.text);
  switch (typeOf(schema)) {
    case 'object':
      return makeObject(making, schema, depth);
    case 'array':
      return makeList(making, schema, name, depth);
    case 'integer':
    case 'number':
      return makeNumber(schema, name, making.hints);
    case 'boolean':
      return schema['default'] ?? !/\b(no|not|never|don't|without|false)\b/i.test(making.hints.text);
    case 'null':
      return null;
    default:
      return makeText(schema, name, making.hints);
  }
}

/** The schema behind references, with the parts of `allOf` and the first real choice laid over it. */
function resolve(root: JsonObject, schema: JsonObject, depth = 0): JsonObject {
  if (depth > maxDepth) return {};
  const reference = textOf(schema['$ref']);
  if (reference.startsWith('#')) {
    const target = reference
      .split('/')
      .slice(1)
      .reduce<unknown>(
        (at, key) =>
          isObject(at) ? at[decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~')] : {},
        root,
      );
    return resolve(root, isObject(target) ? target : {}, depth + 1);
  }
  const choices = [...objectsOf(schema['anyOf']), ...objectsOf(schema['oneOf'])];
  const choice = choices.find((one) => one['type'] !== 'null');
  const parts = [...objectsOf(schema['allOf']), ...(choice ? [choice] : [])];
  return parts.reduce<JsonObject>((merged, part) => merge(merged, resolve(root, part, depth + 1)), schema);
}

function merge(one: JsonObject, other: JsonObject): JsonObject {
  const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
  const object = (value: unknown): JsonObject => (isObject(value) ? value : {});
  return {
    ...one,
    ...other,
    properties: { ...object(one['properties']), ...object(other['properties']) },
    required: [...list(one['required']), ...list(other['required'])],
  };
}

function typeOf(schema: JsonObject): string {
  const type: unknown = Array.isArray(schema['type'])
    ? schema['type'].find((one: unknown) => one !== 'null')
    : schema['type'];
  if (typeof type === 'string') return type;
  if (isObject(schema['properties']) && Object.keys(schema['properties']).length > 0) return 'object';
  return 'items' in schema ? 'array' : 'string';
}

function makeObject(making: Making, schema: JsonObject, depth: number): JsonObject {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  const wanted = Object.keys(properties).filter(
    (name) => required.includes(name) || making.hints.mentions(name),
  );
  return Object.fromEntries(wanted.map((name) => [name, make(making, properties[name], name, depth + 1)]));
}

function makeList(making: Making, schema: JsonObject, name: string, depth: number): unknown[] {
  const most = numberOf(schema['maxItems']) ?? Number.POSITIVE_INFINITY;
  const length = Math.min(Math.max(1, numberOf(schema['minItems']) ?? 1), most, 1000);
  return Array.from({ length }, () => make(making, schema['items'] ?? {}, name, depth + 1));
}

function makeNumber(schema: JsonObject, name: string, hints: Hints): number {
  const whole = typeOf(schema) === 'integer';
  const step = numberOf(schema['multipleOf']) ?? (whole ? 1 : 0);
  const above = numberOf(schema['exclusiveMinimum']);
  const below = numberOf(schema['exclusiveMaximum']);
  const gap = step || 0.5;
  const least = numberOf(schema['minimum']) ?? (above === undefined ? undefined : above + gap);
  const most = numberOf(schema['maximum']) ?? (below === undefined ? undefined : below - gap);
  const wanted = hints.takeNumber(name) ?? numberOf(schema['default']) ?? least ?? Math.min(1, most ?? 1);
  const bounded = Math.min(Math.max(wanted, least ?? wanted), most ?? Number.POSITIVE_INFINITY);
  if (!step) return bounded;
  // Three times 0.1 is 0.30000000000000004, which is no multiple of it.
  const times = (count: number): number => Number((count * step).toPrecision(15));
  const count = Math.floor(bounded / step);
  const down = times(count);
  return least !== undefined && down < least ? times(count + 1) : down;
}

const formats: Readonly<Record<string, string>> = {
  date: '2026-01-01',
  'date-time': '2026-01-01T00:00:00Z',
  duration: 'PT1H',
  email: 'somebody@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  time: '00:00:00Z',
  uri: 'https://example.com/',
  'uri-reference': '/',
  uuid: '00000000-0000-4000-8000-000000000000',
};

function makeText(schema: JsonObject, name: string, hints: Hints): string {
  const format = formats[textOf(schema['format'])];
  if (format !== undefined) return format;
  const value =
    hints.after(name) ??
    hints.takeQuotation() ??
    (typeof schema['default'] === 'string' ? schema['default'] : hints.text || name || 'text');
  const most = Math.min(numberOf(schema['maxLength']) ?? 2000, 2000);
  return Array.from(value)
    .slice(0, most)
    .join('')
    .padEnd(numberOf(schema['minLength']) ?? 0, '.');
}

/** The value whose words the text has most of; the first when it has none. */
function likeliest(values: readonly unknown[], text: string): unknown {
  const words = wordsOf(text);
  const scores = values.map((value) => sharedWords(wordsOf(String(value)), words));
  return values[scores.indexOf(Math.max(...scores))];
}
