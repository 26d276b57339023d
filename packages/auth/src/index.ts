export { type AnonymousScopesDeclaration, anonymousScopes } from './anonymous-scopes.ts';
export { type ApiKeyDeclaration, type ApiKeyOptions, apiKey } from './api-key/api-key.ts';
export { type CheckCredentialsOptions, checkCredentials } from './check-credentials.ts';
export { credentialRules } from './check-rules.ts';
export { type AuthenticateOptions, createAuthenticate } from './create-authenticate.ts';
export { type CredentialDeclaration, isAuthenticationConfigured } from './credential-declaration.ts';
export { credentialsFeature } from './credentials-feature.ts';
export {
  type IssuerAlgorithm,
  type IssuerOptions,
  type JwtAlgorithm,
  type JwtDeclaration,
  type JwtOptions,
  jwt,
} from './jwt/jwt.ts';
export { credentialLimits } from './limits.ts';
export { challengeOf } from './refusal.ts';
