import type { SchemaValues } from '@waymark/contract/schema';
import { type Coerce, coerceFor } from './coerce.ts';

/** How one parameter of a path or query is read. */
export interface TextPlan {
  /** The value where it is given once. */
  readonly once: Coerce;
  /** An item of the list where it is given several times; undefined where it may not be. */
  readonly item: ((text: string, index: number) => unknown) | undefined;
}

/**
 * Picks the reading of a parameter. A list may be given several times, and given once it has one item. Where a single
 * value is taken as well, a text that is given once is that, if it is one of its type or words, else a list of one. A schema
 * that does not say is text, given once: nothing is guessed.
 */
export function toTextPlan(values: SchemaValues): TextPlan {
  const alone = coerceFor(values);
  if (values.open || !values.types.has('array')) return { once: alone, item: undefined };
  const { types, words } = values;
  const item = itemReader(values);
  if (!scalars.some((type) => types.has(type))) return { once: (text) => [item(text, 0)], item };
  return {
    once(text) {
      const value = alone(text);
      // What is no number and no boolean, where those are asked for, stayed text.
      const isItself = typeof value !== 'string' || words === undefined || words.has(value);
      return isItself ? value : [item(text, 0)];
    },
    item,
  };
}

const scalars = ['string', 'integer', 'number', 'boolean'] as const;

function itemReader({ ownItems, itemAt }: SchemaValues): (text: string, index: number) => unknown {
  const first = Array.from({ length: ownItems }, (_, i) => coerceFor(itemAt(i)));
  const rest = coerceFor(itemAt(ownItems));
  return (text, index) => (first[index] ?? rest)(text);
}
