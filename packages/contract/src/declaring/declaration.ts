/**
 * The result of a declaration call: data, with its place in the source. A package's factory turns its declarations
 * into one plugin.
 */
export interface Declaration<K extends string = string, O = unknown> {
  readonly kind: K;
  readonly name: string;
  readonly options: O;
  readonly declaredAt: string;
}
