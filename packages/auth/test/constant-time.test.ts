import crypto, { createHash } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { apiKey, createAuthenticate } from '@waymark/auth';
import { verifies } from '@waymark/contract/testing';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { environment } from './declare.ts';

// The real function, watched: what is compared, and how, is a promise that no answer shows.
const timingSafeEqual = vi.spyOn(crypto, 'timingSafeEqual');
syncBuiltinESMExports();
afterAll(() => {
  timingSafeEqual.mockRestore();
  syncBuiltinESMExports();
});

const secrets = ['first-secret-0123456789', 'second-secret-0123456789', 'third-secret-0123456789'] as const;
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hex = (bytes: NodeJS.ArrayBufferView): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');

describe('the comparison of keys', () => {
  const declarations = secrets.map((_, i) => apiKey(`K${i}`, `id-${i}`));
  const variables = environment(Object.fromEntries(secrets.map((secret, i) => [`K${i}`, secret])));
  const authenticate = createAuthenticate(declarations, variables);

  beforeEach(() => {
    timingSafeEqual.mockClear();
  });

  it.each([
    ['the first key', secrets[0]],
    ['the last key', secrets[2]],
    ['an unknown key', 'no-such-secret-0123456789'],
    ['the start of a key', 'first'],
    ['an empty key', ''],
    ['a long key', 'x'.repeat(10_000)],
  ])('compares the digest of %s with those of all keys, in constant time', async (_, presented) => {
    verifies('authority.key.hashed');
    await authenticate({ headers: { 'x-api-key': presented } });
    const compared = timingSafeEqual.mock.calls.map(([kept, shown]) => [hex(kept), hex(shown)]);
    expect(compared).toEqual(secrets.map((secret) => [sha256(secret), sha256(presented)]));
  });

  it('compares nothing for a caller without a key', async () => {
    await authenticate({ headers: {} });
    expect(timingSafeEqual).not.toHaveBeenCalled();
  });
});
