import { anonymousScopes, apiKey, checkCredentials, createAuthenticate } from '@waymark/auth';
import { toProblemLine } from '@waymark/contract/declaring';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { env, environment, keys, readerSecret } from './declare.ts';

describe('anonymousScopes', () => {
  it('declares scopes as data, with the line it stands on', () => {
    verifies('declare.anonymous-scopes');
    expect(anonymousScopes('tickets:read', 'pages:read')).toEqual({
      kind: 'anonymousScopes',
      name: 'anonymousScopes',
      options: { scopes: ['tickets:read', 'pages:read'] },
      declaredAt: expect.stringMatching(/test\/anonymous-scopes\.test\.ts:\d+$/),
    });
  });

  it('gives its scopes to callers without a credential, who stay unauthenticated', async () => {
    verifies('auth.anonymous-scopes', 'authority.anonymous.scopes', 'declare.anonymous-scopes');
    const authenticate = createAuthenticate([...keys, anonymousScopes('tickets:list')], env);
    expect(await authenticate({ headers: {} })).toEqual({
      ok: true,
      principal: { id: 'anonymous', rootId: 'anonymous', authenticated: false, scopes: ['tickets:list'] },
    });
  });

  it('gives them to nobody else: a key has its own, a wrong one none', async () => {
    verifies('authority.wrong-credential');
    const authenticate = createAuthenticate([...keys, anonymousScopes('tickets:list')], env);
    expect(await authenticate({ headers: { 'x-api-key': readerSecret } })).toMatchObject({
      principal: { scopes: ['tickets:read'] },
    });
    expect(await authenticate({ headers: { 'x-api-key': 'wrong' } })).toMatchObject({ ok: false });
    expect(await authenticate({ headers: { authorization: 'Bearer wrong' } })).toMatchObject({ ok: false });
  });

  it('adds up, each scope once, frozen', async () => {
    const authenticate = createAuthenticate([anonymousScopes('a', 'b'), anonymousScopes('b', 'c')], env);
    const answer = await authenticate({ headers: {} });
    expect(answer).toMatchObject({ principal: { scopes: ['a', 'b', 'c'] } });
    expect(answer.ok && Object.isFrozen(answer.principal.scopes)).toBe(true);
  });

  it.each([['tickets read'], [''], ['a', 'b\n'], ['\u00e9']])(
    'refuses the scope %j at the start',
    (...scopes) => {
      const declaration = { ...anonymousScopes(...scopes), declaredAt: 'src/app.ts:7' };
      expect(checkCredentials([declaration], env).map(toProblemLine)).toEqual([
        expect.stringMatching(
          /^src\/app\.ts:7 {2}anonymousScopes: scopes are not a list of words without spaces; write \[".*"\]$/,
        ),
      ]);
    },
  );

  it('needs no variable, and is checked along with keys', () => {
    const problems = checkCredentials([anonymousScopes('a'), apiKey('K', 'one')], environment({}));
    expect(problems.map(({ declaration }) => declaration)).toEqual(['apiKey "one"']);
  });
});
