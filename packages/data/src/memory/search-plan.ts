import { common, type Term } from './search-terms.ts';

/** Two expressions of full text: what is looked for first, and what fills up when that is not enough. */
export interface SearchPlan {
  readonly narrow: string;
  /** The same where the first one leaves nothing out. */
  readonly wide: string;
}

/** Words that are looked for although they are in more entries than are ranked. */
const maxFrequent = 4;

/**
 * Says which entries are worth ranking, when not more than a number of them are to be.
 *
 * Words that are nearly everywhere say little and are left out where there are others. Entries with the rare words come
 * first; of the frequent ones those that have the rarest of these and one more, and if there is but one, those that have
 * it in their key.
 */
export function planSearch(terms: readonly Term[], ranked: number): SearchPlan | undefined {
  const said = terms.filter(({ entries }) => entries < common);
  const sorted = (said.length > 0 ? said : terms).toSorted((a, b) => a.entries - b.entries);
  const rare = sorted.slice(0, countWithin(sorted, ranked)).map(toGroup);
  const frequent = sorted.slice(rare.length, rare.length + maxFrequent).map(toGroup);
  const wide = [...rare, ...frequent].join(' OR ');
  const [first, ...others] = frequent;
  if (first === undefined) return rare.length === 0 ? undefined : { narrow: wide, wide };
  const both = others.length > 0 ? [`(${first} AND (${others.join(' OR ')}))`] : [];
  const narrow = rare.length === 0 && both.length === 0 ? [`{key} : ${first}`] : [...rare, ...both];
  return { narrow: narrow.join(' OR '), wide };
}

/** How many of the terms, from the first on, are in not more entries than these together. */
function countWithin(terms: readonly Term[], most: number): number {
  let sum = 0;
  for (const [i, { entries }] of terms.entries()) {
    sum += entries;
    if (sum > most) return i;
  }
  return terms.length;
}

function toGroup({ expression }: Term): string {
  return `(${expression})`;
}
