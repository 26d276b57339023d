/** The command line was typed wrongly: exit code 2, and no stack. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
