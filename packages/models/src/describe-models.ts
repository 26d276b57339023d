import { builtInAliases } from './catalog/built-in.ts';
import { type Catalog, targetName } from './catalog/catalog.ts';
import { resolveModel } from './catalog/resolve-model.ts';
import type { Price } from './pricing.ts';
import type { ProviderKind } from './provider.ts';

/** Description of aliases, providers and prices for listings; it holds no secret. */
export interface ModelsDescription {
  readonly aliases: readonly {
    readonly alias: string;
    /** Models and aliases that it is declared for. */
    readonly targets: readonly string[];
    /** `<provider>/<model>` in the order in which they are asked; empty for an alias that leads nowhere. */
    readonly models: readonly string[];
    /** Tells whether it is the built-in `default` or `fast`, not a declared one. */
    readonly builtIn: boolean;
  }[];
  readonly providers: readonly {
    readonly name: string;
    readonly kind: ProviderKind;
    /** Host of the base URL: `api.openai.com`, `127.0.0.1:11434`. */
    readonly host: string;
    /** Name of the variable with its key; null when it is called without one. */
    readonly apiKeyEnv: string | null;
    /** Tells whether it can be called: its key is set, or it needs none. */
    readonly live: boolean;
    readonly builtIn: boolean;
  }[];
  readonly prices: readonly (Price & {
    /** `<provider>/<model>`, or a bare name for the model on any provider. */
    readonly model: string;
  })[];
}

/** Describes declared and built-in models for listings. */
export function describeModels(
  catalog: Catalog,
  env: (name: string) => string | undefined,
): ModelsDescription {
  return {
    aliases: [...catalog.aliases].map(([alias, targets]) => {
      const resolved = resolveModel(alias, catalog);
      return {
        alias,
        targets,
        models: resolved.ok ? resolved.targets.map(targetName) : [],
        builtIn: builtInAliases[alias] === targets[0] && targets.length === 1,
      };
    }),
    providers: [...catalog.providers.values()].map(({ name, kind, baseUrl, apiKeyEnv, builtIn }) => ({
      name,
      kind,
      host: URL.canParse(baseUrl) ? new URL(baseUrl).host : '',
      apiKeyEnv: apiKeyEnv ?? null,
      live: apiKeyEnv === undefined || isSet(env(apiKeyEnv)),
      builtIn,
    })),
    prices: [...catalog.prices].map(([model, price]) => ({ model, ...price })),
  };
}

/**
 * The variables of which one has to be set before a model can be called at all; empty where one of its providers has its
 * key, or needs none, and for a name that leads nowhere.
 *
 * @param name an alias, or a model
 */
export function missingKeys(
  name: string,
  catalog: Catalog,
  env: (name: string) => string | undefined,
): readonly string[] {
  const resolved = resolveModel(name, catalog);
  const keys = resolved.ok ? resolved.targets.map(({ provider }) => provider.apiKeyEnv) : [];
  const isLive = keys.some((key) => key === undefined || isSet(env(key)));
  return isLive ? [] : [...new Set(keys.filter((key) => key !== undefined))];
}

function isSet(value = ''): boolean {
  return value.trim() !== '';
}
