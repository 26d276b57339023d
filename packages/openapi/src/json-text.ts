/**
 * A value as JSON, without what JSON does not have: libraries leave functions and bigints of a program in the schemas that
 * they describe, and those are nothing to readers of the document.
 *
 * @returns undefined where nothing is left
 */
export function jsonText(value: unknown): string | undefined {
  return JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? undefined : one));
}
