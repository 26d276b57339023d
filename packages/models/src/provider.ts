import { callSite, type Declaration } from '@waymark/contract/declaring';

/** The wire formats that a provider can speak. */
export const providerKinds = ['openai', 'anthropic'] as const;

/** `openai` is Chat Completions, `anthropic` is Messages. */
export type ProviderKind = (typeof providerKinds)[number];

/** The headers in which a key can travel. */
export const keyForms = ['bearer', 'x-api-key'] as const;

/** What a provider can be declared with. */
export interface ProviderOptions {
  /** The wire format it speaks; `openai`. */
  readonly kind?: ProviderKind;
  /** The variable that holds its key; it is called without one. */
  readonly apiKeyEnv?: string;
  /** The header for the key: `bearer` for kind `openai`, `x-api-key` for `anthropic`. */
  readonly auth?: (typeof keyForms)[number];
  /** Header of kind `anthropic`; `2023-06-01`, the version that still has `temperature`. */
  readonly anthropicVersion?: string;
  /** `file:line` for messages. Found by itself; a function that wraps the declaration call passes its caller's. */
  readonly declaredAt?: string;
}

/** One declared provider. It never holds a key, only the variable that does. */
export type ProviderDeclaration = Declaration<
  'provider',
  Omit<ProviderOptions, 'declaredAt'> & { readonly baseUrl: string; readonly kind: ProviderKind }
>;

/**
 * Declares a provider: its models are `<name>/<model>`. One with the name of a built-in provider takes its place, and
 * keeps nothing of it.
 *
 * @param baseUrl what stands before `/chat/completions` (`https://host/v1`), for kind `anthropic` before `/v1/messages`
 */
export function provider(name: string, baseUrl: string, options: ProviderOptions = {}): ProviderDeclaration {
  // Options nobody knows are kept: the check names them.
  const { declaredAt = callSite(provider), kind = 'openai', ...others } = options;
  return { kind: 'provider', name, options: { ...others, baseUrl, kind }, declaredAt };
}
