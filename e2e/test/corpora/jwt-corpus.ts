import { createPublicKey } from 'node:crypto';
import {
  encode,
  goodClaims,
  hmacToken,
  hs256,
  jwtSecret,
  rsa,
  rsaToken,
  stranger,
  ticketsSecret,
} from './sign.ts';

/** What comes of a token; the ended one is told so, and `oversized` does not even fit a request. */
export type Verdict = 'granted' | 'refused' | 'expired' | 'oversized';

/** One form of token. */
export type JwtCase = readonly [form: string, token: string, verdict: Verdict];

/** Now, for those who end or begin about now: another test file may have loaded `goodClaims` minutes ago. */
const nowSecs = Math.floor(Date.now() / 1000);
const good = hs256();
const [header = '', payload = '', signature = ''] = good.split('.');
const { exp } = goodClaims;
const jwk = createPublicKey(stranger.publicPem).export({ format: 'jwk' });
const zeros = (bytes: number): string => Buffer.alloc(bytes).toString('base64url');
const tickets = (claims: object, secret = ticketsSecret): string =>
  hmacToken({ alg: 'HS256' }, { ...goodClaims, ...claims }, secret);
const issuer = 'https://issuer.example';

/**
 * Forms of token for a server that takes HS256, RS256, and HS256 of an issuer with an audience. Times keep ten seconds
 * from their limits, since the clock is the real one.
 */
export const jwtCases: readonly JwtCase[] = [
  // Good ones.
  ['in order', good, 'granted'],
  ['of the issuer with an RSA key', rsaToken({ alg: 'RS256' }, goodClaims), 'granted'],
  ['with its audience and issuer', tickets({ aud: 'tickets', iss: issuer }), 'granted'],
  ['with its audience in a list', tickets({ aud: ['other', 'tickets'], iss: issuer }), 'granted'],
  ['ended 10 seconds ago', hs256({ exp: nowSecs - 10 }), 'granted'],
  ['beginning in 10 seconds', hs256({ nbf: nowSecs + 10 }), 'granted'],
  ['with kid', hs256({}, { kid: '../../dev/null' }), 'granted'],
  ['with a scope list', hs256({ scope: undefined, scopes: ['notes:read'] }), 'granted'],
  ['8,192 characters long', ofLength(8192), 'granted'],

  // The signature and who chooses it.
  ['alg none, unsigned', `${encode({ alg: 'none' })}.${payload}.`, 'refused'],
  ['alg nOnE', `${encode({ alg: 'nOnE' })}.${payload}.`, 'refused'],
  ['alg none with a good signature', `${encode({ alg: 'none' })}.${payload}.${signature}`, 'refused'],
  ['no alg', hmacToken({ typ: 'JWT' }, goodClaims), 'refused'],
  ['alg as list', hmacToken({ alg: ['HS256'] }, goodClaims), 'refused'],
  ['HS384 with the right secret', hmacToken({ alg: 'HS384' }, goodClaims, jwtSecret, 384), 'refused'],
  ['HS512 with the right secret', hmacToken({ alg: 'HS512' }, goodClaims, jwtSecret, 512), 'refused'],
  ['HS256 with the public PEM as secret', hmacToken({ alg: 'HS256' }, goodClaims, rsa.publicPem), 'refused'],
  [
    'the same without its last line break',
    hmacToken({ alg: 'HS256' }, goodClaims, rsa.publicPem.trim()),
    'refused',
  ],
  ['RS384 of the right key', rsaToken({ alg: 'RS384' }, goodClaims, rsa.privatePem, 384), 'refused'],
  ['RS256 of a stranger', rsaToken({ alg: 'RS256' }, goodClaims, stranger.privatePem), 'refused'],
  ['a stranger with jwk', rsaToken({ alg: 'RS256', jwk }, goodClaims, stranger.privatePem), 'refused'],
  [
    'a stranger with jku',
    rsaToken({ alg: 'RS256', jku: 'https://stranger.example/jwks.json' }, goodClaims, stranger.privatePem),
    'refused',
  ],
  ['the empty secret', hmacToken({ alg: 'HS256' }, goodClaims, ''), 'refused'],
  [
    'another secret',
    hmacToken({ alg: 'HS256' }, goodClaims, 'another-secret-of-forty-characters-01234'),
    'refused',
  ],
  ['the name of the variable as secret', hmacToken({ alg: 'HS256' }, goodClaims, 'JWT_SECRET'), 'refused'],
  ['a signature of zeros', `${header}.${payload}.${zeros(32)}`, 'refused'],
  ['the signature stripped', `${header}.${payload}.`, 'refused'],
  ['signature and dot stripped', `${header}.${payload}`, 'refused'],
  ['the signature cut', good.slice(0, -1), 'refused'],
  ['the signature lengthened', `${good}A`, 'refused'],
  ['the signature of another payload', `${header}.${encode({ sub: 'root', exp })}.${signature}`, 'refused'],
  ['crit that nobody knows', hs256({}, { crit: ['moon'], moon: 'full' }), 'refused'],

  // Its times.
  ['no exp', hs256({ exp: undefined }), 'refused'],
  ['exp as text', hs256({ exp: String(exp) }), 'refused'],
  ['exp in milliseconds', hs256({ exp: exp * 1000 }), 'refused'],
  ['exp without end', hmacToken({ alg: 'HS256' }, `{"sub":"ada","exp":1e999}`), 'refused'],
  ['ended 40 seconds ago', hs256({ exp: nowSecs - 40 }), 'expired'],
  ['ended long ago', hs256({ exp: 0 }), 'expired'],
  [
    'ended and of a wrong secret',
    hmacToken({ alg: 'HS256' }, { ...goodClaims, exp: 1 }, 'x'.repeat(40)),
    'refused',
  ],
  ['beginning in two minutes', hs256({ nbf: nowSecs + 120 }), 'refused'],
  ['nbf as text', hs256({ nbf: String(nowSecs - 1) }), 'refused'],

  // Audience and issuer.
  ['another audience', tickets({ aud: 'other', iss: issuer }), 'refused'],
  ['no audience', tickets({ iss: issuer }), 'refused'],
  ['another issuer', tickets({ aud: 'tickets', iss: `${issuer}/` }), 'refused'],
  ['no issuer', tickets({ aud: 'tickets' }), 'refused'],

  // Who.
  ['no sub', hs256({ sub: undefined }), 'refused'],
  ['sub empty', hs256({ sub: '' }), 'refused'],
  ['sub a number', hs256({ sub: 7 }), 'refused'],
  ['sub anonymous', hs256({ sub: 'anonymous' }), 'refused'],
  ['sub the id of an API key', hs256({ sub: 'operator' }), 'refused'],
  ['sub agent:', hs256({ sub: 'agent:guard' }), 'refused'],
  ['sub behaviour:', hs256({ sub: 'behaviour:triage' }), 'refused'],
  ['sub flow:', hs256({ sub: 'flow:intake' }), 'refused'],
  ['sub watcher:', hs256({ sub: 'watcher:door' }), 'refused'],
  ['sub with a line break', hs256({ sub: 'ada\nroot' }), 'refused'],

  // The shape.
  ['empty', '', 'refused'],
  ['two dots', '..', 'refused'],
  ['four parts', `${good}.${signature}`, 'refused'],
  ['an empty payload', `${header}..${signature}`, 'refused'],
  ['a payload that is no JSON', hmacToken({ alg: 'HS256' }, '{"sub":"ada"'), 'refused'],
  ['a payload that is a list', hmacToken({ alg: 'HS256' }, [goodClaims]), 'refused'],
  ['a good token inside another', hmacToken({ alg: 'HS256', cty: 'JWT' }, good), 'refused'],
  ['a space inside', good.replace('.', ' .'), 'refused'],
  ['a letter that is no base64url', `${header}.${payload}é.${signature}`, 'refused'],
  ['8,193 characters long', ofLength(8193), 'refused'],
  ['longer than headers may be', `${header}.${'A'.repeat(20_000)}.${signature}`, 'oversized'],
];

/** A token of exactly this length; base64 grows by 4 letters for 3, so that the header is tried as well. */
function ofLength(length: number): string {
  for (let pad = length - 1000; pad < length; pad++)
    for (const kid of ['', '1', '12']) {
      const token = hs256({ pad: 'x'.repeat(Math.floor((pad * 3) / 4)) }, { kid });
      if (token.length === length) return token;
    }
  throw new Error(`no token has ${length} characters`);
}
