import { describe, expect, it } from 'vitest';
import { matchesETag } from '../../src/http/matches-etag.ts';

describe('matchesETag', () => {
  it.each([
    ['"a"', '"a"', true, true],
    ['"b"', '"a"', false, false],
    ['"b", "a"', '"a"', true, true],
    ['W/"b",W/"a"', '"a"', true, false],
    ['"a"', 'W/"a"', true, false],
    ['W/"a"', 'W/"a"', true, false],
    ['*', '"a"', true, true],
    [' * ', 'W/"a"', true, true],
    ['"a,b"', '"a,b"', true, true],
    ['"a,b"', '"b"', false, false],
    ['a', '"a"', false, false],
    ['', '"a"', false, false],
    ['"A"', '"a"', false, false],
    ['"*"', '"a"', false, false],
  ])('%s and %s: weakly %s, strongly %s', (condition, etag, weak, strong) => {
    expect(matchesETag(condition, etag)).toBe(weak);
    expect(matchesETag(condition, etag, 'weak')).toBe(weak);
    expect(matchesETag(condition, etag, 'strong')).toBe(strong);
  });
});
