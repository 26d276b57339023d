import { callSite, type Declaration } from '@waymark/contract/declaring';

/** What callers without a credential may do. */
export type AnonymousScopesDeclaration = Declaration<
  'anonymousScopes',
  { readonly scopes: readonly string[] }
>;

/**
 * Declares scopes of callers that show no credential. Several declarations add up.
 *
 * It is no authentication: with it alone, the control plane stays with this machine (decision 3.6).
 */
export function anonymousScopes(...scopes: readonly string[]): AnonymousScopesDeclaration {
  return {
    kind: 'anonymousScopes',
    name: 'anonymousScopes',
    options: { scopes },
    declaredAt: callSite(anonymousScopes),
  };
}
