import { nearestOr } from '@waymark/contract/declaring';
import { providerOfBareName } from './built-in.ts';
import type { Catalog, Target } from './catalog.ts';
import type { ModelRuleFault } from './rules.ts';

/** Links from an alias to a model, at most (decision 6.1). */
const maxLinks = 8;

/** What a name stands for, or why it stands for nothing. */
export type Resolution =
  | { readonly ok: true; readonly targets: readonly Target[] }
  | { readonly ok: false; readonly fault: ModelRuleFault };

/** Follows a name to the models behind it, in the order in which they are asked; each of them once. */
export function resolveModel(name: string, catalog: Catalog): Resolution {
  const found = new Map<string, Target>();
  const fault = follow(name, [], catalog, { found, followed: new Map() });
  return fault ? { ok: false, fault } : { ok: true, targets: [...found.values()] };
}

interface Walk {
  readonly found: Map<string, Target>;
  /** Aliases that lead to models, by the longest way there that was gone: many may share them, none is gone twice. */
  readonly followed: Map<string, number>;
}

function follow(
  name: string,
  path: readonly string[],
  catalog: Catalog,
  walk: Walk,
): ModelRuleFault | undefined {
  const next = catalog.aliases.get(name);
  if (next === undefined) {
    const target = toTarget(name, catalog);
    if ('code' in target) return target;
    walk.found.set(`${target.provider.name}/${target.model}`, target);
    return undefined;
  }
  const walked = [...path, name];
  if (path.includes(name)) return cycle(walked);
  if (walked.length > maxLinks) return tooLong(walked);
  if (walked.length <= (walk.followed.get(name) ?? 0)) return undefined;
  for (const one of next) {
    const fault = follow(one, walked, catalog, walk);
    if (fault) return fault;
  }
  walk.followed.set(name, walked.length);
  return undefined;
}

function toTarget(name: string, { aliases, providers }: Catalog): Target | ModelRuleFault {
  const slash = name.indexOf('/');
  if (slash < 0) {
    const provider = providers.get(providerOfBareName(name) ?? '');
    if (provider) return { provider, model: name };
    const fix = `declare the alias, or write <provider>/${name || '<model>'}`;
    return {
      code: 'unknown-model',
      rule: `unknown model "${name}"`,
      ...nearestOr(fix, name, aliases.keys()),
    };
  }
  const prefix = name.slice(0, slash);
  const provider = providers.get(prefix);
  const fix = `declare it with provider('${prefix}', …); there are ${[...providers.keys()].join(', ')}`;
  if (!provider)
    return {
      code: 'unknown-provider',
      rule: `unknown provider "${prefix}"`,
      ...nearestOr(fix, prefix, providers.keys()),
    };
  const model = name.slice(slash + 1);
  if (model !== '') return { provider, model };
  return {
    code: 'unknown-model',
    rule: `"${name}" names no model`,
    fix: `write ${prefix}/<model>`,
  };
}

function cycle(walked: readonly string[]): ModelRuleFault {
  const from = walked.indexOf(walked.at(-1) ?? '');
  const rule = `the alias leads back to itself: ${walked.slice(from).join(' → ')}`;
  return { code: 'alias-cycle', rule, fix: 'let one of them stand for a model' };
}

function tooLong(walked: readonly string[]): ModelRuleFault {
  const rule = `the alias is more than ${maxLinks} links away from a model: ${walked.join(' → ')} → …`;
  return { code: 'alias-chain', rule, fix: 'let it stand for a model that is nearer' };
}
