/**
 * One promise of the product, small enough that one scenario can show it.
 *
 * `id` never changes once a test cites it. `clause` says where the promise was made: the table and row of
 * the specification, or the number of the decision.
 */
export interface Requirement {
  readonly id: string;
  readonly clause: string;
  readonly text: string;
}

/**
 * Maker of the requirements of one table or list: `built` takes the row (a name or a number) and a map of id to text.
 *
 * @param prefix what stands before the row in `clause`, separator included: `'service: Route options, '`
 */
export function clauses(prefix: string): {
  built(row: string, texts: Readonly<Record<string, string>>): Requirement[];
} {
  return {
    built: (row, texts) => Object.entries(texts).map(([id, text]) => ({ id, clause: prefix + row, text })),
  };
}
