import * as auth from '@waymark/auth';
import { expect, it } from 'vitest';

it('exports what its README lists', () => {
  expect(Object.keys(auth).sort()).toEqual([
    'anonymousScopes',
    'apiKey',
    'challengeOf',
    'checkCredentials',
    'createAuthenticate',
    'credentialLimits',
    'credentialRules',
    'credentialsFeature',
    'isAuthenticationConfigured',
    'jwt',
  ]);
});
