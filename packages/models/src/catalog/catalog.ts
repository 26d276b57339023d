import { isOptions } from '@waymark/contract';
import type { ModelDeclaration } from '../model-declaration.ts';
import type { Price } from '../pricing.ts';
import type { ProviderKind, ProviderOptions } from '../provider.ts';
import { builtInAliases, builtInProviders, defaultAnthropicVersion } from './built-in.ts';
import { resolveModel } from './resolve-model.ts';

/** A provider with every option filled in. */
export interface Provider {
  readonly name: string;
  readonly kind: ProviderKind;
  /** Without a slash at its end, and for kind `anthropic` without `/v1`. */
  readonly baseUrl: string;
  readonly apiKeyEnv: string | undefined;
  readonly auth: NonNullable<ProviderOptions['auth']>;
  readonly anthropicVersion?: string;
  readonly builtIn: boolean;
}

/** A model on its provider. */
export interface Target {
  readonly provider: Provider;
  readonly model: string;
}

/** One thing an alias stands for, in the order in which they are asked. */
export type AliasTargets = readonly string[];

/** What was declared, over what is built in. */
export interface Catalog {
  readonly aliases: ReadonlyMap<string, AliasTargets>;
  readonly providers: ReadonlyMap<string, Provider>;
  /** By `<provider>/<model>`, or by bare name for a model on any provider. */
  readonly prices: ReadonlyMap<string, Price>;
}

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

/** The price of a model on a provider; undefined when none is declared. */
export function priceOf({ provider, model }: Target, { prices }: Catalog): Price | undefined {
  return prices.get(targetName({ provider, model })) ?? prices.get(model);
}

/** `<provider>/<model>`. */
export function targetName({ provider, model }: Target): string {
  return `${provider.name}/${model}`;
}

function priceKey(model: string, catalog: Catalog): string {
  const resolved = resolveModel(model, catalog);
  const [first] = resolved.ok ? resolved.targets : [];
  return first ? targetName(first) : model;
}

function toTargets(target: unknown): AliasTargets {
  // What is no text is reported by the check, and until then leads nowhere.
  return [target].flat().map(String);
}

function toProvider({ name, options }: ModelDeclaration & { kind: 'provider' }): Provider {
  const { kind, apiKeyEnv, anthropicVersion = defaultAnthropicVersion } = options;
  const { auth = kind === 'anthropic' ? 'x-api-key' : 'bearer' } = options;
  const baseUrl = String(options.baseUrl).replace(/\/+$/, '');
  return {
    name,
    kind,
    baseUrl: kind === 'anthropic' ? baseUrl.replace(/\/v1$/, '') : baseUrl,
    apiKeyEnv,
    auth,
    ...(kind === 'anthropic' && { anthropicVersion }),
    builtIn: false,
  };
}
