import { asText, isOptions } from '@waymark/contract/declaring';
import { formatOf } from '../formats.ts';
import type { ModelDeclaration } from '../model-declaration.ts';
import type { Price } from '../pricing.ts';
import { builtInAliases, builtInProviders, defaultAnthropicVersion } from './built-in.ts';
import { type AliasTargets, type Catalog, type Provider, targetName } from './catalog.ts';
import { resolveModel } from './resolve-model.ts';

/** Gathers declarations; the last of two with one name counts. What is wrong with them is for `checkModels`. */
export function createCatalog(
  declarations: readonly ModelDeclaration[],
  env: (name: string) => string | undefined,
): Catalog {
  const aliases = new Map<string, AliasTargets>();
  const providers = new Map(builtInProviders(env).map((provider) => [provider.name, provider]));
  const prices = new Map<string, Price>();
  const catalog: Catalog = { aliases, providers, prices };
  for (const [alias, target] of Object.entries(builtInAliases)) aliases.set(alias, toTargets(target));
  for (const declaration of declarations) {
    if (declaration.kind === 'provider') providers.set(declaration.name, toProvider(declaration));
    else if (declaration.kind === 'models' && isOptions(declaration.options.aliases))
      for (const [alias, target] of Object.entries(declaration.options.aliases))
        aliases.set(alias, toTargets(target));
  }
  // What is no text is reported by the check.
  for (const declaration of declarations)
    if (declaration.kind === 'pricing' && typeof declaration.name === 'string')
      prices.set(priceKey(declaration.name, catalog), declaration.options);
  return catalog;
}

function priceKey(model: string, catalog: Catalog): string {
  const resolved = resolveModel(model, catalog);
  const [first] = resolved.ok ? resolved.targets : [];
  return first ? targetName(first) : model;
}

function toTargets(target: unknown): AliasTargets {
  // What is no text is reported by the check, and until then leads nowhere.
  return [target].flat().map(asText);
}

function toProvider({ name, options }: ModelDeclaration & { kind: 'provider' }): Provider {
  const { kind, apiKeyEnv, anthropicVersion = defaultAnthropicVersion } = options;
  const { auth = formatOf(kind).auth } = options;
  return {
    name,
    kind,
    baseUrl: asText(options.baseUrl).replace(/\/+$/, ''),
    apiKeyEnv,
    auth,
    ...(kind === 'anthropic' && { anthropicVersion }),
    builtIn: false,
  };
}
