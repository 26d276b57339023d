/**
 * A template for the title of a declaration. Programs without types put anything where a name belongs, and what is wrong
 * with it is reported under this title: it has to be writable, which a symbol in a template is not.
 */
export function titled(texts: TemplateStringsArray, ...values: readonly unknown[]): string {
  return String.raw({ raw: texts }, ...values.map(toText));
}

function toText(value: unknown): string {
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
