import {
  enterSchema as enter,
  isSchemaObject as isNode,
  type SchemaObject as Node,
  resolveReference,
  type SchemaScope as Scope,
  validateValue,
} from '@waymark/contract/schema';
import { jsonText } from './json-text.ts';

/** How deep an example goes before it leaves out what may be left out. */
const depth = 6;

/** Schemas that are looked at for one example. */
const maxParts = 500;

/** Text of the formats that readers know; the RFCs' own examples where they have one. */
const formats: Readonly<Record<string, string>> = {
  'date-time': '2026-01-31T12:00:00Z',
  date: '2026-01-31',
  time: '12:00:00Z',
  duration: 'PT1H',
  email: 'ada@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  'uri-reference': '/path',
  url: 'https://example.com/',
  uuid: '123e4567-e89b-12d3-a456-426614174000',
  'json-pointer': '/a/b',
};

/** Tried on patterns, which nothing is made from. */
const texts = [
  ...['text', 'a', 'abc', 'a1', '1', '12', '123', '1234', 'A', 'ABC', 'ABC-123', 'a-b', 'a_b', 'a.b'],
  ...[
    'aaaaaaaa',
    '00000000',
    '0'.repeat(32),
    'a'.repeat(40),
    'a'.repeat(64),
    '#aabbcc',
    '+15550100',
    '1.2.3',
  ],
  ...['/path', '{}', ' ', ''],
  ...Object.values(formats),
];

/**
 * A value that a schema allows: what it gives itself (`examples`, `default`, `const`, `enum`), else made from its keywords.
 * The same schema always gives the same value.
 *
 * @param root the schema it is a part of, where its references start
 * @returns undefined where none was found; one that is returned is valid under the schema
 */
export function exampleOf(schema: object, root: object = schema): { readonly value: unknown } | undefined {
  const scope = enter(root as Node);
  const value = new ExampleMaker().make(schema, scope);
  // What was left out on the way may have been needed, and some keywords nobody can serve.
  if (value === nothing || !isValid(schema, root, value)) return undefined;
  // A copy, since the document shares nothing with the table; and JSON must hold it.
  const text = jsonText(value);
  return text === undefined ? undefined : { value: JSON.parse(text) as unknown };
}

/** What cannot be made. */
const nothing = Symbol('nothing');

/** Makes one example. A schema that refers to itself many times over would make too much of it: then there is none. */
class ExampleMaker {
  #parts = 0;
  /** What is being made. */
  readonly #open = new Set<Node>();

  make(schema: object, scope: Scope): unknown {
    return this.#once(schema as Node, scope, depth + 1);
  }

  #make(schema: unknown, outer: Scope, left: number): unknown {
    if (schema === true) return 'text';
    if (!isNode(schema) || left < -depth || ++this.#parts > maxParts) return nothing;
    const scope = enter(schema, outer);
    const given = firstValid(schema, givenOf(schema));
    return given === nothing ? this.#makeFrom(schema, scope, left) : given;
  }

  #makeFrom(schema: Node, scope: Scope, left: number): unknown {
    const { $ref, $dynamicRef, allOf, anyOf, oneOf } = schema;
    const reference = $ref ?? $dynamicRef;
    if (typeof reference === 'string') {
      const target = resolveReference(reference, scope);
      return target ? this.#once(target.node, target.scope, left) : nothing;
    }
    const choices = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : undefined;
    if (choices) return firstValid(schema, this.#joined(choices, schema, scope, left));
    if (Array.isArray(allOf))
      return join([...allOf.map((one) => this.#make(one, scope, left)), this.#ownOf(schema, scope, left)]);
    return this.#ownOf(schema, scope, left);
  }

  /** A schema that is part of itself is left out where it comes again, if it may be. */
  #once(node: Node, scope: Scope, left: number): unknown {
    const again = this.#open.has(node);
    this.#open.add(node);
    const value = this.#make(node, scope, again ? Math.min(0, left - 1) : left - 1);
    if (!again) this.#open.delete(node);
    return value;
  }

  /** Each choice, with what the keywords beside it ask for. */
  *#joined(choices: readonly unknown[], schema: Node, scope: Scope, left: number): Generator<unknown> {
    const own = isNode(schema['properties']) ? this.#ownOf(schema, scope, left) : undefined;
    for (const choice of choices) yield join([this.#make(choice, scope, left - 1), own]);
  }

  /** What the keywords of types say. */
  #ownOf(schema: Node, scope: Scope, left: number): unknown {
    const types = Array.isArray(schema['type']) ? schema['type'] : [schema['type'] ?? impliedType(schema)];
    for (const type of types) {
      const value = this.#ofType(type, schema, scope, left);
      if (value !== nothing) return value;
    }
    return nothing;
  }

  #ofType(type: unknown, schema: Node, scope: Scope, left: number): unknown {
    switch (type) {
      case 'object':
        return this.#objectOf(schema, scope, left);
      case 'array':
        return this.#arrayOf(schema, scope, left);
      case 'string':
        return firstValid(schema, textsOf(schema));
      case 'integer':
      case 'number':
        return firstValid(schema, numbersOf(schema));
      case 'boolean':
        return true;
      case 'null':
        return null;
      default:
        return 'allOf' in schema ? undefined : 'text';
    }
  }

  #objectOf(schema: Node, scope: Scope, left: number): unknown {
    const properties = isNode(schema['properties']) ? schema['properties'] : {};
    const required = new Set(
      Array.isArray(schema['required']) ? (schema['required'] as readonly string[]) : [],
    );
    const names = [...new Set([...required, ...Object.keys(properties)])];
    const most = Number(schema['maxProperties'] ?? Number.POSITIVE_INFINITY);
    const made: [string, unknown][] = [];
    for (const name of names) {
      if (!required.has(name) && (left <= 0 || made.length >= most)) continue;
      const part = Object.hasOwn(properties, name)
        ? properties[name]
        : (schema['additionalProperties'] ?? true);
      const value = this.#make(part, scope, left - 1);
      if (value !== nothing) made.push([name, value]);
      else if (required.has(name)) return nothing;
    }
    // In the order in which they were declared.
    const order = [...Object.keys(properties), ...required];
    return Object.fromEntries(made.sort(([a], [b]) => order.indexOf(a) - order.indexOf(b)));
  }

  #arrayOf(schema: Node, scope: Scope, left: number): unknown {
    const { prefixItems, items, contains } = schema;
    const first = (Array.isArray(prefixItems) ? prefixItems : []).map((one) =>
      this.#make(one, scope, left - 1),
    );
    if (first.includes(nothing)) return nothing;
    const least = Number(schema['minItems'] ?? 0);
    const wanted = Math.max(least, left > 0 && first.length === 0 && items !== false ? 1 : 0);
    const most = Math.min(Number(schema['maxItems'] ?? wanted), 100);
    const more = Math.max(0, Math.min(wanted, most) - first.length);
    const item =
      more === 0 ? undefined : this.#make(isNode(contains) ? contains : (items ?? true), scope, left - 1);
    if (item === nothing) return least > first.length ? nothing : first;
    return [...first, ...Array.from({ length: more }, () => item)];
  }
}

/** What a schema itself says that may stand there. */
function* givenOf({ examples, example, enum: values, ...schema }: Node): Generator<unknown> {
  if (Array.isArray(examples)) yield* examples;
  if (example !== undefined) yield example;
  if ('default' in schema) yield schema['default'];
  if ('const' in schema) yield schema['const'];
  if (Array.isArray(values)) yield* values;
}

/** Objects become one; of other values the first stands for all. */
function join(parts: readonly unknown[]): unknown {
  const made = parts.filter((part) => part !== undefined && part !== nothing);
  if (made.length === 0) return nothing;
  return made.every(isNode) ? Object.assign({}, ...made) : made[0];
}

/** Schemas often leave out the type that their other keywords are about. */
function impliedType(schema: Node): string | undefined {
  if (['properties', 'required', 'additionalProperties', 'patternProperties'].some((name) => name in schema))
    return 'object';
  if ('items' in schema || 'prefixItems' in schema) return 'array';
  if ('minLength' in schema || 'maxLength' in schema || 'pattern' in schema || 'format' in schema)
    return 'string';
  return 'minimum' in schema || 'maximum' in schema || 'multipleOf' in schema ? 'number' : undefined;
}

function* textsOf(schema: Node): Generator<string> {
  const { format, minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema;
  if (typeof format === 'string' && Object.hasOwn(formats, format)) yield formats[format] ?? '';
  const least = Math.min(Number(minLength), 1_000);
  yield 'text'.padEnd(least, 'x').slice(0, Number(maxLength));
  if ('pattern' in schema || 'format' in schema) yield* texts;
}

function* numbersOf(schema: Node): Generator<number> {
  const number = (name: string): number | undefined => {
    const value = schema[name];
    return typeof value === 'number' ? value : undefined;
  };
  const least = number('minimum') ?? number('exclusiveMinimum');
  const most = number('maximum') ?? number('exclusiveMaximum');
  const step = number('multipleOf') ?? 1;
  // Three times 0.1 is 0.30000000000000004, which is no multiple of it.
  const times = (count: number): number => Number((count * step).toPrecision(15));
  yield 1;
  yield 0;
  if (least !== undefined) {
    const up = Math.ceil(least / step);
    yield* [least, times(up), times(up + 1)];
  }
  if (most !== undefined) {
    const down = Math.floor(most / step);
    yield* [most, times(down), times(down - 1)];
  }
  if (least !== undefined && most !== undefined) yield (least + most) / 2;
  yield step;
}

function firstValid(schema: Node, values: Iterable<unknown>): unknown {
  // A part with references is looked at as a part of the whole.
  const refers = jsonText(schema)?.match(/"\$(dynamicR|r)ef":/) != null;
  for (const value of values)
    if (value !== nothing && (refers || isValid(schema, schema, value))) return value;
  return nothing;
}

function isValid(schema: object, root: object, value: unknown): boolean {
  const { $defs } = root as Node;
  return validateValue($defs === undefined ? schema : { $defs, ...schema }, value).length === 0;
}
