/**
 * A schema of another library (https://standardschema.dev): zod, valibot, arktype, effect. The interface is the one of
 * the specification, which says that it may be copied.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': StandardProps<Input, Output>;
}

/** What a library says of one schema. */
export interface StandardProps<Input = unknown, Output = Input> {
  readonly version: 1;
  /** The name of the library. */
  readonly vendor: string;
  readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
  /** What it accepts and what it gives, as JSON Schema; libraries without a converter of their own lack it. */
  readonly jsonSchema?: StandardJsonSchema | undefined;
  /** For the compiler alone. */
  readonly types?: { readonly input: Input; readonly output: Output } | undefined;
}

/** Turns the two sides of a schema into JSON Schema; throws for what has none. */
export interface StandardJsonSchema {
  readonly input: (options: StandardJsonSchemaOptions) => Record<string, unknown>;
  readonly output: (options: StandardJsonSchemaOptions) => Record<string, unknown>;
}

/** How a schema is described. */
interface StandardJsonSchemaOptions {
  readonly target: 'draft-2020-12';
  /** What only the library knows. */
  readonly libraryOptions?: Record<string, unknown>;
}

/** The result of `validate`: the value as the library makes it, or what is wrong. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One thing that is wrong with a value. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The type that a library gives for a value that it accepts. */
export type StandardOutput<S extends StandardSchema> = NonNullable<S['~standard']['types']>['output'];

/** Says whether a value claims to be a schema of a library. It may still say too little to be enforced. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  if (!('~standard' in value)) return false;
  const props = value['~standard'];
  return typeof props === 'object' && props !== null;
}
