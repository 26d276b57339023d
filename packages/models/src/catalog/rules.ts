import type { Fault, RuleBook } from '@waymark/contract/declaring';

/** Rules of model declarations, by the `code` that a problem carries. */
export const modelRules = {
  'alias-form': 'Aliases are an object whose values are names, or lists of names.',
  'alias-name': 'An alias has a name without a slash, which is for providers.',
  'alias-taken': 'An alias is declared once.',
  'alias-chain': 'From an alias to a model there are 8 links at most.',
  'alias-cycle': 'No alias stands for itself.',
  'unknown-model': 'A name is an alias, `<provider>/<model>`, or a bare name whose provider is known.',
  'unknown-provider': 'A prefix is the name of a provider.',
  'provider-name': 'A provider has a name that can be a prefix, and one declaration.',
  'provider-url': 'The base URL of a provider is an http or https URL without credentials and query.',
  'provider-variable': 'The variable of a key has the name of a variable.',
  'provider-options': 'The version is that of kind `anthropic`.',
  'provider-replaces': 'A provider that takes the place of a built-in one speaks its format.',
  'price-amount': 'A price is a number of USD, from 0 to 1,000,000.',
  'price-taken': 'A model has one price.',
} as const satisfies RuleBook;

/** A rule of these that is broken. */
export type ModelRuleFault = Fault<keyof typeof modelRules>;

/** A broken rule in one line. */
export function fault(code: ModelRuleFault['code'], rule: string, fix: string): ModelRuleFault {
  return { code, rule, fix };
}
