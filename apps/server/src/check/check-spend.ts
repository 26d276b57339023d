import type { AgentsDeclaration } from '@waymark/agents';
import type { Problem } from '@waymark/contract';
import { asText, type Fault, isOptions, type RuleBook, toProblems } from '@waymark/contract/declaring';
import type { ModelClient } from '@waymark/contract/models';
import type { ModelDeclaration, ModelsDescription } from '@waymark/models';
import type { WatchDeclaration } from '@waymark/watchers';

/** What holds for models that are called, besides that they are declared well. */
export const spendRules = {
  'model-unpriced': 'A model that an alias stands for has a price, if it has one to pay.',
  'provider-key': 'The variable of a declared provider’s key is set.',
  'agent-key': 'A provider of the model of an agent has its key.',
  'watch-unpriced': 'A watcher that may spend so much has an agent whose model has a price.',
  'watch-cache-unpriced': 'A watcher that may spend so much has an agent whose cached prompts have a price.',
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

/**
 * Says which agents have a model that nobody can be asked for: a warning for each set of variables, at the first agent.
 *
 * @param missingKeys the variables of which one would have to be set for a model
 */
export function checkAgentKeys(
  declarations: readonly AgentsDeclaration[],
  missingKeys: (model: string) => readonly string[],
): readonly Problem[] {
  const found = new Map<string, Problem>();
  for (const { kind, name, options, declaredAt } of declarations) {
    // What an option is not, the check of the agent says.
    if (kind !== 'agent' || !isOptions(options)) continue;
    const { model = 'default' } = options;
    const variables = typeof model === 'string' ? missingKeys(model).join(' or ') : '';
    if (variables === '' || found.has(variables)) continue;
    for (const problem of toProblems(`agent "${asText(name)}"`, declaredAt, [noModel(model, variables)]))
      found.set(variables, problem);
  }
  return [...found.values()];
}

/**
 * Says which watchers have a limit of money that does not hold: the model of the agent has no price, and one run a day would
 * begin; or what it caches of its prompts has none, and costs nothing.
 */
export function checkWatchCosts(
  watchers: readonly WatchDeclaration[],
  agents: readonly AgentsDeclaration[],
  models: Pick<ModelClient, 'estimateSpend'>,
  described: Pick<ModelsDescription, 'aliases' | 'prices'>,
): readonly Problem[] {
  return watchers.flatMap(({ name, options, declaredAt }) => {
    // What an option is not, the check of the watcher says.
    if (!isOptions(options) || typeof options.maxCostPerDay !== 'number') return [];
    const agent = agents.find((one) => one.kind === 'agent' && one.name === options.agent);
    if (agent?.kind !== 'agent' || !isOptions(agent.options)) return [];
    const { model = 'default', cache } = agent.options;
    if (typeof model !== 'string') return [];
    const title = `watch "${asText(name)}"`;
    for (const one of reachedFrom(agent, agents)) {
      const unpriced = modelsOf(one, described).find((name) => isUnpriced(name, models));
      if (unpriced === undefined) continue;
      const whose = one === agent ? 'its agent' : `the agent "${asText(one.name)}", which this may call,`;
      return toProblems(title, declaredAt, [noLimit(unpriced, whose)]);
    }
    const isFree = cache !== false && hasFreeCache(model, described);
    return isFree ? toProblems(title, declaredAt, [noCachePrice(model)]) : [];
  });
}

/** An agent, and whatever it may have run on its behalf. */
function reachedFrom(
  agent: AgentsDeclaration,
  declared: readonly AgentsDeclaration[],
): ReadonlySet<AgentsDeclaration> {
  const reached = new Set([agent]);
  // A set gives what is added meanwhile, too.
  for (const { options } of reached) {
    // What an option is not, the check of the agent says.
    const { tools, handoffs } = (isOptions(options) ? options : {}) as {
      tools?: unknown;
      handoffs?: unknown;
    };
    for (const name of [tools, handoffs].flat())
      for (const one of declared) if (one.name === name) reached.add(one);
  }
  return reached;
}

/** The model of an agent, or those that stand in for each other by its alias. */
function modelsOf(
  { kind, options }: AgentsDeclaration,
  { aliases }: Pick<ModelsDescription, 'aliases'>,
): readonly string[] {
  const model = isOptions(options) && 'model' in options ? options.model : undefined;
  if (kind !== 'agent' || (model !== undefined && typeof model !== 'string')) return [];
  const name = model ?? 'default';
  const targets = aliases.find(({ alias }) => alias === name)?.models ?? [];
  return targets.length > 1 ? targets : [name];
}

function isUnpriced(model: string, models: Pick<ModelClient, 'estimateSpend'>): boolean {
  return models.estimateSpend({ model, maxTokens: 1 }, 1)?.costMicros === null;
}

/** Whether prompts that a model reads cost something, and those that are cached nothing, as where nobody says what they cost. */
function hasFreeCache(
  name: string,
  { aliases, prices }: Pick<ModelsDescription, 'aliases' | 'prices'>,
): boolean {
  const target = aliases.find(({ alias }) => alias === name)?.models[0] ?? name;
  const bareName = target.slice(target.indexOf('/') + 1);
  const price =
    prices.find(({ model }) => model === target) ?? prices.find(({ model }) => model === bareName);
  if (!price || price.inputPerMtok === 0) return false;
  return price.cacheReadPerMtok + price.cacheWritePerMtok === 0;
}

function noCachePrice(model: string): SpendFault {
  return {
    code: 'watch-cache-unpriced',
    severity: 'warning',
    rule: `has maxCostPerDay, and the price of the model "${model}" of its agent says nothing of cached prompts: they count as free, and it may spend more`,
    fix: `give pricing('${model}', …) its { cacheReadPerMtok, cacheWritePerMtok }, or the agent cache: false`,
  };
}

function noLimit(model: string, whose: string): SpendFault {
  return {
    code: 'watch-unpriced',
    severity: 'warning',
    rule: `has maxCostPerDay, and the model "${model}" of ${whose} has no price: what it spent is not known, so one run a day begins`,
    fix: `declare pricing('${model}', <USD for a million input tokens>, <output tokens>), or take maxCostPerDay out`,
  };
}

function noModel(model: string, variables: string): SpendFault {
  return {
    code: 'agent-key',
    severity: 'warning',
    rule: `no provider of its model "${model}" has a key, so every run of it will fail`,
    fix: `set ${variables}`,
  };
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
