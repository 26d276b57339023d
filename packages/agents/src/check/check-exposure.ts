import type { Fault } from '@waymark/contract/declaring';
import type { Boot } from '@waymark/contract/engine';
import { parsePath } from '@waymark/contract/route';
import type { Kind } from './kind.ts';

/** Finds a parameter in `exposeAt`, which neither a tool call nor the route of later answers could fill. */
export function checkExposure<K extends Kind>(
  kind: K,
  path: unknown,
  example: string,
): readonly Fault<`${K}-path`>[] {
  if (typeof path !== 'string') return [];
  const parsed = parsePath(path);
  // What is no path at all is said of its route.
  if (!parsed.ok || parsed.segments.every(({ kind }) => kind === 'literal')) return [];
  const rule = `exposeAt "${path}" has a parameter`;
  return [{ code: `${kind}-path` as const, rule, fix: `write fixed text: '${example}'` }];
}

/**
 * Finds a declaration open to anybody without `public`: a warning in development, an error in production (decision
 * 3.5).
 */
export function checkPublic<K extends Kind>(
  kind: K,
  settings: { readonly exposeScopes: readonly string[]; readonly public: boolean },
  { env }: Pick<Boot, 'env'>,
): readonly Fault<`${K}-public`>[] {
  if (settings.exposeScopes.length > 0 || settings.public) return [];
  const rule = 'anybody can start it, and what it uses is paid for';
  const fix = 'give it exposeScopes, or write public: true';
  const found = { code: `${kind}-public` as const, rule, fix };
  return [env('NODE_ENV') === 'production' ? found : { ...found, severity: 'warning' }];
}
