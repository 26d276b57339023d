import { callSite, type Declaration } from '@waymark/contract/declaring';

/** Options of a price. Amounts are from 0 to 1,000,000 USD. */
export interface PricingOptions {
  /** USD for a million input tokens read from the provider's cache; default: 0. */
  readonly cacheReadPerMtok?: number;
  /** USD for a million input tokens written to the provider's cache; default: 0. */
  readonly cacheWritePerMtok?: number;
  /**
   * Place of the call as `file:line`, named in problems. Found by itself; a function that wraps the call passes its
   * caller's.
   */
  readonly declaredAt?: string;
}

/** Price of a model in USD for a million tokens, which is the same number in micro-dollars for one token. */
export type Price = {
  readonly inputPerMtok: number;
  readonly outputPerMtok: number;
  readonly cacheReadPerMtok: number;
  readonly cacheWritePerMtok: number;
};

/** Declaration of a price, as `pricing` returns it; `name` is the model. */
export type PricingDeclaration = Declaration<'pricing', Price>;

/**
 * Declares the price of a model in USD. Without one the cost of a call is unknown: null, never 0.
 *
 * @param model `<provider>/<model>`, an alias, which means the first model behind it, or a bare name; one of no known
 * provider means that model on any provider
 * @param inputPerMtok USD for a million input tokens, 0 to 1,000,000
 * @param outputPerMtok USD for a million output tokens, 0 to 1,000,000
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
