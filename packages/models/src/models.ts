import { callSite, type Declaration } from '@waymark/contract/declaring';

/** Aliases by name, each for a model, another alias, or a list of them to fall back on in order. */
export type Aliases = Readonly<Record<string, string | readonly string[]>>;

/** Declaration of aliases, as `models` returns it. */
export type ModelsDeclaration = Declaration<'models', { readonly aliases: Aliases }>;

/** Options of a declaration of aliases. */
export interface ModelsOptions {
  /**
   * Place of the call as `file:line`, named in problems. Found by itself; a function that wraps the call passes its
   * caller's.
   */
  readonly declaredAt?: string;
}

/**
 * Declares aliases: `models({ default: 'claude-opus-5', smart: ['default', 'openai/gpt-5'] })`. The first of a list is
 * asked; the next one when it has failed after its retries.
 *
 * `default` and `fast` are built in and may be replaced. Aliases may stand for aliases, at most 8 links to a model.
 */
export function models(aliases: Aliases, options: ModelsOptions = {}): ModelsDeclaration {
  // Options nobody knows are kept: the check names them.
  const { declaredAt = callSite(models), ...unknown } = options;
  return { kind: 'models', name: 'models', options: { ...unknown, aliases }, declaredAt };
}
