import { convert, withKeyword } from './json-schema.ts';
import { mapSchemas } from './map-schemas.ts';
import { mostLoops, patternCost } from './pattern-cost.ts';
import { isSchemaObject, type SchemaObject } from './references.ts';
import { whyNoPattern } from './why-no-pattern.ts';

/**
 * Characters of a text, or of the name of a member, that has a pattern and no `maxLength`. Most patterns that anybody
 * writes are quadratic in a bad text: `^[^@]+@[^@]+\.[^@]+$` takes 2 ms for 1,024 characters, and 20 min for 1 MiB.
 */
export const maxPatternLength = 1_024;

/** The same for those that are worse: `^\S+@\S+\.\S+$` takes 110 ms for 1,024 characters, and 2 ms for 256. */
const maxCubicLength = 256;
const maxSteepLength = 64;

function lengthFor(sources: readonly string[]): number {
  const exponents = sources.map((source) =>
    mostLoops(source) < 3 || whyNoPattern(source) !== undefined ? 1 : patternCost(source).exponent,
  );
  const exponent = Math.max(1, ...exponents);
  if (exponent < 3) return maxPatternLength;
  return exponent === 3 ? maxCubicLength : maxSteepLength;
}

/** Formats whose check of 1 MiB takes more than 50 ms (measured); others take time in proportion to the text, and little. */
const slowFormats: ReadonlySet<unknown> = new Set(['date-time', 'idn-hostname', 'regex', 'uri-template']);

/** As TypeBox and we write every name. */
const everyName: ReadonlySet<string> = new Set(['^.*$', '^[\\s\\S]*$']);

/**
 * Gives each text that is matched the `maxLength` that it lacks, so that whoever reads the schema sees what holds. What
 * encodes bytes, as `contentEncoding` says, has no such bound. A schema in which nothing lacks one is returned as it is.
 */
export function boundTexts(schema: SchemaObject): SchemaObject {
  return mapSchemas(schema, (node) => boundNames(boundText(node)));
}

function boundText(node: SchemaObject): SchemaObject {
  const { maxLength, contentEncoding } = node;
  const contradicts = matchesInside(node['not']) || matchesInside(node['if']);
  if (contentEncoding !== undefined || !(matches(node) || contradicts)) return node;
  const bounded =
    maxLength === undefined ? withKeyword(node, 'maxLength', lengthFor(patternsIn(node))) : node;
  if (!contradicts) return bounded;
  // What is refused, or held to something else, where it matches has to match at any length that gets there.
  const most = bounded['maxLength'];
  return convert(bounded, (keyword, inner) =>
    keyword === 'not' || keyword === 'if' ? boundInside(inner, most) : inner,
  ) as SchemaObject;
}

function matches({ pattern, format, type = 'string' }: SchemaObject): boolean {
  if (typeof pattern !== 'string' && !slowFormats.has(format)) return false;
  return Array.isArray(type) ? type.includes('string') : type === 'string';
}

/** Every pattern that a text has to match, or must not. */
function patternsIn(node: unknown): readonly string[] {
  if (Array.isArray(node)) return node.flatMap(patternsIn);
  if (!isSchemaObject(node)) return [];
  const { pattern } = node;
  const inside = inPlace.flatMap((keyword) => patternsIn(node[keyword]));
  return typeof pattern === 'string' ? [pattern, ...inside] : inside;
}

/** Keywords whose schemas look at the very value that their own schema looks at. */
const inPlace = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'];

function matchesInside(node: unknown): boolean {
  if (Array.isArray(node)) return node.some(matchesInside);
  return isSchemaObject(node) && (matches(node) || inPlace.some((keyword) => matchesInside(node[keyword])));
}

function boundInside(node: unknown, most: unknown): unknown {
  if (Array.isArray(node)) return node.map((one) => boundInside(one, most));
  if (!isSchemaObject(node)) return node;
  const inside = convert(node, (keyword, inner) =>
    inPlace.includes(keyword) ? boundInside(inner, most) : inner,
  ) as SchemaObject;
  return matches(node) && node['maxLength'] === undefined ? withKeyword(inside, 'maxLength', most) : inside;
}

function boundNames(node: SchemaObject): SchemaObject {
  const { patternProperties, propertyNames = {} } = node;
  if (!isSchemaObject(patternProperties) || !isSchemaObject(propertyNames)) return node;
  if (propertyNames['maxLength'] !== undefined) return node;
  const names = Object.keys(patternProperties).filter((name) => !everyName.has(name));
  if (names.length === 0) return node;
  const most = lengthFor([...names, ...patternsIn(propertyNames)]);
  return withKeyword(node, 'propertyNames', withKeyword(propertyNames, 'maxLength', most));
}
