import { nearest } from '@waymark/contract/declaring';

/** The command line was typed wrongly: exit code 2, and no stack. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The error for a name that is none of those there are, with the one that was probably meant. */
export function unknownName(
  what: string,
  given: string,
  known: readonly string[],
  /** Why it may be none of them and there all the same. */
  unless?: string,
): UsageError {
  const close = nearest(given, known);
  return new UsageError(
    `unknown ${what} "${given}"${unless === undefined ? '' : `, or ${unless}`}${close === undefined ? '' : `; did you mean "${close}"?`}`,
  );
}
