import type { RouteRequest } from '@waymark/contract';
import { callSite, type Declaration, isOptions } from '@waymark/contract/declaring';
import type { Awaitable } from '@waymark/contract/engine';

/** What a context can give of its rows. */
export const contextReturns = ['many', 'one'] as const;

/**
 * Options of a context provider (specification, Declaration calls, `context`): one of `sql` and `data`, or a function.
 */
export interface ContextOptions {
  /** One SQL statement that reads; its rows are the context. Not together with `data` or a function. */
  readonly sql?: string;
  /**
   * Names that `sql` binds: members of the run's input, and `@principal`, the id of the root principal; default: none.
   */
  readonly params?: readonly string[];
  /** Form of the rows of `sql`. `many`, the default: a list of all rows; `one`: the first row, or null. */
  readonly returns?: (typeof contextReturns)[number];
  /** Constant JSON value that is the context. Not together with `sql` or a function. */
  readonly data?: unknown;
  /** Description that the model reads with it; default: empty. */
  readonly description?: string;
  /** Characters of the context that the model is shown, 1 to 1,000,000; default: 4,000. */
  readonly maxChars?: number;
  /**
   * Place of the call as `file:line`, named in problems. Found by itself; a function that wraps the call passes its
   * caller's.
   */
  readonly declaredAt?: string;
}

/**
 * Function of a context provider: returns text, or a JSON value, for the model to read. The request is that of the run:
 * its body is the input, its user the principal that the run works for, with the scopes of the run.
 */
export type ContextFunction = (request: RouteRequest) => Awaitable<unknown>;

/** Declaration of a context provider, as `context` returns it. */
export type ContextDeclaration = Declaration<
  'context',
  Omit<ContextOptions, 'declaredAt'> & { readonly read?: ContextFunction }
>;

/**
 * Declares a context provider: a text from SQL, a constant or a function, which agents that name it are given once in
 * each run.
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
