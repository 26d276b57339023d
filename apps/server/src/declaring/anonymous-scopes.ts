import type { Declarations } from './declarations.ts';

/** What callers without credentials may do. */
export function anonymousScopesOf({
  declared: { credentials },
}: Pick<Declarations, 'declared'>): readonly string[] {
  return credentials.flatMap((one) => (one.kind === 'anonymousScopes' ? one.options.scopes : []));
}
