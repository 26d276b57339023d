/** What two names must not share: `-` and `_` are one in a path, and so is the case to many a reader. */
export function pathKey(name: unknown): string {
  return String(name).toLowerCase().replaceAll('_', '-');
}
