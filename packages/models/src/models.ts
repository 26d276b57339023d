import { callSite, type Declaration } from '@waymark/contract/declaring';

/** Aliases and what each stands for: a model, another alias, or a list of them to fall back on. */
export type Aliases = Readonly<Record<string, string | readonly string[]>>;

/** Declared aliases. */
export type ModelsDeclaration = Declaration<'models', { readonly aliases: Aliases }>;

/** What aliases can be declared with. */
export interface ModelsOptions {
  /** `file:line` for messages. Found by itself; a function that wraps the declaration call passes its caller's. */
  readonly declaredAt?: string;
}

/**
 * Declares aliases: `models({ default: 'claude-opus-5', smart: ['default', 'openai/gpt-5'] })`. Of a list the first is
 * asked, and each next one when the one before has failed for good.
 *
 * `default` and `fast` are there already and may be set. Aliases may stand for aliases, 8 links at most.
 */
export function models(aliases: Aliases, options: ModelsOptions = {}): ModelsDeclaration {
  // Options nobody knows are kept: the check names them.
  const { declaredAt = callSite(models), ...unknown } = options;
  return { kind: 'models', name: 'models', options: { ...unknown, aliases }, declaredAt };
}
