/** A piece of work that is still to come; requirements that wait for it carry its name. */
export type Capability =
  | 'agents'
  | 'behaviours'
  | 'contexts'
  | 'device hub'
  | 'flows'
  | 'pages'
  | 'runs'
  | 'sql'
  | 'watchers'
  | 'workers';

/**
 * One promise of the product, small enough that one scenario can show it.
 *
 * `id` never changes once a test cites it. `clause` says where the promise was made: the table and row of
 * the specification, or the number of the decision. `planned` names the work that will keep it, and goes
 * when that work lands.
 */
export interface Requirement {
  readonly id: string;
  readonly clause: string;
  readonly text: string;
  readonly planned?: Capability;
}

type Texts = Readonly<Record<string, string>>;

/**
 * Two makers for the requirements of one table or list: `built` for what must have a scenario now, `planned`
 * for what has none yet. Both take the row (a name or a number) and a map of id to text.
 *
 * @param prefix what stands before the row in `clause`, separator included: `'service: Route options, '`
 */
export function clauses(prefix: string): {
  built(row: string, texts: Texts): Requirement[];
  planned(capability: Capability, row: string, texts: Texts): Requirement[];
} {
  const entries = (row: string, texts: Texts) =>
    Object.entries(texts).map(([id, text]) => ({ id, clause: prefix + row, text }));
  return {
    built: entries,
    planned: (capability, row, texts) =>
      entries(row, texts).map((requirement) => ({ ...requirement, planned: capability })),
  };
}
