import { callSite, type Declaration } from '@waymark/contract/declaring';

/** Declaration of the scopes of anonymous callers, as `anonymousScopes` returns it. */
export type AnonymousScopesDeclaration = Declaration<
  'anonymousScopes',
  { readonly scopes: readonly string[] }
>;

/**
 * Declares the scopes of callers without a credential. Several declarations add up.
 *
 * It is no authentication: with it alone, only this machine reaches the control plane (decision 3.6).
 */
export function anonymousScopes(...scopes: readonly string[]): AnonymousScopesDeclaration {
  return {
    kind: 'anonymousScopes',
    name: 'anonymousScopes',
    options: { scopes },
    declaredAt: callSite(anonymousScopes),
  };
}
