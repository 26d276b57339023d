/**
 * Stands for a value where a text belongs, in names and messages: the text itself, else its kind: `<symbol>`. Programs
 * without types may pass anything, and not everything can be made a text.
 */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : `<${typeof value}>`;
}
