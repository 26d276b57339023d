import { Check } from 'typebox/schema';
import { eachSchema, pointerOf } from '../schema/each-schema.ts';
import { withExactMultiples } from '../schema/exact-multiples.ts';
import { jsonTypes, keywordForms } from '../schema/keyword-forms.ts';
import { isLibrarySchema, libraryOf } from '../schema/library-schema.ts';
import {
  isSchemaObject,
  resolveReference,
  type SchemaObject,
  type SchemaScope,
} from '../schema/references.ts';
import { isStandardSchema } from '../schema/standard-schema.ts';
import { whyNoPattern } from '../schema/why-no-pattern.ts';
import { asText } from './as-text.ts';
import { nearest, nearestOr } from './nearest.ts';
import type { Fault, RuleBook } from './rule-book.ts';

/** What holds for schemas of input and output. A validator takes most of these mistakes in silence. */
export const schemaRules = {
  'schema-type': 'The type of a schema is one that JSON has.',
  'schema-library': 'A schema of another library stands by itself, validates and gives its JSON Schema.',
  'keyword-unknown': 'What a schema says is a keyword of JSON Schema, or begins with x-.',
  'schema-keyword': 'The value of a keyword has the form that JSON Schema gives it.',
  'schema-range': 'What a schema asks for at least is not more than what it allows.',
  'schema-pattern': 'A pattern is a regular expression.',
  'schema-reference': 'A reference points to a schema that is there.',
  'schema-required': 'What a closed object requires is one of its properties.',
  'schema-default': 'A default is a value that its own schema takes.',
  'schema-circle': 'A schema does not hold itself; it refers to itself.',
} as const satisfies RuleBook;

type SchemaFault = Fault<keyof typeof schemaRules>;

/** A schema, what is around it, and the name that it has in a report. */
interface Place {
  readonly node: SchemaObject;
  readonly scope: SchemaScope;
  title(): string;
}

/**
 * Finds what is wrong inside of a schema.
 *
 * @param toTitle names the part that a pointer leads to: `output 200 at /items`
 */
export function checkSchema(schema: object, toTitle: (at: string) => string): readonly SchemaFault[] {
  const faults: SchemaFault[] = [];
  let isNamed = false;
  eachSchema(schema as SchemaObject, (node, path, scope) => {
    const place: Place = { node, scope, title: () => toTitle(pointerOf(path)) };
    isNamed ||= namingKeywords.some((keyword) => keyword in node);
    if (isLibrarySchema(node)) {
      faults.push(libraryInside(node, place));
      return;
    }
    for (const keyword of Object.keys(node)) {
      const value = node[keyword];
      const form = keywordForms.get(keyword);
      if (value === undefined) continue;
      const strange = keyword === 'default' ? undefined : typeNotOfJson(keyword, value);
      if (form === undefined && !keyword.startsWith('x-')) faults.push(unknownKeyword(keyword, place));
      else if (strange !== undefined) faults.push(noJson(keyword, strange, value, place));
      else if (form === undefined) continue;
      else if (!form.fits(value)) faults.push(wrongForm(keyword, value, form.words, place));
      else for (const fault of checks.get(keyword)?.(value, place) ?? []) faults.push(fault);
    }
  });
  return isNamed ? [...checkNames(schema as SchemaObject, toTitle), ...faults] : faults;
}

/** Keywords that give a schema a name. */
const namingKeywords = ['$id', '$anchor', '$dynamicAnchor'];

/**
 * Finds what is wrong with a schema that only describes what a library validates: what keeps it from being read. Words
 * of the library's own may stand in it.
 */
export function checkDescription(schema: object, toTitle: (at: string) => string): readonly SchemaFault[] {
  return checkSchema(schema, toTitle).filter(
    ({ code }) => code === 'schema-type' || code === 'schema-reference',
  );
}

/** The fault of a schema that no walk through it would come to the end of: see `holdsItself`. */
export function isCircular(title: string): SchemaFault {
  const fix = "give it a name in $defs and write { $ref: '#/$defs/…' } where it stands in itself";
  return {
    code: 'schema-circle',
    rule: `${title} is a schema that holds itself, or a part of it over and over`,
    fix,
  };
}

/** Names a part of a schema by its pointer. */
export function titleOf(title: string): (at: string) => string {
  return (at) => (at === '' ? title : `${title} at ${at}`);
}

/** Names a part of the schema of a whole input by its parameter. */
export function inputTitleOf(at: string): string {
  const [, name, rest = ''] = /^\/properties\/([^/]+)(.*)$/.exec(at) ?? [];
  return name === undefined ? titleOf('the input')(at) : titleOf(`input "${name}"`)(rest);
}

/** Looks at the value of a keyword that has its form. */
type CheckKeyword = (value: unknown, place: Place) => readonly SchemaFault[];

const checks: ReadonlyMap<string, CheckKeyword> = new Map<string, CheckKeyword>([
  ['type', checkType],
  ['pattern', (source, place) => checkPattern(String(source), place)],
  [
    'patternProperties',
    (named, place) => Object.keys(Object(named)).flatMap((one) => checkPattern(one, place)),
  ],
  ['$ref', checkReference],
  ['$dynamicRef', checkReference],
  ['required', checkRequired],
  ['default', checkDefault],
  ...['imum', 'Length', 'Items', 'Properties', 'Contains'].map((what): [string, CheckKeyword] => [
    `max${what}`,
    (most, place) => checkRange(`min${what}`, `max${what}`, Number(most), place),
  ]),
]);

/** A description could hold none of these; a default of such a kind is one that its schema does not take. */
const notJson: ReadonlySet<string> = new Set(['function', 'symbol', 'bigint']);

/** Keywords whose values are data, however deep. */
const dataKeywords: ReadonlySet<string> = new Set(['const', 'enum', 'example', 'examples']);

function typeNotOfJson(keyword: string, value: unknown): string | undefined {
  if (notJson.has(typeof value)) return typeof value;
  const isData = dataKeywords.has(keyword) || keyword.startsWith('x-');
  if (!isData || typeof value !== 'object' || value === null) return undefined;
  for (const one of Object.values(value)) {
    const strange = typeNotOfJson(keyword, one);
    if (strange !== undefined) return strange;
  }
  return undefined;
}

function noJson(keyword: string, strange: string, value: unknown, { title }: Place): SchemaFault {
  const verb = typeof value === strange ? 'is' : 'holds';
  const rule = `${title()}: ${keyword} ${verb} a ${strange}, which JSON does not have`;
  return { code: 'schema-keyword', rule, fix: 'take it out, or write a value' };
}

/** Names that two schemas have, and differ: which of them a reference means is anybody's guess. */
function checkNames(schema: SchemaObject, toTitle: (at: string) => string): readonly SchemaFault[] {
  const faults: SchemaFault[] = [];
  const known = new Map<string, string>();
  const told = new Set<string>();
  eachSchema(schema, (node, path, scope) => {
    for (const keyword of namingKeywords) {
      const name = node[keyword];
      if (typeof name !== 'string') continue;
      // An anchor counts in the schema with an `$id` around it.
      const key = JSON.stringify([name, keyword === '$id' ? 'id' : idAround(node, scope)]);
      // Definitions move to the root of an input, and are there twice.
      const text = toText({ ...node, $defs: undefined });
      const before = known.get(key) ?? text;
      known.set(key, before);
      if (before === text || told.has(key)) continue;
      told.add(key);
      const rule = `${toTitle(pointerOf(path))}: another schema has the ${keyword} "${name}" as well, and differs`;
      faults.push({ code: 'schema-reference', rule, fix: 'give one of them another name' });
    }
  });
  return faults;
}

function idAround(node: SchemaObject, scope: SchemaScope | undefined): unknown {
  if (typeof node['$id'] === 'string') return node['$id'];
  for (let around = scope; around; around = around.outer)
    if (typeof around.node['$id'] === 'string') return around.node['$id'];
  return null;
}

/** Only the outermost schema is asked for its JSON Schema, and only it validates. */
function libraryInside(node: object, { title }: Place): SchemaFault {
  const whose = isStandardSchema(node) ? node['~standard'].vendor : libraryOf(node);
  const rule = `${title()} is a schema of ${whose} inside of one that is not`;
  return { code: 'schema-library', rule, fix: 'write the whole schema with one library' };
}

/** Nobody would hold a value to it, and it looks as if somebody did. */
function unknownKeyword(keyword: string, { title }: Place): SchemaFault {
  const rule = `${title()}: "${keyword.slice(0, 64)}" is no keyword of JSON Schema, and no value is held to it`;
  const close = nearest(keyword, keywordForms.keys(), mostDifferent(keyword));
  return {
    code: 'keyword-unknown',
    rule,
    ...(close === undefined ? { fix: 'take it out, or let its name begin with "x-"' } : { nearest: close }),
  };
}

/** Tools have short words of their own, such as `id`, `min`, `unit` and `kind`, that are no misspelt ones of ours. */
function mostDifferent({ length }: string): number | undefined {
  if (length < 4) return 0;
  return length < 7 ? 1 : undefined;
}

function wrongForm(keyword: string, value: unknown, words: string, { title }: Place): SchemaFault {
  const fix = value instanceof RegExp ? `write ${JSON.stringify(value.source)}` : `write ${words}`;
  return { code: 'schema-keyword', rule: `${title()}: ${keyword} is not ${words}`, fix };
}

/** What to use for types that only programs have. */
const instead: Readonly<Record<string, string>> = {
  bigint: 'use Type.Integer(), or Type.String() for what is larger than 2^53',
  Date: "use Type.String({ format: 'date-time' })",
  Uint8Array: "use Type.String({ contentEncoding: 'base64' })",
  undefined: 'use Type.Optional(…)',
  void: 'use Type.Null()',
};

function checkType(type: unknown, { title }: Place): readonly SchemaFault[] {
  if (isJsonType(type)) return [];
  const types: readonly unknown[] = Array.isArray(type) && type.length > 0 ? type : [type];
  return types
    .filter((one) => !isJsonType(one))
    .map((one) => {
      const shown = asText(one);
      const advice = instead[shown];
      return {
        code: 'schema-type',
        rule: `${title()} has the type "${shown}", which JSON does not have`,
        ...(advice === undefined
          ? nearestOr(`write one of ${jsonTypes.join(', ')}`, shown, jsonTypes)
          : { fix: advice }),
      };
    });
}

function isJsonType(type: unknown): boolean {
  return jsonTypes.some((known) => known === type);
}

function checkRange(
  least: string,
  most: string,
  high: number,
  { node, title }: Place,
): readonly SchemaFault[] {
  const low = node[least];
  if (typeof low !== 'number' || low <= high) return [];
  const rule = `${title()}: no value has ${least} ${low} and ${most} ${high}`;
  return [{ code: 'schema-range', rule, fix: `let ${most} be ${low} or more` }];
}

function checkPattern(source: string, { title }: Place): readonly SchemaFault[] {
  const reason = whyNoPattern(source);
  if (reason === undefined) return [];
  const rule = `${title()}: the pattern "${source}" is no regular expression: ${reason}`;
  return [{ code: 'schema-pattern', rule, fix: 'correct it; it is read with the flag u' }];
}

function checkReference(reference: unknown, { scope, title }: Place): readonly SchemaFault[] {
  const text = String(reference);
  if (resolveReference(text, scope)) return [];
  const rule = `${title()}: the reference "${text}" points to nothing in the schema`;
  const fix = 'define it in $defs, or write the schema itself';
  const known = definitionsIn(scope, text.startsWith('#'));
  return [{ code: 'schema-reference', rule, ...nearestOr(fix, text, known) }];
}

/** What a reference could mean, in the form in which it is written. */
function definitionsIn(scope: SchemaScope | undefined, asPointers: boolean): readonly string[] {
  if (scope === undefined) return [];
  const { $defs } = scope.node;
  const names = isSchemaObject($defs) ? Object.keys($defs) : [];
  return [
    ...names.map((name) => (asPointers ? `#/$defs/${name}` : name)),
    ...definitionsIn(scope.outer, asPointers),
  ];
}

function checkRequired(required: unknown, { node, title }: Place): readonly SchemaFault[] {
  const { properties = {}, additionalProperties, patternProperties } = node;
  if (additionalProperties !== false || patternProperties !== undefined || !isSchemaObject(properties))
    return [];
  return (required as readonly string[])
    .filter((name) => !Object.hasOwn(properties, name))
    .map((name) => {
      const rule = `${title()} requires "${name}" and has no such property`;
      const fix = 'declare it in properties, or take it out of required';
      return { code: 'schema-required', rule, ...nearestOr(fix, name, Object.keys(properties)) };
    });
}

function checkDefault(value: unknown, { node, title }: Place): readonly SchemaFault[] {
  const takes = (one: unknown): boolean => Check(withExactMultiples(node), one);
  if (!canBeJudged(node) || takes(value)) return [];
  const meant = typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : undefined;
  return [
    {
      code: 'schema-default',
      rule: `${title()}: the default ${toText(value)} is not what the schema takes`,
      fix: meant !== undefined && takes(meant) ? `write ${meant}` : 'write a value that it takes',
    },
  ];
}

/**
 * References lead out of the node, the defaults of members are filled in before anything is checked, and whatever is
 * wrong with a schema is wrong with what it says of its default.
 */
function canBeJudged(schema: SchemaObject): boolean {
  let judged = true;
  eachSchema(schema, (node) => {
    const { pattern, patternProperties, $ref, $dynamicRef } = node;
    const sources = [
      ...(typeof pattern === 'string' ? [pattern] : []),
      ...Object.keys(Object(patternProperties)),
    ];
    judged &&=
      $ref === undefined &&
      $dynamicRef === undefined &&
      (node === schema || node['default'] === undefined) &&
      Object.keys(node).every((keyword) => keywordForms.get(keyword)?.fits(node[keyword]) !== false) &&
      sources.every((source) => whyNoPattern(source) === undefined);
  });
  return judged;
}

/** A default may be anything, in JavaScript. */
function toText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? typeof value;
  } catch {
    return typeof value;
  }
}
