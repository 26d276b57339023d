import { nearest } from '@waymark/contract/declaring';
import type { InputError } from '@waymark/contract/engine';
import {
  isSchemaObject,
  mapSchemas,
  type SchemaObject,
  withExactMultiples,
  withKeyword,
} from '@waymark/contract/schema';
import { Compile } from 'typebox/compile';
import type { TLocalizedValidationError } from 'typebox/error';
import { type CutSample, createSampler } from './cut-sample.ts';
import { createExplain, type Explain } from './explain.ts';
import { type Check, toPlainCheck } from './plain-check.ts';

/** Checks input against one compiled schema. */
export interface Validator {
  check(value: unknown): boolean;
  /** Why `check` said no; at most a handful. */
  errors(value: unknown): readonly InputError[];
}

/** Checks after which a schema is used so much that it is worth compiling. */
const plainChecks = 1_000;

/**
 * Makes the validator of a schema, TypeBox or raw JSON Schema 2020-12. It checks by walking through the schema at first, and
 * by a compiled one once that pays; both say the same. What is wrong is told by the schema alone, and so alike.
 *
 * @throws {Error} when the schema cannot be compiled (a pattern that does not parse)
 */
export function compileSchema(schema: object): Validator {
  const held = hold(schema);
  const bare = namesInherited(schema) ? toBare : (value: unknown): unknown => value;
  const check = inTwoTiers(held);
  let telling:
    | { readonly explain: Explain; readonly cutSample: CutSample; readonly known: readonly string[] }
    | undefined;
  return {
    check: (value) => check(bare(value)),
    errors(value) {
      telling ??= {
        explain: createExplain(held),
        cutSample: createSampler(schema),
        known: Object.keys((schema as { properties?: object }).properties ?? {}),
      };
      const { explain, cutSample, known } = telling;
      const faults = explain(bare(cutSample(value)));
      const errors = faults
        .filter((fault, i) => !isOutdone(fault, faults.slice(i + 1)))
        .flatMap((fault) => toInputErrors(fault, known));
      return errors.length > 0 ? errors : [{ path: '', message: 'is not valid' }];
    },
  };
}

function inTwoTiers(schema: object): Check {
  const plain = toPlainCheck(schema);
  if (!plain) return compile(schema);
  let left = plainChecks;
  let check = plain;
  return (value) => {
    if (left > 0 && --left === 0) check = compile(schema);
    return check(value);
  };
}

function compile(schema: object): Check {
  const compiled = Compile(schema);
  return (value) => compiled.Check(value);
}

/** Held to what is promised beyond the letter of the schema; what has nothing of the kind is read as text, and no more. */
function hold(schema: object): object {
  const text = JSON.stringify(schema);
  const records = text.includes(JSON.stringify(anyName)) ? holdRecords(schema) : schema;
  const names = text.includes('"patternProperties"') ? holdNames(records) : records;
  const integers = text.includes('"integer"') ? holdIntegers(names) : names;
  return text.includes('"multipleOf"') ? withExactMultiples(integers) : integers;
}

/** Every name, as TypeBox writes it in records: its dot matches no line break, and such members would be held to nothing. */
const anyName = '^.*$';
const everyName = '^[\\s\\S]*$';

function holdRecords(schema: object): object {
  return mapSchemas(schema as SchemaObject, (node) => {
    const { patternProperties } = node;
    if (!isSchemaObject(patternProperties) || !Object.hasOwn(patternProperties, anyName)) return node;
    const names = Object.entries(patternProperties).map(([name, one]) => [
      name === anyName ? everyName : name,
      one,
    ]);
    return withKeyword(node, 'patternProperties', Object.fromEntries(names));
  });
}

/**
 * Patterns of names that are tried on no name that is too long: a validator tries them before it asks for its length, which
 * it does ask for.
 */
function holdNames(schema: object): object {
  return mapSchemas(schema as SchemaObject, (node) => {
    const { patternProperties, propertyNames } = node;
    const most = isSchemaObject(propertyNames) ? propertyNames['maxLength'] : undefined;
    if (!isSchemaObject(patternProperties) || typeof most !== 'number') return node;
    const names = Object.entries(patternProperties).map(([source, one]) => [
      `^(?![\\s\\S]{${most + 1}})[\\s\\S]*?(?:${source})`,
      one,
    ]);
    return withKeyword(node, 'patternProperties', Object.fromEntries(names));
  });
}

/** Beyond it JSON has read another number than was written. */
const largest = Number.MAX_SAFE_INTEGER;

/** Integers are held to those that are read as they were written: in JSON as in a path. */
function holdIntegers(schema: object): object {
  return mapSchemas(schema as Readonly<Record<string, unknown>>, (node) => {
    const { type, minimum = -largest, maximum = largest } = node;
    const types: readonly unknown[] = Array.isArray(type) ? type : [type];
    if (!types.includes('integer') || types.includes('number')) return node;
    const above = withKeyword(node, 'minimum', Math.max(Number(minimum), -largest));
    return withKeyword(above, 'maximum', Math.min(Number(maximum), largest));
  });
}

/**
 * Whether a schema has a word that is a member of every object, as `toString` is: most likely the name of a property, which
 * may stand in a list of names alone, as in `required`.
 */
function namesInherited(schema: object): boolean {
  let found = false;
  JSON.stringify(schema, (key: string, value: unknown) => {
    found ||=
      (key !== '' && key in Object.prototype) || (typeof value === 'string' && value in Object.prototype);
    return value;
  });
  return found;
}

/** The validator finds members that were not sent, if every object has them: these objects have no others than their own. */
function toBare(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(toBare);
  const bare: Record<string, unknown> = Object.create(null);
  for (const [name, one] of Object.entries(value)) bare[name] = toBare(one);
  return bare;
}

/** Choices that an error text still lists. */
const maxListed = 20;

function toInputErrors(error: TLocalizedValidationError, known: readonly string[]): readonly InputError[] {
  const { keyword, schemaPath, instancePath, message } = error;
  if (keyword === 'required') {
    const { requiredProperties } = error.params as { requiredProperties: readonly string[] };
    return requiredProperties.map((name) => ({
      path: `${instancePath}/${toPointer(name)}`,
      message: 'is required',
    }));
  }
  // Its members were reported one by one, and only the first few of them, however many a caller sends.
  if (keyword === 'additionalProperties' || keyword === 'propertyNames') return [];
  if (/\/propertyNames(?:\/|$)/.test(schemaPath))
    return [{ path: instancePath, message: `has a name that ${message}` }];
  if (keyword === 'boolean') {
    if (!schemaPath.endsWith('/additionalProperties'))
      return [{ path: instancePath, message: 'is not allowed' }];
    const at = instancePath.lastIndexOf('/');
    return [unknownName(instancePath, fromPointer(instancePath.slice(at + 1)), at === 0 ? known : [])];
  }
  if ((keyword === 'minimum' || keyword === 'maximum') && Math.abs(Number(error.params.limit)) === largest)
    return [{ path: instancePath, message: 'must be an integer between -(2^53 - 1) and 2^53 - 1' }];
  if (keyword === 'const')
    return [{ path: instancePath, message: `must be ${JSON.stringify(error.params.allowedValue)}` }];
  if (keyword === 'enum' && error.params.allowedValues.length <= maxListed) {
    const list = error.params.allowedValues.map((value) => JSON.stringify(value)).join(', ');
    return [{ path: instancePath, message: `must be one of ${list}` }];
  }
  if (isEmptyFault(error)) return [{ path: instancePath, message: 'must not be empty' }];
  if (keyword === 'contains') return [{ path: instancePath, message: toCount(error.params) }];
  return [{ path: instancePath, message }];
}

/** A text, a list or an object that has to hold one thing, whatever it is. */
function isEmptyFault({ keyword, params }: TLocalizedValidationError): boolean {
  return (
    ['minLength', 'minItems', 'minProperties'].includes(keyword) && 'limit' in params && params.limit === 1
  );
}

/** A list without any of the items that it has to contain is reported twice: for lacking one, then for lacking so many. */
function isOutdone(fault: TLocalizedValidationError, later: readonly TLocalizedValidationError[]): boolean {
  if (fault.keyword !== 'contains') return false;
  const { schemaPath, instancePath } = fault;
  return later.some(
    (one) => one.keyword === 'contains' && one.schemaPath === schemaPath && one.instancePath === instancePath,
  );
}

/** The bound that was broken; the library names the upper one only when it was that. */
function toCount({ minContains, maxContains }: { minContains: number; maxContains?: number }): string {
  const bound = maxContains ?? minContains;
  return `must contain at ${maxContains === undefined ? 'least' : 'most'} ${bound} valid item${bound === 1 ? '' : 's'}`;
}

/** The error for a name that nothing declares, with the one that was probably meant. */
export function unknownName(path: string, name: string, known: readonly string[]): InputError {
  const close = nearest(name, known);
  return { path, message: close === undefined ? 'is not known' : `is not known (did you mean "${close}"?)` };
}

function fromPointer(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** A name as JSON pointers write it. */
export function toPointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
