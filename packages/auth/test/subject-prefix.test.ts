import { apiKey, checkCredentials, createAuthenticate, type JwtDeclaration, jwt } from '@waymark/auth';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { environment, operatorSecret } from './declare.ts';
import { issued, issuerKey, plainOutbound, startIssuer } from './issuer.ts';
import { hmacToken, hs256, jwtSecret, nowSecs } from './tokens.ts';

const partnerSecret = 'partner-secret-of-forty-characters-01234';
const env = environment({ JWT_SECRET: jwtSecret, PARTNER: partnerSecret, KEY: operatorSecret });
const now = (): number => nowSecs * 1000;
const partners = { issuer: 'partner' };

/** The codes of the rules that declarations break together. */
const codesOf = (...declarations: readonly JwtDeclaration[]): readonly unknown[] =>
  checkCredentials(declarations, env).map(({ code }) => code);

/** Who a token is taken for, by id and by the root that rows belong to. */
async function who(
  authenticate: ReturnType<typeof createAuthenticate>,
  token: string,
): Promise<readonly string[]> {
  const answer = await authenticate({ headers: { authorization: `Bearer ${token}` } });
  return answer.ok ? [answer.principal.id, answer.principal.rootId] : [];
}

const partnerToken = (sub: string): string =>
  hmacToken({ alg: 'HS256' }, { sub, exp: nowSecs + 3600, iss: 'partner' }, partnerSecret);

describe('two issuers', () => {
  const house = jwt('JWT_SECRET');
  const partner = jwt('PARTNER', { ...partners, subjectPrefix: 'partner:' });

  it('have two people of one subject, whichever kind they are', async () => {
    verifies('authority.jwt.prefix');
    const key = await issuerKey('one');
    const issuer = await startIssuer();
    issuer.publish(key);
    const published = jwt({ issuer: issuer.url, audience: 'desk', subjectPrefix: 'web|' });
    const authenticate = createAuthenticate([house, partner, published], env, {
      now,
      outbound: plainOutbound,
    });
    expect(await who(authenticate, hs256())).toEqual(['ada', 'ada']);
    expect(await who(authenticate, partnerToken('ada'))).toEqual(['partner:ada', 'partner:ada']);
    const token = await issued(issuer, key);
    expect(await who(authenticate, token)).toEqual(['web|ada', 'web|ada']);
  });

  it.each([
    [house, partner],
    [partner, house],
  ])('cannot name people of each other', async (...both) => {
    verifies('authority.jwt.prefix');
    const authenticate = createAuthenticate(both, env, { now });
    expect(await who(authenticate, hs256({ sub: 'partner:ada' }))).toEqual([]);
    expect(await who(authenticate, hs256({ sub: 'partner' }))).toEqual(['partner', 'partner']);
    const longer = jwt('PARTNER', { ...partners, subjectPrefix: 'partner:eu:' });
    const nested = [jwt('JWT_SECRET', { subjectPrefix: 'partner:' }), longer];
    const third = createAuthenticate(nested, env, { now });
    expect(await who(third, hs256({ sub: 'eu:ada' }))).toEqual([]);
    expect(await who(third, partnerToken('ada'))).toEqual(['partner:eu:ada', 'partner:eu:ada']);
  });

  it('hold what an id may be against all of it, and a subject by itself as well', async () => {
    verifies('authority.jwt.prefix', 'authority.identity.sub-collision');
    const authenticate = createAuthenticate([apiKey('KEY', 'partner:shop'), house, partner], env, { now });
    for (const sub of ['shop', '', ' ada', 'ad\u200ba'])
      expect(await who(authenticate, partnerToken(sub))).toEqual([]);
    expect(await who(authenticate, partnerToken('anonymous'))).toEqual([
      'partner:anonymous',
      'partner:anonymous',
    ]);
    const colon = jwt('PARTNER', { ...partners, subjectPrefix: '!agent:' });
    expect(await who(createAuthenticate([colon], env, { now }), partnerToken('x'))).toHaveLength(2);
  });

  it('keep their sessions apart, also those from before there was a prefix', async () => {
    verifies('authority.jwt.prefix');
    const start = (...declarations: readonly JwtDeclaration[]) => {
      const { sessions } = createAuthenticate(declarations, env, { now });
      if (!sessions) throw new Error('none');
      return sessions;
    };
    const open = async (sessions: ReturnType<typeof start>, token: string): Promise<string> => {
      const session = await sessions.open({ headers: { authorization: `Bearer ${token}` } });
      if (!session.ok) throw session.error;
      return session.value;
    };
    const both = start(house, partner);
    const value = await open(both, partnerToken('ada'));
    expect(start(house, partner).read(value)?.principal).toMatchObject({
      ...{ id: 'partner:ada', rootId: 'partner:ada', issuer: 'partner' },
    });
    // Without the prefix it is nobody's, and neither is one from before it of those who have it now.
    const before = start(jwt('PARTNER', partners));
    expect(before.read(value)).toBeUndefined();
    expect(both.read(await open(before, partnerToken('ada')))).toBeUndefined();
    const foreign = await open(start(house), hs256({ sub: 'partner:ada' }));
    expect(both.read(foreign)).toBeUndefined();
    expect(both.read(await open(start(house), hs256()))?.principal.id).toBe('ada');
  });
});

describe('checkCredentials on the subjects of several issuers', () => {
  const at = { declaredAt: 'src/app.ts:3' };

  it('refuses those that would be one person, and says where the other is declared', () => {
    verifies('authority.jwt.prefix.boot');
    const problems = checkCredentials([jwt('JWT_SECRET', at), jwt('PARTNER', partners)], env);
    expect(problems).toMatchObject([{ code: 'jwt-same-subjects', declaration: 'jwt "PARTNER"' }]);
    expect(problems[0]?.rule).toContain('src/app.ts:3');
    const issuer = 'https://login.example.com';
    expect(codesOf(jwt('JWT_SECRET'), jwt({ issuer, audience: 'x' }))).toEqual(['jwt-same-subjects']);
    expect(codesOf(jwt('JWT_SECRET', { issuer: 'house' }), jwt('PARTNER', partners))).toHaveLength(1);
    const same = { subjectPrefix: 'p:' };
    expect(codesOf(jwt('JWT_SECRET', { subjectPrefix: '' }), jwt('PARTNER', partners))).toHaveLength(1);
    expect(
      codesOf(
        jwt('JWT_SECRET', same),
        jwt('PARTNER', { ...partners, ...same }),
        jwt('JWT_SECRET', { issuer: 'c' }),
      ),
    ).toEqual([]);
  });

  it('asks nothing of one issuer, and takes the word of who says that they know the same people', () => {
    verifies('authority.jwt.prefix.boot');
    expect(codesOf(jwt('JWT_SECRET'), jwt('PARTNER'))).toEqual([]);
    expect(codesOf(jwt('JWT_SECRET', partners), jwt('PARTNER', partners))).toEqual([]);
    for (const subjectPrefix of ['', 'people:'])
      expect(
        codesOf(jwt('JWT_SECRET', { subjectPrefix }), jwt('PARTNER', { ...partners, subjectPrefix })),
      ).toEqual([]);
  });

  it.each(['', ':', 'partner:', `${'a'.repeat(30)}:`, `${'a'.repeat(31)}:`, 'anonymous:', 'a-b/'])(
    'takes the prefix %j',
    (subjectPrefix) => {
      expect(codesOf(jwt('JWT_SECRET', { subjectPrefix }))).toEqual([]);
    },
  );

  it.each([
    ...[
      'partner',
      `${'a'.repeat(32)}:`,
      'part ner:',
      'partner: ',
      'é:',
      'a\u200b:',
      'a\u2013',
      'a\n:',
      ':\n',
    ],
    ...['agent:', 'agent:x:', 'behaviour:', 'flow:', 'watcher:', null, 7, ['a:']],
  ])('refuses the prefix %j', (subjectPrefix) => {
    verifies('authority.jwt.prefix.boot');
    expect(codesOf(jwt('JWT_SECRET', { subjectPrefix: subjectPrefix as string }))).toEqual([
      'jwt-subject-prefix',
    ]);
  });
});
