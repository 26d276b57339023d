import { callSite, type Declaration } from '@waymark/contract/declaring';

/** The wire formats that a provider can speak. */
export const providerKinds = ['openai', 'anthropic'] as const;

/** Wire format of a provider: `openai` is Chat Completions, `anthropic` is Messages. */
export type ProviderKind = (typeof providerKinds)[number];

/** The headers in which a key can travel. */
export const keyForms = ['bearer', 'x-api-key'] as const;

/** Form of a key: `bearer` is a token in `authorization`, any other the name of its header. */
export type KeyForm = (typeof keyForms)[number];

/** Options of a provider. Every one has a default. */
export interface ProviderOptions {
  /**
   * Wire format of the provider. `openai` is asked at `<baseUrl>/chat/completions`, so its base URL has the `/v1`;
   * `anthropic` at `<baseUrl>/v1/messages`, whose base URL may end with it or not. Default: `openai`.
   */
  readonly kind?: ProviderKind;
  /** Name of the environment variable with its key; default: it is called without a key. */
  readonly apiKeyEnv?: string;
  /** Header for the key; default: `bearer` for the kind `openai`, `x-api-key` for `anthropic`. */
  readonly auth?: KeyForm;
  /**
   * Value of `anthropic-version`, for the kind `anthropic` only; default: `2023-06-01`, which still has `temperature`.
   */
  readonly anthropicVersion?: string;
  /**
   * Place of the call as `file:line`, named in problems. Found by itself; a function that wraps the call passes its
   * caller's.
   */
  readonly declaredAt?: string;
}

/** Declaration of a provider, as `provider` returns it. It holds no key, only the name of its variable. */
export type ProviderDeclaration = Declaration<
  'provider',
  Omit<ProviderOptions, 'declaredAt'> & { readonly baseUrl: string; readonly kind: ProviderKind }
>;

/**
 * Declares a provider, whose models are `<name>/<model>`. One with the name of a built-in provider replaces it entirely.
 *
 * @param baseUrl URL before `/chat/completions` (`https://host/v1`), for the kind `anthropic` before `/v1/messages`
 * (`https://host`; a `/v1` at its end is left out)
 */
export function provider(name: string, baseUrl: string, options: ProviderOptions = {}): ProviderDeclaration {
  // Options nobody knows are kept: the check names them.
  const { declaredAt = callSite(provider), kind = 'openai', ...others } = options;
  return { kind: 'provider', name, options: { ...others, baseUrl, kind }, declaredAt };
}
