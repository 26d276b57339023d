import crypto from 'node:crypto';
import { createAuthenticate, jwt } from '@waymark/auth';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { environment } from './declare.ts';
import { goodClaims, hmacToken, hs256, jwtSecret, nowSecs } from './tokens.ts';

const tokens = Array.from({ length: 1_002 }, (_, i) => hs256({ sub: `user-${i}` }));
const wrong = hmacToken({ alg: 'HS256' }, goodClaims, 'x'.repeat(40));

// The real function, watched: a signature costs one HMAC, and nothing else shows whether it was looked at again.
const createHmac = vi.spyOn(crypto, 'createHmac');
afterAll(() => createHmac.mockRestore());
beforeEach(() => {
  createHmac.mockClear();
});

/** An authenticator with a clock to set, and what comes of a token: the id or what is said. */
function setUp(): { at(secs: number): void; show(token: string | undefined): Promise<string> } {
  let nowMs = nowSecs * 1000;
  const env = environment({ JWT_SECRET: jwtSecret });
  const authenticate = createAuthenticate([jwt('JWT_SECRET')], env, { now: () => nowMs });
  return {
    at: (secs) => {
      nowMs = secs * 1000;
    },
    show: async (token) => {
      const answer = await authenticate({ headers: { authorization: `Bearer ${token}` } });
      return answer.ok ? answer.principal.id : answer.error.message;
    },
  };
}

describe('a token shown again', () => {
  it('is not verified again', async () => {
    const { show } = setUp();
    expect([await show(tokens[0]), await show(tokens[0]), await show(tokens[0])]).toEqual(
      Array(3).fill('user-0'),
    );
    expect(createHmac).toHaveBeenCalledTimes(1);
  });

  it('is verified again by another authenticator: nothing is shared', async () => {
    await setUp().show(tokens[0]);
    await setUp().show(tokens[0]);
    expect(createHmac).toHaveBeenCalledTimes(2);
  });

  it('is verified again each time when it was wrong', async () => {
    const { show } = setUp();
    expect([await show(wrong), await show(wrong)]).toEqual(Array(2).fill('the credential is not valid'));
    expect(createHmac).toHaveBeenCalledTimes(2);
  });

  it('still ends: at exp and the leeway, to the millisecond', async () => {
    const { at, show } = setUp();
    expect(await show(tokens[0])).toBe('user-0');
    at(goodClaims.exp + 29.999);
    expect(await show(tokens[0])).toBe('user-0');
    expect(createHmac).toHaveBeenCalledTimes(1);
    at(goodClaims.exp + 30);
    expect(await show(tokens[0])).toBe('the token has expired');
    at(goodClaims.exp + 3000);
    expect(await show(tokens[0])).toBe('the token has expired');
  });

  it('is in time again when the clock is set back', async () => {
    const { at, show } = setUp();
    at(goodClaims.exp + 60);
    expect(await show(tokens[0])).toBe('the token has expired');
    at(nowSecs);
    expect(await show(tokens[0])).toBe('user-0');
  });

  it('still begins: when the clock is set back before nbf', async () => {
    const { at, show } = setUp();
    const token = hs256({ nbf: nowSecs });
    expect(await show(token)).toBe('ada');
    at(nowSecs - 30);
    expect(await show(token)).toBe('ada');
    at(nowSecs - 30.001);
    expect(await show(token)).toBe('the credential is not valid');
  });
});

describe('the memory for tokens', () => {
  it('holds 1,000 of them, and lets go the one not shown for longest', async () => {
    const { show } = setUp();
    for (const token of tokens.slice(0, 1_000)) await show(token);
    await show(tokens[0]);
    expect(createHmac).toHaveBeenCalledTimes(1_000);
    expect(await show(tokens[1_000])).toBe('user-1000');
    expect(createHmac).toHaveBeenCalledTimes(1_001);
    // The first was shown since; the second has gone.
    expect(await show(tokens[0])).toBe('user-0');
    expect(createHmac).toHaveBeenCalledTimes(1_001);
    expect(await show(tokens[1])).toBe('user-1');
    expect(createHmac).toHaveBeenCalledTimes(1_002);
  });

  it('grants all of more tokens than it holds, however often', async () => {
    const { show } = setUp();
    for (let round = 0; round < 2; round++)
      for (const [i, token] of tokens.entries()) expect(await show(token)).toBe(`user-${i}`);
  });

  it('is not emptied by wrong tokens', async () => {
    const { show } = setUp();
    await show(tokens[0]);
    for (let i = 0; i < 1_100; i++) await show(`${wrong}${i}`);
    createHmac.mockClear();
    expect(await show(tokens[0])).toBe('user-0');
    expect(createHmac).not.toHaveBeenCalled();
  });
});
