import type { Fault } from '@waymark/contract/declaring';
import type { Boot } from '@waymark/contract/engine';
import { parsePath } from '@waymark/contract/route';
import type { Kind } from './kind.ts';

/** Finds a parameter in a path: one more thing to be given to a tool, and to whoever asks for an answer later. */
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

/** Finds what anybody can start and does not say so: odd while one works at it, wrong in production (decision 3.5). */
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
