import { createHash } from 'node:crypto';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { readChallenges } from '../../src/pull/challenges.ts';
import { DigestLogin, isKnownDigest } from '../../src/pull/digest.ts';
import { SignIn } from '../../src/pull/sign-in.ts';

const login = { username: 'Mufasa', password: 'Circle of Life' };
const request = { method: 'GET', target: '/dir/index.html' };

/** The challenge of RFC 7616, 3.9.1. */
function challenge(algorithm: string): string {
  return `Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=${algorithm}, nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"`;
}

function members(text: string): Readonly<Record<string, string>> {
  return readChallenges(text)[0]?.parameters ?? {};
}

describe('readChallenges', () => {
  it.each([
    ['Basic realm="a, b=c", charset="UTF-8"', [['basic', { realm: 'a, b=c', charset: 'UTF-8' }]]],
    ['Basic', [['basic', {}]]],
    [
      'NTLM, Basic realm=x',
      [
        ['ntlm', {}],
        ['basic', { realm: 'x' }],
      ],
    ],
    ['Digest realm="a\\"b", nonce=n,qop=auth', [['digest', { realm: 'a"b', nonce: 'n', qop: 'auth' }]]],
    [
      'Basic realm="1", Digest realm="2", nonce="3", Digest nonce="4"',
      [
        ['basic', { realm: '1' }],
        ['digest', { realm: '2', nonce: '3' }],
        ['digest', { nonce: '4' }],
      ],
    ],
    ['', []],
    ['=,=', []],
    [`Basic realm="${'x'.repeat(9_000)}"`, []],
  ])('reads %s', (text, expected) => {
    verifies('hub.pull.login');
    expect(readChallenges(text).map(({ scheme, parameters }) => [scheme, parameters])).toEqual(expected);
  });

  it('takes a bounded time for whatever comes', () => {
    const startMs = performance.now();
    for (const text of ['a '.repeat(4_000), 'a="'.repeat(2_700), 'a=b,'.repeat(2_000), '"'.repeat(8_000)])
      readChallenges(text);
    expect(performance.now() - startMs).toBeLessThan(300);
  });
});

describe('DigestLogin', () => {
  it.each(['MD5', 'SHA-256', 'MD5-sess', 'SHA-256-sess', 'SHA-512-256'])('answers %s', (algorithm) => {
    verifies('hub.pull.login');
    const [offer] = readChallenges(challenge(algorithm));
    expect(offer && isKnownDigest(offer)).toBe(true);
    if (!offer) return;
    const digest = new DigestLogin(login, offer);
    const name = algorithm
      .replace(/-sess$/, '')
      .toLowerCase()
      .replace('sha-256', 'sha256');
    const hash = (text: string): string =>
      createHash(name === 'sha-512-256' ? 'sha512-256' : name)
        .update(text)
        .digest('hex');
    for (const nc of ['00000001', '00000002']) {
      const sent = members(digest.authorization(request));
      const secret = hash('Mufasa:http-auth@example.org:Circle of Life');
      const first = algorithm.endsWith('-sess')
        ? hash(`${secret}:${sent['nonce']}:${sent['cnonce']}`)
        : secret;
      const second = hash('GET:/dir/index.html');
      expect(sent).toMatchObject({
        ...{ username: 'Mufasa', uri: '/dir/index.html', qop: 'auth', nc, algorithm },
        opaque: 'FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS',
        response: hash(`${first}:${sent['nonce']}:${nc}:${sent['cnonce']}:auth:${second}`),
      });
    }
  });

  it('answers cameras that know no qop, as RFC 2069 has it', () => {
    verifies('hub.pull.login');
    const [offer] = readChallenges(
      'Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093"',
    );
    if (!offer) throw new Error('no challenge');
    const sent = members(
      new DigestLogin({ username: 'Mufasa', password: 'CircleOfLife' }, offer).authorization(request),
    );
    // The example of RFC 2069 as its errata have it.
    expect(sent['response']).toBe('1949323746fe6a43ef61f9606e7febea');
    expect(Object.keys(sent)).not.toContain('qop');
  });

  it('hashes names in other alphabets by the bytes that are on the wire', () => {
    verifies('hub.pull.login');
    const onTheWire = (text: string): string => Buffer.from(text).toString('latin1');
    for (const realm of [onTheWire('Kamera für Gäste'), 'Kamera f\u00fcr G\u00e4ste']) {
      const [offer] = readChallenges(`Digest realm="${realm}", nonce="n"`);
      if (!offer) throw new Error('no challenge');
      const sent = members(
        new DigestLogin({ username: 'jürgen', password: 'geheim€' }, offer).authorization(request),
      );
      const hash = (text: string): string => createHash('md5').update(text, 'latin1').digest('hex');
      const secret = hash(`${onTheWire('jürgen')}:${realm}:${onTheWire('geheim€')}`);
      expect(sent).toMatchObject({ username: onTheWire('jürgen'), realm });
      expect(sent['response']).toBe(hash(`${secret}:n:${hash('GET:/dir/index.html')}`));
    }
  });

  it('is not tried where it cannot be answered', () => {
    for (const text of [
      'Digest realm="a"',
      'Digest realm="a", nonce="b", qop="auth-int"',
      'Digest realm="a", nonce="b", algorithm=toString',
      'Digest realm="a", nonce="b", algorithm=constructor',
      'Digest realm="a", nonce="b", algorithm=__proto__-sess',
      'Digest realm="a", nonce="b\u0001"',
      'Digest realm="a\u0100", nonce="b"',
      'Digest realm="a", nonce="b", algorithm=SHA-1',
    ])
      expect(readChallenges(text).some(isKnownDigest)).toBe(false);
  });
});

describe('SignIn', () => {
  it('prefers the strongest digest, then another, then plain text', () => {
    verifies('hub.pull.login');
    const md5 = challenge('MD5');
    const sha = challenge('SHA-256');
    const answers = [`Basic realm="a", ${md5}, ${sha}`, `Basic realm="a", ${md5}`, 'Basic realm="a"'].map(
      (text) => {
        const signIn = new SignIn(login);
        expect(signIn.authorization(request)).toBeUndefined();
        expect(signIn.challenged(text)).toBe(true);
        return signIn.authorization(request)?.match(/^Basic|algorithm=[^,]+/)?.[0];
      },
    );
    expect(answers).toEqual(['algorithm=SHA-256', 'algorithm=MD5', 'Basic']);
    expect(new SignIn(login).challenged('Negotiate, Bearer realm="a"')).toBe(false);
  });

  it('sends no password in plain text to a camera that has offered digest before', () => {
    verifies('hub.pull.login');
    const signIn = new SignIn(login);
    expect(signIn.challenged(challenge('MD5'))).toBe(true);
    expect(signIn.challenged('Basic realm="a"')).toBe(false);
    expect(signIn.authorization(request)).toBeUndefined();
    expect(signIn.challenged(challenge('SHA-256'))).toBe(true);
  });
});
