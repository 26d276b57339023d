import type { JsonObject } from '@waymark/client-gen/runtime';
import { unkeptNumber } from '@waymark/contract/text';

/** One field of a form. */
export interface Field {
  readonly name: string;
  readonly kind: 'text' | 'long' | 'number' | 'integer' | 'boolean' | 'choice' | 'json';
  readonly required: boolean;
  readonly description: string | undefined;
  /** What is filled in, as text. */
  readonly initial: string;
  readonly choices: readonly string[];
}

/** Text longer than that has lines. */
const longText = 200;

/** The fields of an object's schema, in its order; what is no such schema has none. */
export function toFields(schema: JsonObject | null): readonly Field[] {
  const properties = objectOf(schema?.['properties']);
  const required = Array.isArray(schema?.['required']) ? schema['required'] : [];
  return Object.entries(properties).map(([name, one]) =>
    toField(name, objectOf(one), required.includes(name)),
  );
}

function toField(name: string, schema: JsonObject, required: boolean): Field {
  const { default: initial, description } = schema;
  const options = optionsOf(schema);
  const choices = choicesOf(schema, options);
  // Of something or nothing it is something: an empty field is left out.
  const kind = choices.length > 0 ? 'choice' : kindOf(options.length === 1 ? objectOf(options[0]) : schema);
  return {
    ...{ name, kind, required, choices },
    description: typeof description === 'string' ? description : undefined,
    initial: toInitial(initial, kind),
  };
}

function toInitial(initial: unknown, kind: Field['kind']): string {
  if (initial === undefined || (initial === null && kind !== 'json')) return '';
  return typeof initial === 'string' && kind !== 'json' ? initial : JSON.stringify(initial);
}

/** What a value may be one of, nothing aside. */
function optionsOf({ anyOf, oneOf }: JsonObject): readonly unknown[] {
  const all = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : [];
  return all.filter((one) => objectOf(one)['type'] !== 'null');
}

function choicesOf(schema: JsonObject, options: readonly unknown[]): readonly string[] {
  if (Array.isArray(schema['enum'])) return schema['enum'].map(String);
  const fixed = options.map((one) => objectOf(one)['const']);
  return fixed.every((one) => typeof one === 'string') ? fixed : [];
}

function kindOf({ type, maxLength }: JsonObject): Field['kind'] {
  if (type === 'integer' || type === 'number' || type === 'boolean') return type;
  if (type === 'string') return typeof maxLength === 'number' && maxLength > longText ? 'long' : 'text';
  return 'json';
}

/** What was filled in as an input, or what is wrong with it, by field. */
export type ReadInput =
  | { readonly ok: true; readonly input: JsonObject }
  | { readonly ok: false; readonly wrong: Readonly<Record<string, string>> };

/** Reads a form. An empty field that is not required is left out: the service fills in what it has. */
export function readFields(fields: readonly Field[], texts: Readonly<Record<string, string>>): ReadInput {
  const input: Record<string, unknown> = {};
  const wrong: Record<string, string> = {};
  for (const field of fields) {
    const text = texts[field.name] ?? field.initial;
    if (text === '' && field.kind !== 'boolean') {
      if (field.required && field.kind !== 'text' && field.kind !== 'long')
        wrong[field.name] = 'This is needed.';
      else if (field.required) input[field.name] = '';
      continue;
    }
    const read = readText(field, text);
    if (typeof read === 'string') wrong[field.name] = read;
    else input[field.name] = read.value;
  }
  return Object.keys(wrong).length > 0 ? { ok: false, wrong } : { ok: true, input };
}

/** @returns what is wrong with it, as a sentence */
function readText({ kind }: Field, text: string): { readonly value: unknown } | string {
  if (kind === 'boolean') return { value: text === 'true' };
  if (kind === 'number' || kind === 'integer') {
    const value = Number(text);
    if (!Number.isFinite(value)) return 'This is a number.';
    if (kind === 'integer' && !Number.isInteger(value)) return 'This is a whole number.';
    // What is none to JSON (a point at its end) names none that is changed.
    return unkeptNumber(text, 'integers') === undefined ? { value } : notKept;
  }
  if (kind !== 'json') return { value: text };
  try {
    const value: unknown = JSON.parse(text);
    return unkeptNumber(text, 'integers') === undefined ? { value } : notKept;
  } catch {
    return 'This is JSON: a text stands in quotes.';
  }
}

/** What is wrong with a number that would be sent as another one. */
export const notKept = 'JavaScript does not keep this number: a text, in quotes, keeps it.';

function objectOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}
