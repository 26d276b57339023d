import type { StandardIssue, StandardResult, StandardSchema } from './standard-schema.ts';

/**
 * Asks a library about a value, in the way of the standard but for zod. The `validate` of zod first asks as if nothing
 * waited, and drops the promise of a check or transform that does: that runs twice, and where it fails nobody handles its
 * rejection, which ends the process. So zod is asked once, in the way that waits where something does.
 *
 * @throws whatever the code inside of the schema throws
 */
export function askLibrary(
  schema: StandardSchema,
  value: unknown,
): StandardResult<unknown> | Promise<StandardResult<unknown>> {
  if (!isZod(schema)) return schema['~standard'].validate(value);
  const payload = schema._zod.run({ value, issues: [] }, { async: true });
  if (payload instanceof Promise)
    return payload.then((read) =>
      read.issues.length === 0 ? { value: read.value } : inWords(schema, value),
    );
  return payload.issues.length === 0 ? { value: payload.value } : schema['~standard'].validate(value);
}

/** What every schema of zod 4 has beside the standard, for libraries that build on it. */
interface ZodParts {
  readonly _zod: {
    run(payload: ZodPayload, context: { readonly async: true }): ZodPayload | Promise<ZodPayload>;
  };
  safeParseAsync(value: unknown): Promise<{
    readonly success: boolean;
    readonly data?: unknown;
    readonly error?: { readonly issues: readonly StandardIssue[] };
  }>;
}

interface ZodPayload {
  readonly value: unknown;
  readonly issues: readonly unknown[];
}

/** Only this finds words for what is wrong; it asks once more. */
async function inWords(schema: ZodParts, value: unknown): Promise<StandardResult<unknown>> {
  const { success, data, error } = await schema.safeParseAsync(value);
  return success ? { value: data } : { issues: error?.issues ?? [] };
}

function isZod(schema: StandardSchema): schema is StandardSchema & ZodParts {
  if (schema['~standard'].vendor !== 'zod' || !('_zod' in schema && 'safeParseAsync' in schema)) return false;
  const { _zod: parts } = schema;
  return typeof parts === 'object' && parts !== null && 'run' in parts && typeof parts.run === 'function';
}
