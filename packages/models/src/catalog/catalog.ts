import type { Price } from '../pricing.ts';
import type { KeyForm, ProviderKind } from '../provider.ts';

/** A provider with every option filled in. */
export interface Provider {
  readonly name: string;
  readonly kind: ProviderKind;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly apiKeyEnv: string | undefined;
  readonly auth: KeyForm;
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

/** The price of a model on a provider; undefined when none is declared. */
export function priceOf({ provider, model }: Target, { prices }: Catalog): Price | undefined {
  return prices.get(targetName({ provider, model })) ?? prices.get(model);
}

/** `<provider>/<model>`. */
export function targetName({ provider, model }: Target): string {
  return `${provider.name}/${model}`;
}
