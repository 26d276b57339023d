import { isStandardSchema } from './standard-schema.ts';

/** Says whether a value is a schema of a library, be it one that cannot be enforced. */
export function isLibrarySchema(given: unknown): given is object {
  if (isStandardSchema(given)) return true;
  return (
    (typeof given === 'object' || typeof given === 'function') &&
    given !== null &&
    libraryOf(given) !== undefined
  );
}

/** What makes a library's schema one that can be enforced and described. */
const waysOut: Readonly<Record<string, string>> = {
  zod: 'take it from zod 4.2 or newer, whose schemas give their JSON Schema',
  valibot: 'write toStandardJsonSchema(schema), from @valibot/to-json-schema',
  effect:
    'write Schema.toStandardJSONSchemaV1(Schema.toStandardSchemaV1(Schema.toCodecJson(schema))), from effect 4',
  arktype: 'take it from arktype 2.2 or newer, whose types give their JSON Schema',
};

/** What to do with a schema that lacks something. @param library its name, where that is known */
export function wayOut(library: string | undefined): string {
  const known = library !== undefined && Object.hasOwn(waysOut, library) ? waysOut[library] : undefined;
  return known ?? 'write it with Type.…, as JSON Schema, or with a library that has ~standard.jsonSchema';
}

// Looked up once: this is asked of every part of every schema.
const effectSchema = Symbol.for('effect/Schema');
const joiSchema = Symbol.for('@hapi/joi/schema');

/** Old versions, and schemas before they are wrapped, by what they leave on themselves. */
export function libraryOf(given: object): string | undefined {
  if ('~effect/Schema/Schema' in given || effectSchema in given) return 'effect';
  if ('_def' in given || '_zod' in given) return 'zod';
  if ('~run' in given || '_run' in given) return 'valibot';
  if ('__isYupSchema__' in given) return 'yup';
  if (joiSchema in given || '$_root' in given) return 'joi';
  return undefined;
}
