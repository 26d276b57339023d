import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { isForSharedCaches, toPrivateKeeping } from '../../src/proxy/private-keeping.ts';

describe('toPrivateKeeping', () => {
  it.each([
    ['public, max-age=60', 'private, max-age=60'],
    ['max-age=60', 'private, max-age=60'],
    ['Public,S-MaxAge=600 , max-age=60,immutable', 'private, max-age=60, immutable'],
    ['private, max-age=60', 'private, max-age=60'],
    ['private="set-cookie, x-a", max-age=60', 'private, max-age=60'],
    ['no-cache="x-a, public", s-maxage="9"', 'private, no-cache="x-a, public"'],
    ['no-store', 'private, no-store'],
    ['must-revalidate, proxy-revalidate', 'private, must-revalidate'],
    [', max-age=1,, public,', 'private, max-age=1'],
    // To say that it is private alone would leave to the browser for how long.
    ['public', 'private, no-cache'],
    ['s-maxage=600', 'private, no-cache'],
    ['', 'private, no-cache'],
    // Whoever cannot read it may read something else into it.
    ['max-age=60, "public"', 'no-store'],
    ['private="x', 'no-store'],
    ['max-age = 60', 'no-store'],
    ['public; max-age=60', 'no-store'],
  ])('makes of "%s" "%s"', (told, kept) => {
    verifies('proxy.private');
    expect(toPrivateKeeping(told)).toBe(kept);
  });

  it('reads a long one in no time to speak of', () => {
    expect(toPrivateKeeping(`a=${'"'.repeat(10_001)}`)).toBe('no-store');
    expect(toPrivateKeeping(`${', '.repeat(5000)}"`)).toBe('no-store');
    expect(toPrivateKeeping('public, '.repeat(2000))).toBe('private, no-cache');
  });
});

describe('isForSharedCaches', () => {
  it.each(['expires', 'cdn-cache-control', 'cloudflare-cdn-cache-control', 'surrogate-control'])(
    'is %s',
    (name) => expect(isForSharedCaches(name)).toBe(true),
  );

  it.each(['cache-control', 'etag', 'last-modified', 'vary', 'age'])('is not %s', (name) =>
    expect(isForSharedCaches(name)).toBe(false),
  );
});
