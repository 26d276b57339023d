import type { Declaration } from '@waymark/contract/declaring';
import type { AnonymousScopesDeclaration } from './anonymous-scopes.ts';
import type { ApiKeyDeclaration } from './api-key/api-key.ts';
import type { JwtDeclaration } from './jwt/jwt.ts';

/** Declaration of an API key, of tokens, or of the scopes of anonymous callers. */
export type CredentialDeclaration = ApiKeyDeclaration | JwtDeclaration | AnonymousScopesDeclaration;

/**
 * Tells whether any API key or token is declared; without one, only this machine reaches the control plane
 * (decision 3.6). Scopes for anonymous callers are no credential.
 */
export function isAuthenticationConfigured(declarations: readonly Declaration[]): boolean {
  return declarations.some(({ kind }) => kind === 'apiKey' || kind === 'jwt');
}

/** The declarations of one kind. */
export function ofKind<K extends CredentialDeclaration['kind']>(
  kind: K,
  declarations: readonly CredentialDeclaration[],
): readonly Extract<CredentialDeclaration, { kind: K }>[] {
  // A type guard cannot tell that K is one kind and not several.
  return declarations.filter((declaration) => declaration.kind === kind) as Extract<
    CredentialDeclaration,
    { kind: K }
  >[];
}
