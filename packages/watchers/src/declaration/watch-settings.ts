import { checkScopes, isOptions, type Shape, wellShaped } from '@waymark/contract/declaring';
import type { Principal } from '@waymark/contract/principal';
import type { WatchDeclaration, WatchOptions } from './watch.ts';

/** A declared watcher with every default filled in. */
export interface WatchSettings {
  readonly name: string;
  readonly device: string;
  readonly agent: string;
  readonly input: string;
  /** Seconds. */
  readonly every: number;
  readonly everyMs: number;
  readonly scopes: readonly string[];
  readonly maxRunsPerHour: number;
  /** USD; null: no limit. */
  readonly maxCostPerDay: number | null;
  readonly onlyOnChange: boolean;
  readonly webhook: WebhookSettings | null;
  readonly declaredAt: string;
}

/** Where the insights of a watcher are posted to. */
export interface WebhookSettings {
  readonly url: string;
  readonly bearerEnv: string | undefined;
  readonly secretEnv: string | undefined;
}

/** What each option holds. */
export const watchShapes: Readonly<Record<keyof WatchOptions, Shape>> = {
  ...{ device: 'text', agent: 'text', input: 'text' },
  ...{ every: 'number', maxRunsPerHour: 'number', maxCostPerDay: 'number', onlyOnChange: 'boolean' },
  // Looked at as scopes.
  scopes: 'any',
  ...{ webhook: 'text', webhookBearerEnv: 'text', webhookSecretEnv: 'text' },
  declaredAt: 'text',
};

/** Fills the defaults. Options that are wrong count as left out: the check reports them. */
export function toSettings({ name, options, declaredAt }: WatchDeclaration): WatchSettings {
  const given: Partial<WatchOptions> = isOptions(options) ? wellShaped(options, watchShapes) : {};
  const { device = '', agent = '', every = 10, scopes = [], webhook } = given;
  const { webhookBearerEnv: bearerEnv, webhookSecretEnv: secretEnv } = given;
  return {
    ...{ name, device, agent, declaredAt },
    input: given.input ?? `This is what "${device}" shows now.`,
    every,
    everyMs: every * 1_000,
    scopes: checkScopes(scopes).length === 0 ? [...new Set(scopes)] : [],
    maxRunsPerHour: given.maxRunsPerHour ?? 60,
    maxCostPerDay: given.maxCostPerDay ?? null,
    onlyOnChange: given.onlyOnChange ?? true,
    webhook: webhook === undefined ? null : { url: webhook, bearerEnv, secretEnv },
  };
}

/** The id of the caller of a watcher's runs begins with it; no key and no token has such an id (decision 3.2). */
export const principalPrefix = 'watcher:';

/** The caller of its runs (decision 9.5). */
export function principalOf({ name, scopes }: Pick<WatchSettings, 'name' | 'scopes'>): Principal {
  const id = `${principalPrefix}${name}`;
  return { id, rootId: id, authenticated: true, scopes };
}
