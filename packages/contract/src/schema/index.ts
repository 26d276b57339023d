export { maxPatternLength } from './bound-texts.ts';
export { eachSchema } from './each-schema.ts';
export { withExactMultiples } from './exact-multiples.ts';
export { idPattern } from './id-pattern.ts';
export { withKeyword } from './json-schema.ts';
export { isLibrarySchema } from './library-schema.ts';
export { mapSchemas } from './map-schemas.ts';
export { toPart } from './own-root.ts';
export {
  enterSchema,
  isSchemaObject,
  resolveReference,
  type SchemaObject,
  type SchemaScope,
  type SchemaTarget,
} from './references.ts';
export {
  isStandardSchema,
  type StandardIssue,
  type StandardJsonSchema,
  type StandardOutput,
  type StandardResult,
  type StandardSchema,
} from './standard-schema.ts';
export { cutText, maxInputErrors } from './told-errors.ts';
export { type StandardReading, validateStandard } from './validate-standard.ts';
export { validateValue } from './validate-value.ts';
export { type SchemaValues, valuesOf } from './values-of.ts';
