import { apiKey } from '@waymark/auth';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';

describe('apiKey', () => {
  it('declares a key as data: variable, id, scopes and the line it stands on', () => {
    verifies('declare.api-key');
    expect(apiKey('READER_KEY', 'reader', { scopes: ['tickets:read'] })).toEqual({
      kind: 'apiKey',
      name: 'reader',
      options: { env: 'READER_KEY', scopes: ['tickets:read'] },
      declaredAt: expect.stringMatching(/test\/api-key\.test\.ts:\d+$/),
    });
  });

  it('grants no scopes unless told', () => {
    verifies('declare.api-key.scopes.default');
    expect(apiKey('READER_KEY', 'reader').options.scopes).toEqual([]);
    expect(apiKey('READER_KEY', 'reader', {}).options.scopes).toEqual([]);
  });

  it('takes the place of the declaration from a function that wraps it', () => {
    const { declaredAt, options } = apiKey('READER_KEY', 'reader', { declaredAt: 'src/app.ts:12' });
    expect(declaredAt).toBe('src/app.ts:12');
    expect(options).not.toHaveProperty('declaredAt');
  });
});
