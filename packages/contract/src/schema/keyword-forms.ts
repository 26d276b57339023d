import { isSchemaObject } from './references.ts';

/** What the value of a keyword has to be, and how that is said. */
interface Form {
  readonly words: string;
  fits(value: unknown): boolean;
}

const isSchema = (value: unknown): boolean => typeof value === 'boolean' || isSchemaObject(value);
const isListOf = (value: unknown, fits: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(fits);
const isText = (value: unknown): boolean => typeof value === 'string';

const count: Form = {
  words: 'a whole number from 0',
  fits: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
};
const number: Form = { words: 'a number', fits: Number.isFinite };
const positive: Form = {
  words: 'a number above 0',
  fits: (value) => Number.isFinite(value) && Number(value) > 0,
};
const text: Form = { words: 'a text', fits: isText };
const flag: Form = { words: 'true or false', fits: (value) => typeof value === 'boolean' };
const texts: Form = { words: 'a list of texts', fits: (value) => isListOf(value, isText) };
const values: Form = {
  words: 'a list of one or more values',
  fits: (value) => Array.isArray(value) && value.length > 0,
};
const schema: Form = { words: 'a schema', fits: isSchema };
const schemas: Form = {
  words: 'a list of one or more schemas',
  fits: (value) => isListOf(value, isSchema) && (value as readonly unknown[]).length > 0,
};
const schemaOrList: Form = {
  words: 'a schema or a list of schemas',
  fits: (value) => isSchema(value) || isListOf(value, isSchema),
};
const named: Form = {
  words: 'an object of schemas',
  fits: (value) => isSchemaObject(value) && Object.values(value).every(isSchema),
};
const anything: Form = { words: 'anything', fits: () => true };

const keywordsByForm: readonly (readonly [Form, string])[] = [
  [count, 'minLength maxLength minItems maxItems minContains maxContains minProperties maxProperties'],
  [number, 'minimum maximum exclusiveMinimum exclusiveMaximum'],
  [positive, 'multipleOf'],
  [text, 'pattern format $ref $dynamicRef'],
  [flag, 'uniqueItems'],
  [texts, 'required'],
  [values, 'enum'],
  [schemas, 'allOf anyOf oneOf'],
  // TypeBox writes tuples as lists of items, and an empty one is one.
  [schemaOrList, 'items prefixItems'],
  [schema, 'additionalItems additionalProperties contains contentSchema else if not propertyNames then'],
  [schema, 'unevaluatedItems unevaluatedProperties'],
  [named, '$defs definitions dependentSchemas patternProperties properties'],
  [
    anything,
    '$anchor $comment $dynamicAnchor $id $schema $vocabulary const contentEncoding contentMediaType',
  ],
  [anything, 'default dependentRequired deprecated description examples readOnly title type writeOnly'],
  // Of OpenAPI.
  [anything, 'discriminator example externalDocs nullable xml'],
];

/**
 * The keywords of JSON Schema 2020-12, each with the form of its value. A validator reads a value of another form as if
 * it were not there, and lets everything pass.
 */
export const keywordForms: ReadonlyMap<string, Form> = new Map(
  keywordsByForm.flatMap(([form, keywords]) =>
    keywords.split(' ').map((keyword) => [keyword, form] as const),
  ),
);

/** The types that a JSON value can have. */
export const jsonTypes = ['string', 'integer', 'number', 'boolean', 'object', 'array', 'null'] as const;

/** Formats that validators know; others are words for people. */
export const knownFormats = [
  ...[
    'date-time',
    'date',
    'time',
    'duration',
    'email',
    'idn-email',
    'hostname',
    'idn-hostname',
    'ipv4',
    'ipv6',
  ],
  ...['uri', 'uri-reference', 'uri-template', 'iri', 'iri-reference', 'uuid', 'url', 'regex', 'json-pointer'],
  'relative-json-pointer',
] as const;
