import type { Feature } from '@waymark/contract/declaring';
import { anonymousScopes } from './anonymous-scopes.ts';
import { apiKey } from './api-key/api-key.ts';
import { credentialRules } from './check-rules.ts';
import type { CredentialDeclaration } from './credential-declaration.ts';
import { jwt } from './jwt/jwt.ts';

/**
 * Feature with the declaration calls `apiKey`, `jwt` and `anonymousScopes` and their rules; `createAuthenticate` uses
 * them.
 */
export const credentialsFeature = {
  name: 'credentials',
  kinds: [
    { method: 'apiKey', declare: apiKey, options: 2, title: (_env, id) => `apiKey "${id}"` },
    // The options of an issuer come first, and alone.
    {
      method: 'jwt',
      declare: jwt,
      options: ([first]) => (typeof first === 'object' && first !== null ? 0 : 1),
    },
    { method: 'anonymousScopes', declare: anonymousScopes },
  ],
  rules: credentialRules,
} as const satisfies Feature<CredentialDeclaration>;
