import { unkeptNumber } from '@waymark/contract/text';
import { UsageError, unknownName } from '../output/usage-error.ts';

/** What was typed after a tool's name, not read by its schema yet. */
export interface TypedWord {
  readonly name: string;
  /** False for `--no-name`; undefined for `--name` alone. */
  readonly text: string | false | undefined;
}

type Schema = Readonly<Record<string, unknown>>;

/**
 * Reads the words as the arguments of a tool: text where the schema takes text, else what the word is as JSON, and a
 * list where a name comes again. What does not fit is sent as it is: the server words the refusal.
 *
 * @throws {UsageError} a name that the tool does not have
 */
export function toArguments(words: readonly TypedWord[], inputSchema: object): Record<string, unknown> {
  const schema = inputSchema as Schema;
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, Schema>>;
  // A parameter may have any name, `__proto__` too.
  const values = new Map<string, unknown>();
  for (const { name, text } of words) {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!known && schema['additionalProperties'] === false)
      throw unknownName(
        'option',
        `--${name}`,
        Object.keys(properties).map((one) => `--${one}`),
      );
    const isList = known?.['type'] === 'array';
    const value = toValue(name, text, (isList && items(known)) || known || {});
    values.set(name, isList ? [...asList(values.get(name) ?? []), ...asList(value)] : value);
  }
  return Object.fromEntries(values);
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

function items({ items: of }: Schema): Schema {
  return typeof of === 'object' && of !== null ? (of as Schema) : {};
}

function toValue(name: string, text: TypedWord['text'], schema: Schema): unknown {
  if (text === undefined) {
    if (takes(schema, 'boolean')) return true;
    throw new UsageError(`--${name} needs a value`);
  }
  if (text === false) return false;
  return takes(schema, 'string') ? text : toJson(name, text);
}

function toJson(name: string, text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text;
  }
  refuseUnkept(`--${name}`, text);
  return value;
}

/** What was typed is not sent as another number. @param text JSON @throws {UsageError} */
export function refuseUnkept(what: string, text: string): void {
  const unkept = unkeptNumber(text, 'integers');
  if (unkept === undefined) return;
  const shown = unkept.length > maxShown ? `${unkept.slice(0, maxShown)}…` : unkept;
  throw new UsageError(
    `${what} has ${shown}, a number that JavaScript does not keep: write it as a string, in quotes`,
  );
}

/** Digits of a number that is told. */
const maxShown = 40;

/** Whether a schema lets values of a type through, as far as that can be told at a glance. */
function takes(schema: Schema, type: 'string' | 'boolean'): boolean {
  const { type: types, const: only, enum: words, anyOf, oneOf } = schema;
  if (types !== undefined) return types === type || (Array.isArray(types) && types.includes(type));
  if (only !== undefined) return typeof only === type;
  if (Array.isArray(words)) return words.some((word) => typeof word === type);
  const branches = [anyOf, oneOf].flat().filter((one) => typeof one === 'object' && one !== null);
  return branches.some((branch) => takes(branch as Schema, type));
}
