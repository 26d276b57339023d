import { describe, expect, it } from 'vitest';
import { cookieValue, withoutCookies } from '../../src/session/cookie-value.ts';

describe('cookieValue', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['a=1', '1'],
    ['b=2; a=1', '1'],
    [' b=2 ;a = 1 ; c', '1'],
    ['a=', ''],
    ['a=x=y', 'x=y'],
    ['A=1', undefined],
    ['aa=1; ba=2', undefined],
    ['b="a=1"', undefined],
    ['a', undefined],
    // Nobody can say which is ours.
    ['a=1; a=2', ''],
    ['a=1; a=1', ''],
  ])('finds the one of a name in %j', (header, value) => {
    expect(cookieValue(header, 'a')).toBe(value);
  });
});

describe('withoutCookies', () => {
  it.each([
    ['a=1', undefined],
    ['a=1; b=2; a=3; c=4', 'b=2; c=4'],
    ['__Host-a=1;b=2', 'b=2'],
    ['aa=1; b=a', 'aa=1; b=a'],
  ])('takes those of a name out of %j', (header, rest) => {
    expect(withoutCookies(header, ['a', '__Host-a'])).toBe(rest);
  });
});
