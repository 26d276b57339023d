/** A name as JSON pointers write it. */
export function toPointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
