import type { RouteRequest } from '@waymark/contract';
import { callSite, type Declaration, isOptions } from '@waymark/contract/declaring';
import type { Awaitable } from '@waymark/contract/engine';

/** What a context can give of its rows. */
export const contextReturns = ['many', 'one'] as const;

/** What a context provider is declared with (specification, Declaration calls, `context`). */
export interface ContextOptions {
  /** One statement that reads; none. Not together with `data` or a function. */
  readonly sql?: string;
  /** Names of what it binds: members of the run's input, and `@principal`; none. */
  readonly params?: readonly string[];
  /** `many` (the default): all rows. `one`: the first row, or null. */
  readonly returns?: (typeof contextReturns)[number];
  /** A constant, as JSON. */
  readonly data?: unknown;
  /** What a model is told that it is; empty. */
  readonly description?: string;
  /** Characters of it that a model is told; 4,000. */
  readonly maxChars?: number;
  /** `file:line` for messages. Found by itself; a function that wraps the declaration call passes its caller's. */
  readonly declaredAt?: string;
}

/**
 * Says what a model should know: text, or anything JSON can hold. The request is the run's: its body is the input, its
 * user the one the run works for, with the scopes the run has.
 */
export type ContextFunction = (request: RouteRequest) => Awaitable<unknown>;

/** One declared context provider. */
export type ContextDeclaration = Declaration<
  'context',
  Omit<ContextOptions, 'declaredAt'> & { readonly read?: ContextFunction }
>;

/**
 * Declares a context provider: what an agent that names it is told once in each run.
 *
 *     context('open_tickets', { sql: 'select id, title from tickets where owner = @principal', params: ['@principal'] })
 *     context('today', () => ({ date: new Date().toISOString() }))
 */
export function context(
  name: string,
  source: ContextOptions | ContextFunction,
  more: Pick<ContextOptions, 'description' | 'maxChars' | 'declaredAt'> = {},
): ContextDeclaration {
  const options = typeof source === 'function' ? { ...more, read: source } : source;
  if (!isOptions(options)) return { kind: 'context', name, options, declaredAt: callSite(context) };
  // Options nobody knows are kept: the check names them.
  const { declaredAt = callSite(context), ...rest } = options as ContextOptions;
  return { kind: 'context', name, options: rest, declaredAt };
}
