export { type ApiKeyDeclaration, type ApiKeyOptions, apiKey, isAuthenticationConfigured } from './api-key.ts';
export { checkCredentials } from './check-credentials.ts';
export { createAuthenticate } from './create-authenticate.ts';
