import { Format } from 'typebox/format';
import { Guard } from 'typebox/guard';

/** Says of a value whether it is as a schema wants it. */
export type Check = (value: unknown) => boolean;

/**
 * A check by a schema of plain keywords, ready at once: to compile one takes 40 µs and more, and the code of many, each
 * used now and then, is in no cache of the processor. All of them are walked through by the same few functions, which stay
 * warm whichever schema is asked for. It says what the compiled check says, keyword by keyword.
 *
 * @returns undefined where a schema has keywords that are left to the validator
 */
export function toPlainCheck(schema: unknown): Check | undefined {
  const rule = toRule(schema);
  return rule && ((value) => holds(rule, value));
}

/** One schema, read once. All have the same members, so that one piece of code goes through any of them. */
interface Rule {
  /** Bits of `types`; 0 where every type is taken. */
  readonly types: number;
  readonly members: readonly Member[] | undefined;
  /** Every name that there may be. */
  readonly known: ReadonlySet<string> | undefined;
  /** As many names as there must be, where all of them are required and no others are known. */
  readonly exactly: number;
  readonly items: Rule | undefined;
  readonly minItems: number;
  readonly maxItems: number;
  readonly minLength: number;
  readonly maxLength: number;
  readonly format: ((text: string) => boolean) | undefined;
  readonly pattern: RegExp | undefined;
  readonly range: Range | undefined;
  readonly words: ReadonlySet<unknown> | undefined;
  readonly either: readonly Rule[] | undefined;
  readonly refinements: readonly Refinement[] | undefined;
  readonly never: boolean;
}

interface Member {
  readonly name: string;
  readonly required: boolean;
  /** Undefined for a name that is required and nothing else. */
  readonly rule: Rule | undefined;
}

/** Bounds of numbers; those that are not set are infinite. */
interface Range {
  readonly minimum: number;
  readonly maximum: number;
  readonly above: number;
  readonly below: number;
}

interface Refinement {
  check(value: unknown): boolean;
}

const types = { object: 1, array: 2, string: 4, integer: 8, number: 16, boolean: 32, null: 64 } as const;

function holds(rule: Rule, value: unknown): boolean {
  if (rule.types !== 0 && !isOfType(rule.types, value)) return false;
  if (typeof value === 'string') {
    if (!isText(rule, value)) return false;
  } else if (typeof value === 'object' && value !== null) {
    if (!(Array.isArray(value) ? isList(rule, value) : isObject(rule, value as Members))) return false;
  } else if (rule.range && !isWithin(rule.range, value)) return false;
  if (rule.words && !rule.words.has(value)) return false;
  return isElse(rule, value);
}

function isOfType(taken: number, value: unknown): boolean {
  switch (typeof value) {
    case 'string':
      return (taken & types.string) !== 0;
    case 'number':
      return (
        ((taken & types.number) !== 0 && Number.isFinite(value)) ||
        ((taken & types.integer) !== 0 && Number.isInteger(value))
      );
    case 'boolean':
      return (taken & types.boolean) !== 0;
    case 'object':
      return (
        (taken & (value === null ? types.null : Array.isArray(value) ? types.array : types.object)) !== 0
      );
    default:
      return false;
  }
}

/** Texts that are too long meet no pattern. */
function isText({ minLength, maxLength, format, pattern }: Rule, value: string): boolean {
  if (minLength > 0 && !Guard.IsMinLength(value, minLength)) return false;
  if (maxLength !== Number.POSITIVE_INFINITY && !Guard.IsMaxLength(value, maxLength)) return false;
  if (format && !format(value)) return false;
  return !pattern || pattern.test(value);
}

function isList({ items, minItems, maxItems }: Rule, value: readonly unknown[]): boolean {
  if (items) for (let i = 0; i < value.length; i++) if (i in value && !holds(items, value[i])) return false;
  return value.length >= minItems && value.length <= maxItems;
}

type Members = Readonly<Record<string, unknown>>;

function isObject({ members, known, exactly }: Rule, value: Members): boolean {
  if (members) for (const { name, required } of members) if (required && !(name in value)) return false;
  if (known) {
    const names = Object.getOwnPropertyNames(value);
    if (exactly !== -1) return names.length === exactly && areMembers(members, value);
    for (const name of names) if (!known.has(name)) return false;
  }
  return areMembers(members, value);
}

function areMembers(members: Rule['members'], value: Members): boolean {
  if (members)
    for (const { name, required, rule } of members)
      if (rule && (required || value[name] !== undefined) && !holds(rule, value[name])) return false;
  return true;
}

function isWithin({ minimum, maximum, above, below }: Range, value: unknown): boolean {
  if (typeof value !== 'bigint' && !Number.isFinite(value)) return true;
  const number = value as number;
  return number > above && number < below && number >= minimum && number <= maximum;
}

function isElse({ either, refinements, never }: Rule, value: unknown): boolean {
  if (never) return false;
  if (either && !either.some((one) => holds(one, value))) return false;
  return !refinements || refinements.every((one) => one.check(value));
}

const nothing: Rule = {
  types: 0,
  members: undefined,
  known: undefined,
  exactly: -1,
  items: undefined,
  minItems: 0,
  maxItems: Number.POSITIVE_INFINITY,
  minLength: 0,
  maxLength: Number.POSITIVE_INFINITY,
  format: undefined,
  pattern: undefined,
  range: undefined,
  words: undefined,
  either: undefined,
  refinements: undefined,
  never: false,
};

/** Words that a check has nothing to do with. `$defs` are none either where nobody refers to them. */
const remarks: ReadonlySet<string> = new Set([
  ...['title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly', '$comment'],
  ...['$schema', '$defs', 'definitions', 'contentMediaType', 'contentEncoding'],
]);

type Read = { -readonly [K in keyof Rule]: Rule[K] };

/** Reads one keyword into a rule. @returns false where it is left to the validator */
type Reader = (rule: Read, value: unknown, schema: Readonly<Record<string, unknown>>) => boolean;

const readers: Readonly<Record<string, Reader>> = {
  type(rule, value) {
    const bits = (Array.isArray(value) ? value : [value]).map((one: unknown) =>
      typeof one === 'string' && Object.hasOwn(types, one) ? types[one as keyof typeof types] : 0,
    );
    rule.types = bits.reduce<number>((all, bit) => all | bit, 0);
    return bits.length > 0 && !bits.includes(0);
  },
  properties: (rule, value, schema) => readMembers(rule, value, schema['required'] ?? []),
  required: (rule, value, schema) => Object.hasOwn(schema, 'properties') || readMembers(rule, {}, value),
  additionalProperties(rule, value, { properties = {}, required }) {
    if (value === true || isEmpty(value)) return true;
    if (value !== false || typeof properties !== 'object' || properties === null) return false;
    const names = Object.keys(properties);
    rule.known = new Set(names);
    if (
      Array.isArray(required) &&
      required.length === names.length &&
      names.every((one) => required.includes(one))
    )
      rule.exactly = names.length;
    return true;
  },
  items(rule, value) {
    rule.items = toRule(value);
    return rule.items !== undefined;
  },
  minItems: (rule, value) => readLimit(rule, 'minItems', value),
  maxItems: (rule, value) => readLimit(rule, 'maxItems', value),
  minLength: (rule, value) => readLimit(rule, 'minLength', value),
  maxLength: (rule, value) => readLimit(rule, 'maxLength', value),
  format(rule, value) {
    if (typeof value !== 'string') return false;
    if (Format.Has(value)) rule.format = Format.Get(value);
    return true;
  },
  pattern(rule, value) {
    if (typeof value !== 'string') return false;
    rule.pattern = new RegExp(value, 'u');
    return true;
  },
  minimum: (rule, value) => readBound(rule, { minimum: value }),
  maximum: (rule, value) => readBound(rule, { maximum: value }),
  exclusiveMinimum: (rule, value) => readBound(rule, { above: value }),
  exclusiveMaximum: (rule, value) => readBound(rule, { below: value }),
  const: (rule, value) => readWords(rule, [value]),
  enum: (rule, value) => Array.isArray(value) && readWords(rule, value),
  anyOf(rule, value) {
    const rules = Array.isArray(value) ? value.map(toRule) : [undefined];
    const known = rules.filter((one) => one !== undefined);
    rule.either = known;
    return known.length === rules.length;
  },
  '~refine'(rule, value) {
    if (!Array.isArray(value) || !value.every(isRefinement)) return false;
    rule.refinements = value;
    return true;
  },
};

function toRule(schema: unknown): Rule | undefined {
  if (typeof schema === 'boolean') return schema ? nothing : { ...nothing, never: true };
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return undefined;
  const rule: Read = { ...nothing };
  for (const [keyword, value] of keywordsOf(schema)) {
    if (remarks.has(keyword) || keyword.startsWith('x-')) continue;
    const read = Object.hasOwn(readers, keyword) ? readers[keyword] : undefined;
    if (!read?.(rule, value, schema as Readonly<Record<string, unknown>>)) return undefined;
  }
  return rule;
}

/** TypeBox hides the refinements of its types, which count all the same, among marks which do not. */
function keywordsOf(schema: object): readonly (readonly [string, unknown])[] {
  const listed = Object.entries(schema);
  const hidden = Object.getOwnPropertyDescriptor(schema, '~refine');
  return hidden?.enumerable === false ? [...listed, ['~refine', hidden.value]] : listed;
}

function readMembers(rule: Read, properties: unknown, required: unknown): boolean {
  if (typeof properties !== 'object' || properties === null || !isNames(required)) return false;
  const names = [...new Set([...Object.keys(properties), ...required])];
  // Every object has these: what was sent is told apart by the validator.
  if (names.some((name) => name in Object.prototype || name === 'prototype')) return false;
  const members = names.map((name): Member | undefined => {
    const schema = (properties as Readonly<Record<string, unknown>>)[name];
    const inner = schema === undefined ? undefined : toRule(schema);
    if (schema !== undefined && !inner) return undefined;
    return { name, required: required.includes(name), rule: inner };
  });
  const known = members.filter((one) => one !== undefined);
  rule.members = known;
  return known.length === members.length;
}

function readLimit(
  rule: Read,
  name: 'minItems' | 'maxItems' | 'minLength' | 'maxLength',
  value: unknown,
): boolean {
  if (!isNumber(value)) return false;
  rule[name] = value;
  return true;
}

function readBound(rule: Read, bound: Readonly<Partial<Record<keyof Range, unknown>>>): boolean {
  if (!Object.values(bound).every(isNumber)) return false;
  rule.range = { ...(rule.range ?? endless), ...(bound as Partial<Range>) };
  return true;
}

const endless: Range = {
  minimum: Number.NEGATIVE_INFINITY,
  maximum: Number.POSITIVE_INFINITY,
  above: Number.NEGATIVE_INFINITY,
  below: Number.POSITIVE_INFINITY,
};

function readWords(rule: Read, words: readonly unknown[]): boolean {
  if (!words.every(isWord)) return false;
  const { words: before } = rule;
  rule.words = new Set(before ? words.filter((word) => before.has(word)) : words);
  return true;
}

function isWord(value: unknown): boolean {
  return value === null || typeof value === 'string' || typeof value === 'boolean' || isNumber(value);
}

function isNumber(value: unknown): value is number {
  return Number.isFinite(value);
}

function isRefinement(value: unknown): value is Refinement {
  return typeof (value as Partial<Refinement> | null)?.check === 'function';
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
