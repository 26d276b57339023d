import type { RouteResponse } from '@waymark/contract/engine';
import type { Visit } from '../door/visit.ts';

/** Value of `cache-control` by who may keep an answer that does not say so itself. */
export const keepings = {
  /** Whoever would: it is the same for everybody. */
  unsaid: undefined,
  nobody: 'no-store',
  /** The caller, to ask with its tag whether there is another. */
  caller: 'private, no-cache',
} as const;

/** Who may keep an answer. */
export type Keeping = keyof typeof keepings;

/**
 * Nobody keeps what is under the control prefix, nor what depends on who asked: where scopes are needed, or a credential was
 * shown. Shared caches know of `Authorization` only, not of keys in a header of their own.
 */
export function keepingOf(
  { control, takesBack, principal, route }: Visit,
  { headers }: Pick<RouteResponse, 'headers'>,
): Keeping {
  if (control !== undefined || takesBack !== undefined) return 'nobody';
  if (principal?.authenticated !== true && (route === undefined || route.scopes.length === 0))
    return 'unsaid';
  return headers['etag'] === undefined ? 'nobody' : 'caller';
}
