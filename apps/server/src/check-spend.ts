import { type Fault, type Problem, type RuleBook, toProblems } from '@waymark/contract';
import type { ModelDeclaration, ModelsDescription } from '@waymark/models';

/** What holds for models that are called, besides that they are declared well. */
export const spendRules = {
  'model-unpriced': 'A model that an alias stands for has a price, if it has one to pay.',
  'provider-key': 'The variable of a declared provider’s key is set.',
} as const satisfies RuleBook;

type SpendFault = Fault<keyof typeof spendRules>;

/** Says what of the declared models cannot be called, and what nobody will know the cost of: warnings. */
export function checkSpend(
  declarations: readonly ModelDeclaration[],
  { aliases, providers, prices }: ModelsDescription,
): readonly Problem[] {
  const priced = new Set(prices.map(({ model }) => model));
  const isFree = (name: string): boolean =>
    providers.some((one) => one.name === name && one.apiKeyEnv === null);
  const isUnpriced = (target: string): boolean => {
    const slash = target.indexOf('/');
    return !isFree(target.slice(0, slash)) && !priced.has(target) && !priced.has(target.slice(slash + 1));
  };
  return declarations.flatMap((declaration) => {
    const { declaredAt } = declaration;
    if (declaration.kind === 'provider') {
      const one = providers.find(({ name, builtIn }) => name === declaration.name && !builtIn);
      const unset = one && !one.live ? one.apiKeyEnv : null;
      return toProblems(`provider "${declaration.name}"`, declaredAt, unset === null ? [] : [noKey(unset)]);
    }
    if (declaration.kind === 'pricing') return [];
    const names = Object.keys(declaration.options.aliases ?? {});
    const targets = aliases.flatMap(({ alias, models }) => (names.includes(alias) ? models : []));
    const unpriced = [...new Set(targets)].filter(isUnpriced);
    return toProblems('models', declaredAt, unpriced.length === 0 ? [] : [noPrice(unpriced)]);
  });
}

function noKey(variable: string): SpendFault {
  return {
    code: 'provider-key',
    severity: 'warning',
    rule: `the variable ${variable} is not set, so every call of it will fail`,
    fix: `set ${variable}`,
  };
}

function noPrice(models: readonly string[]): SpendFault {
  const [first] = models;
  return {
    code: 'model-unpriced',
    severity: 'warning',
    rule: `${models.join(', ')} ${models.length === 1 ? 'has' : 'have'} no price, so the cost will be unknown`,
    fix: `declare pricing('${first}', <USD for a million input tokens>, <output tokens>)`,
  };
}
