import { describe, expect, it } from 'vitest';
import { SignInCodes } from '../../src/session/sign-in-codes.ts';

const shown = (key: string) => ({ headers: { 'x-api-key': key } });

describe('SignInCodes', () => {
  it('stands for a credential once, and for a minute', () => {
    let atMs = 0;
    const codes = new SignInCodes(() => atMs);
    const [first, second] = [codes.issue(shown('one')).code, codes.issue(shown('two')).code];
    expect(first).toMatch(/^[\w-]{22}$/);
    atMs = 59_999;
    expect(codes.redeem(first)).toEqual(shown('one'));
    expect(codes.redeem(first)).toBeUndefined();
    atMs = 60_000;
    expect(codes.redeem(second)).toBeUndefined();
    expect(codes.redeem('no code')).toBeUndefined();
  });

  it.each([
    [31, true],
    [32, false],
  ])('keeps 32: behind %i others the first is good: %s', (others, good) => {
    const codes = new SignInCodes(() => 0);
    const { code } = codes.issue(shown('first'));
    for (let i = 0; i < others; i++) codes.issue(shown('later'));
    expect(codes.redeem(code) !== undefined).toBe(good);
  });
});
