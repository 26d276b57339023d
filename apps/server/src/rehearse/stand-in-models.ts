import type { AgentOptions } from '@waymark/agents';
import { isOptions } from '@waymark/contract/declaring';
import { type ModelsDescription, pricing, provider } from '@waymark/models';
import type { Declarations } from '../declaring/declarations.ts';

/** The provider that the stand-in is in a rehearsal. */
const standInName = 'dry-run-simulator';

/**
 * Leads every agent to the stand-in, under the names and at the prices of the models that they would have asked: what a run
 * costs there is what it would cost for as many tokens.
 */
export function withStandIn(
  declarations: Declarations,
  models: ModelsDescription,
  url: string,
): Declarations {
  const { declared } = declarations;
  const stoodFor = new Map<string, string>();
  const standIn = (name: string): string => {
    const target = targetOf(name, models);
    const own = `${standInName}/${target.slice(target.indexOf('/') + 1)}`;
    stoodFor.set(own, target);
    return own;
  };
  const agents = declared.agents.map((one) => {
    if (one.kind !== 'agent' || !isOptions(one.options)) return one;
    const { model = 'default', compactWith = 'fast' }: AgentOptions = one.options;
    return { ...one, options: { ...one.options, model: standIn(model), compactWith: standIn(compactWith) } };
  });
  const prices = [...stoodFor].flatMap(([own, target]) => {
    const price = models.prices.find(({ model }) => model === target || model === bareNameOf(target));
    return price ? [pricing(own, price.inputPerMtok, price.outputPerMtok, cachePrices(price))] : [];
  });
  const more = [provider(standInName, url, { kind: 'anthropic' }), ...prices];
  return { ...declarations, declared: { ...declared, agents, models: [...declared.models, ...more] } };
}

/** The first model that a name stands for, with its provider where an alias tells it. */
export function targetOf(name: string, { aliases, prices }: ModelsDescription): string {
  const found = aliases.find(({ alias }) => alias === name)?.models[0];
  // A bare name is known by its price, if it has any.
  return found ?? prices.find(({ model }) => model.endsWith(`/${name}`))?.model ?? name;
}

function bareNameOf(target: string): string {
  return target.slice(target.indexOf('/') + 1);
}

function cachePrices({
  cacheReadPerMtok,
  cacheWritePerMtok,
}: ModelsDescription['prices'][number]): Parameters<typeof pricing>[3] {
  return { cacheReadPerMtok, cacheWritePerMtok };
}
