import { anonymousScopes, apiKey, isAuthenticationConfigured, jwt } from '@waymark/auth';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';

describe('isAuthenticationConfigured', () => {
  it('is false without credentials, and for declarations of other kinds', () => {
    expect(isAuthenticationConfigured([])).toBe(false);
    expect(isAuthenticationConfigured([{ kind: 'cors', name: 'cors', options: {}, declaredAt: '' }])).toBe(
      false,
    );
  });

  it('is false with scopes for anonymous callers alone', () => {
    expect(isAuthenticationConfigured([anonymousScopes('tickets:read')])).toBe(false);
  });

  it('is true with one declaration of tokens, whatever its variable holds', () => {
    verifies('authority.control.configured-jwt');
    expect(isAuthenticationConfigured([jwt('UNSET')])).toBe(true);
    expect(isAuthenticationConfigured([anonymousScopes('tickets:read'), jwt('UNSET')])).toBe(true);
  });

  it('is true with one API key, whatever its variable holds', () => {
    verifies('authority.control.configured');
    expect(isAuthenticationConfigured([apiKey('UNSET', 'reader')])).toBe(true);
  });
});
