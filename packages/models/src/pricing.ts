import { callSite, type Declaration } from '@waymark/contract/declaring';

/** What a price can be declared with. */
export interface PricingOptions {
  /** USD for a million input tokens that came from the provider's cache; 0. */
  readonly cacheReadPerMtok?: number;
  /** USD for a million input tokens that went into it; 0. */
  readonly cacheWritePerMtok?: number;
  /** `file:line` for messages. Found by itself; a function that wraps the declaration call passes its caller's. */
  readonly declaredAt?: string;
}

/** What a model costs in USD for a million tokens. A number of those is the same number of micro-dollars a token. */
export type Price = {
  readonly inputPerMtok: number;
  readonly outputPerMtok: number;
  readonly cacheReadPerMtok: number;
  readonly cacheWritePerMtok: number;
};

/** One declared price; `name` is the model. */
export type PricingDeclaration = Declaration<'pricing', Price>;

/**
 * Declares what a model costs in USD. Without one the cost of a call is unknown: null, never 0.
 *
 * @param model `<provider>/<model>`, a bare name, or an alias, which means the first model behind it; a bare name
 * without a provider of its own is that model on any provider
 */
export function pricing(
  model: string,
  inputPerMtok: number,
  outputPerMtok: number,
  options: PricingOptions = {},
): PricingDeclaration {
  // Options nobody knows are kept: the check names them.
  const { declaredAt = callSite(pricing), cacheReadPerMtok = 0, cacheWritePerMtok = 0, ...unknown } = options;
  const price = { inputPerMtok, outputPerMtok, cacheReadPerMtok, cacheWritePerMtok };
  return { kind: 'pricing', name: model, options: { ...unknown, ...price }, declaredAt };
}
