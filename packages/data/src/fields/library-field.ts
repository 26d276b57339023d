import type { StandardSchema } from '@waymark/contract/schema';

/** What a library says to nothing and to null, at boot. One that has to wait to say so needs a value. */
export function libraryTakes(standard: StandardSchema, value: undefined | null): boolean {
  try {
    const result = standard['~standard'].validate(value);
    if (!(result instanceof Promise)) return result.issues === undefined;
    result.catch(() => undefined);
  } catch {
    // Its own code did not expect that.
  }
  return false;
}

/** A schema of a library that may be left out: then the library is not asked, and puts no default. */
export function maybeLeftOut(standard: StandardSchema): StandardSchema {
  return within(standard, (value, ask) => (value === undefined ? { value } : ask(value)));
}

/** A schema of a library that may be left out, for which null means the same: what is read can be sent back. */
export function maybeNull(standard: StandardSchema): StandardSchema {
  return within(standard, (value, ask) => ask(value ?? undefined), orNull);
}

/** A schema of a library that may be null, of which the library is not asked. */
export function libraryOrNull(standard: StandardSchema): StandardSchema {
  return within(standard, (value, ask) => (value === null ? { value } : ask(value)), orNull);
}

type Validate = StandardSchema['~standard']['validate'];

function within(
  { '~standard': props }: StandardSchema,
  validate: (value: unknown, ask: Validate) => ReturnType<Validate>,
  describe = (schema: Record<string, unknown>) => schema,
): StandardSchema {
  const { jsonSchema } = props;
  return {
    '~standard': {
      ...{ version: props.version, vendor: props.vendor },
      validate: (value) => validate(value, props.validate),
      ...(jsonSchema && {
        jsonSchema: {
          input: (options) => describe(jsonSchema.input(options)),
          output: (options) => describe(jsonSchema.output(options)),
        },
      }),
    },
  };
}

function orNull({ $defs, ...schema }: Record<string, unknown>): Record<string, unknown> {
  return { anyOf: [schema, { type: 'null' }], ...($defs !== undefined && { $defs }) };
}
