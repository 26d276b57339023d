import { type Json, Type } from '@waymark/contract';
import type { Place } from '@waymark/contract/route';
import fc from 'fast-check';

/** One parameter of a generated route. */
export interface ParameterPlan {
  readonly name: string;
  readonly place: Place;
  readonly schema: object;
}

/** A schema, and the values a parameter of it is called with: right ones and wrong ones. */
interface Form {
  readonly schema: object;
  readonly value: fc.Arbitrary<Json>;
}

/** Any JSON. Names such as `__proto__` are refused where JSON is read, before there is a route to compare. */
export const json: fc.Arbitrary<Json> = fc
  .jsonValue({ maxDepth: 2 })
  .map((value) => value as Json)
  .filter((value) => !/__proto__|constructor/.test(JSON.stringify(value)));

/** Text that a URL can carry as a value; no path has an empty one or a control character. */
const text = fc
  .string({ minLength: 1, maxLength: 10, unit: 'grapheme' })
  .filter((one) => !/\p{Cc}|\p{Cs}/u.test(one));

/** Text that stays text where a number or a boolean is asked for. */
const word = fc.constantFrom('abc', '007', '1e1', '0x10', 'TRUE', ' 5', '..', 'a/b', '100%');
/** Numbers may have exponents, integers may not. */
const notNumber = word.filter((one) => one !== '1e1');
const decimal = fc.integer({ min: -400, max: 400 }).map((n) => (n === 0 ? 0 : n / 4));
const integer = fc.integer({ min: -50, max: 200 });

/** Schemas whose values travel as text, with values that read the same as text and as JSON: coercion is another test. */
const textForms: readonly Form[] = [
  { schema: Type.Integer({ minimum: -5, maximum: 100 }), value: fc.oneof(integer, word) },
  { schema: Type.Number({ exclusiveMinimum: -50 }), value: fc.oneof(decimal, notNumber) },
  { schema: Type.Boolean(), value: fc.oneof(fc.boolean(), word) },
  { schema: Type.String({ minLength: 2, maxLength: 8 }), value: text },
  { schema: Type.String({ pattern: '^[a-z]+$' }), value: fc.oneof(word, text) },
  {
    schema: Type.Union([Type.Literal('red'), Type.Literal('green')]),
    value: fc.constantFrom('red', 'green', 'blue'),
  },
  { schema: { enum: ['red', 'green'] }, value: fc.constantFrom('red', 'green', 'blue') },
];

/** Schemas that path parameters cannot have: a path has no room for what may be left out, or for lists. */
const queryForms: readonly Form[] = [
  ...textForms,
  { schema: Type.Integer({ default: 7 }), value: fc.oneof(integer, word) },
  { schema: Type.String({ default: 'short' }), value: text },
  { schema: Type.Optional(Type.Boolean()), value: fc.boolean() },
  {
    schema: Type.Array(Type.Integer(), { maxItems: 3 }),
    value: fc.array(integer, { minLength: 1, maxLength: 4 }),
  },
  { schema: Type.Optional(Type.Array(Type.String())), value: fc.array(text, { minLength: 1, maxLength: 3 }) },
];

const object = Type.Object(
  { x: Type.Integer(), y: Type.Optional(Type.String()) },
  { additionalProperties: false },
);
const bodyForms: readonly Form[] = [
  ...queryForms.map(({ schema, value }) => ({
    schema,
    value: fc.oneof({ weight: 4, arbitrary: value }, json),
  })),
  {
    schema: object,
    value: fc.oneof(
      fc.record({ x: integer }),
      fc.record({ x: integer, y: text, z: json }, { requiredKeys: [] }),
      json,
    ),
  },
  { schema: Type.Union([Type.Integer(), Type.Null()]), value: fc.oneof(integer, fc.constant(null), json) },
  { schema: Type.Unknown(), value: json },
];

const contentForms: readonly Form[] = [
  { schema: Type.Array(object, { minItems: 1 }), value: fc.oneof(fc.array(fc.record({ x: integer })), json) },
  { schema: Type.Integer(), value: fc.oneof(integer, json) },
];

const forms: Readonly<Record<Place, readonly Form[]>> = {
  path: textForms,
  query: queryForms,
  body: bodyForms,
  content: contentForms,
};

/** Makes up a parameter that travels in one place. */
export function parameterPlan(name: string, place: Place): fc.Arbitrary<ParameterPlan> {
  return fc.constantFrom(...forms[place]).map(({ schema }) => ({ name, place, schema }));
}

/** Makes up values for a parameter. */
export function valuesFor({ place, schema }: ParameterPlan): fc.Arbitrary<Json> {
  return forms[place].find((form) => form.schema === schema)?.value ?? json;
}
