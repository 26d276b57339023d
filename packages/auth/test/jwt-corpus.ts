import { createHmac, createPublicKey } from 'node:crypto';
import {
  encode,
  goodClaims,
  hmacToken,
  hs256,
  jwtSecret,
  nowSecs,
  pair,
  rs256,
  rsa,
  rsaToken,
} from './tokens.ts';

/** What comes of showing a token. */
export type Verdict = 'granted' | 'refused' | 'expired';

/** One form of token: what it is, its text, what comes of it. */
export type JwtCase = readonly [form: string, token: string, verdict: Verdict];

const good = hs256();
const [header = '', payload = '', signature = ''] = good.split('.');
const stranger = pair(2048);
const { sub, exp } = goodClaims;
const jwk = createPublicKey(stranger.publicPem).export({ format: 'jwk' });

/** Signed by a stranger, whose key the header offers. */
const ownKey = (offer: object): string =>
  rsaToken({ alg: 'RS256', typ: 'JWT', ...offer }, goodClaims, stranger.privatePem);

/** Forms judged by `jwt('JWT_SECRET')`: HS256, no audience, no issuer, 30 s of leeway. */
export const hmacCases: readonly JwtCase[] = [
  ['in order', good, 'granted'],

  // The signature and who chooses it.
  ['alg none, unsigned', `${encode({ alg: 'none' })}.${payload}.`, 'refused'],
  ['alg None', `${encode({ alg: 'None' })}.${payload}.`, 'refused'],
  ['alg NONE', `${encode({ alg: 'NONE' })}.${payload}.`, 'refused'],
  ['alg nOnE', `${encode({ alg: 'nOnE' })}.${payload}.`, 'refused'],
  [
    'alg none with the signature of a good token',
    `${encode({ alg: 'none' })}.${payload}.${signature}`,
    'refused',
  ],
  ['alg none, signed', hmacToken({ alg: 'none' }, goodClaims), 'refused'],
  ['no alg', hmacToken({ typ: 'JWT' }, goodClaims), 'refused'],
  ['alg empty', hmacToken({ alg: '' }, goodClaims), 'refused'],
  ['alg null', hmacToken({ alg: null }, goodClaims), 'refused'],
  ['alg as list', hmacToken({ alg: ['HS256'] }, goodClaims), 'refused'],
  ['alg in lower case', hmacToken({ alg: 'hs256' }, goodClaims), 'refused'],
  ['alg with a space', hmacToken({ alg: 'HS256 ' }, goodClaims), 'refused'],
  ['HS384 with the right secret', hmacToken({ alg: 'HS384' }, goodClaims, jwtSecret, 384), 'refused'],
  ['HS512 with the right secret', hmacToken({ alg: 'HS512' }, goodClaims, jwtSecret, 512), 'refused'],
  ['HS512 that says HS256', hmacToken({ alg: 'HS256' }, goodClaims, jwtSecret, 512), 'refused'],
  ['RS256 of a stranger', rsaToken({ alg: 'RS256' }, goodClaims, stranger.privatePem), 'refused'],
  ['the empty secret', `${header}.${payload}.${emptySecret(`${header}.${payload}`)}`, 'refused'],
  [
    'another secret',
    hmacToken({ alg: 'HS256' }, goodClaims, 'another-secret-of-forty-characters-01234'),
    'refused',
  ],
  ['the variable as secret', hmacToken({ alg: 'HS256' }, goodClaims, 'JWT_SECRET'), 'refused'],
  ['the start of the secret', hmacToken({ alg: 'HS256' }, goodClaims, jwtSecret.slice(0, -1)), 'refused'],
  ['ES256 with a signature of zeros', `${encode({ alg: 'ES256' })}.${payload}.${zeros(64)}`, 'refused'],
  ['HS256 with a signature of zeros', `${header}.${payload}.${zeros(32)}`, 'refused'],
  ['the signature stripped', `${header}.${payload}.`, 'refused'],
  ['signature and dot stripped', `${header}.${payload}`, 'refused'],
  ['the signature cut', good.slice(0, -1), 'refused'],
  ['the signature lengthened', `${good}A`, 'refused'],
  ['the signature padded', `${good}=`, 'refused'],
  ['the signature of another payload', `${header}.${encode({ sub: 'root', exp })}.${signature}`, 'refused'],
  ['the signature of another header', `${encode({ alg: 'HS256' })}.${payload}.${signature}`, 'refused'],

  // Headers that would choose a key, or want to be understood.
  ['kid', hs256({}, { kid: 'k1' }), 'granted'],
  ['kid that is a path', hs256({}, { kid: '../../../../dev/null' }), 'granted'],
  [
    'kid /dev/null with the empty secret',
    hmacToken({ alg: 'HS256', kid: '/dev/null' }, goodClaims, ''),
    'refused',
  ],
  [
    'kid that is SQL, with its secret',
    hmacToken({ alg: 'HS256', kid: "' UNION SELECT 'x' --" }, goodClaims, 'x'),
    'refused',
  ],
  ['jku beside the right secret', hs256({}, { jku: 'https://stranger.example/jwks.json' }), 'granted'],
  [
    'jwk that is a secret',
    hmacToken({ alg: 'HS256', jwk: { kty: 'oct', k: encode('x') } }, goodClaims, 'x'),
    'refused',
  ],
  ['jwk beside the right secret', hs256({}, { jwk }), 'granted'],
  ['crit that nobody knows', hs256({}, { crit: ['moon'], moon: 'full' }), 'refused'],
  ['crit of exp', hs256({}, { crit: ['exp'], exp }), 'refused'],
  ['crit b64, unencoded', hs256({}, { crit: ['b64'], b64: false }), 'refused'],
  ['crit empty', hs256({}, { crit: [] }), 'refused'],
  ['crit null', hs256({}, { crit: null }), 'refused'],
  ['typ of access tokens', hs256({}, { typ: 'at+jwt' }), 'granted'],
  ['typ in lower case', hs256({}, { typ: 'jwt' }), 'granted'],
  ['typ missing', hmacToken({ alg: 'HS256' }, goodClaims), 'granted'],
  ['typ a number', hs256({}, { typ: 7 }), 'granted'],

  // Its end.
  ['no exp', hs256({ exp: undefined }), 'refused'],
  ['exp as text', hs256({ exp: String(exp) }), 'refused'],
  ['exp null', hs256({ exp: null }), 'refused'],
  ['exp as list', hs256({ exp: [exp] }), 'refused'],
  ['exp true', hs256({ exp: true }), 'refused'],
  ['exp in milliseconds', hs256({ exp: exp * 1000 }), 'refused'],
  ['exp without end', hmacToken({ alg: 'HS256' }, `{"sub":"ada","exp":1e999}`), 'refused'],
  ['exp at the end of the year 9999', hs256({ exp: 253_402_300_799 }), 'granted'],
  ['exp a second after the year 9999', hs256({ exp: 253_402_300_800 }), 'refused'],
  ['exp with a fraction', hs256({ exp: nowSecs + 0.5 }), 'granted'],
  ['exp 29 seconds ago', hs256({ exp: nowSecs - 29 }), 'granted'],
  ['exp 30 seconds ago', hs256({ exp: nowSecs - 30 }), 'expired'],
  ['exp 31 seconds ago', hs256({ exp: nowSecs - 31 }), 'expired'],
  ['exp zero', hs256({ exp: 0 }), 'expired'],
  ['exp negative', hs256({ exp: -exp }), 'expired'],
  ['expired and of a wrong secret', hmacToken({ alg: 'HS256' }, { sub, exp: 1 }, 'x'.repeat(40)), 'refused'],
  ['expired and without sub', hs256({ exp: 1, sub: undefined }), 'refused'],

  // Its beginning.
  ['nbf in the past', hs256({ nbf: nowSecs - 1 }), 'granted'],
  ['nbf in 29 seconds', hs256({ nbf: nowSecs + 29 }), 'granted'],
  ['nbf in 30 seconds', hs256({ nbf: nowSecs + 30 }), 'granted'],
  ['nbf in 31 seconds', hs256({ nbf: nowSecs + 31 }), 'refused'],
  ['nbf as text', hs256({ nbf: String(nowSecs - 1) }), 'refused'],
  ['nbf null', hs256({ nbf: null }), 'refused'],
  ['nbf without end', hmacToken({ alg: 'HS256' }, `{"sub":"ada","exp":${exp},"nbf":1e999}`), 'refused'],
  ['iat in the future', hs256({ iat: nowSecs + 1000 }), 'granted'],

  // Audience and issuer, which nothing here asks for.
  ['an audience nobody asked for', hs256({ aud: 'elsewhere' }), 'granted'],
  ['an issuer nobody asked for', hs256({ iss: 'elsewhere' }), 'granted'],

  // Who.
  ['no sub', hs256({ sub: undefined }), 'refused'],
  ['sub empty', hs256({ sub: '' }), 'refused'],
  ['sub a number', hs256({ sub: 7 }), 'refused'],
  ['sub null', hs256({ sub: null }), 'refused'],
  ['sub as list', hs256({ sub: ['ada'] }), 'refused'],
  ['sub an object', hs256({ sub: { id: 'ada' } }), 'refused'],
  ['sub anonymous', hs256({ sub: 'anonymous' }), 'refused'],
  ['sub like anonymous', hs256({ sub: 'anonymous2' }), 'granted'],
  ['sub the id of an API key', hs256({ sub: 'operator' }), 'refused'],
  ['sub like the id of an API key', hs256({ sub: 'operator2' }), 'granted'],
  ['sub agent:', hs256({ sub: 'agent:guard' }), 'refused'],
  ['sub behaviour:', hs256({ sub: 'behaviour:triage' }), 'refused'],
  ['sub flow:', hs256({ sub: 'flow:intake' }), 'refused'],
  ['sub watcher:', hs256({ sub: 'watcher:door' }), 'refused'],
  ['sub a prefix alone', hs256({ sub: 'agent:' }), 'refused'],
  ['sub agent', hs256({ sub: 'agent' }), 'granted'],
  ['sub with another provider before', hs256({ sub: 'auth0|agent:x' }), 'granted'],
  ['sub in another alphabet', hs256({ sub: 'Ада 🦉' }), 'granted'],
  ['sub with a space before', hs256({ sub: ' ada' }), 'refused'],
  ['sub with a space behind', hs256({ sub: 'ada ' }), 'refused'],
  ['sub with a space of another width behind', hs256({ sub: 'ada\u3000' }), 'refused'],
  ['sub with a space within', hs256({ sub: 'ada lovelace' }), 'granted'],
  ['sub with a space of no width', hs256({ sub: 'ad\u200ba' }), 'refused'],
  ['sub that turns the direction', hs256({ sub: 'ada\u202egro' }), 'refused'],
  ['sub with a soft hyphen', hs256({ sub: 'ad\u00ada' }), 'refused'],
  ['sub with a letter that fills no place', hs256({ sub: 'ada\u3164' }), 'refused'],
  ['sub with a line separator', hs256({ sub: 'ada\u2028root' }), 'refused'],
  ['sub with a character that is none yet', hs256({ sub: 'ada\u0378' }), 'refused'],
  ['sub with an accent of its own', hs256({ sub: 'andre\u0301' }), 'refused'],
  ['sub with the same accent', hs256({ sub: 'andr\u00e9' }), 'granted'],
  ['sub with NUL', hs256({ sub: 'ada\u0000root' }), 'refused'],
  ['sub with a line break', hs256({ sub: 'ada\nroot' }), 'refused'],
  [
    'sub with half a surrogate pair',
    hmacToken({ alg: 'HS256' }, `{"sub":"ada\\ud800","exp":${exp}}`),
    'refused',
  ],
  [
    'sub that is no UTF-8',
    // One byte that begins nothing.
    signed(Buffer.from(`{"sub":"ada\u00ff","exp":${exp}}`, 'latin1').toString('base64url')),
    'refused',
  ],
  [
    'sub in the prototype',
    hmacToken({ alg: 'HS256' }, `{"__proto__":{"sub":"ada"},"exp":${exp}}`),
    'refused',
  ],
  [
    'sub twice, the last in order',
    hmacToken({ alg: 'HS256' }, `{"sub":"anonymous","exp":${exp},"sub":"ada"}`),
    'granted',
  ],
  [
    'sub twice, the last reserved',
    hmacToken({ alg: 'HS256' }, `{"sub":"ada","exp":${exp},"sub":"anonymous"}`),
    'refused',
  ],

  // The shape.
  ['empty', '', 'refused'],
  ['two dots and nothing else', '..', 'refused'],
  ['one dot', `${header}.${payload}`, 'refused'],
  ['four parts', `${good}.${signature}`, 'refused'],
  ['five parts, as encrypted tokens have', `${header}..${payload}.${signature}.${signature}`, 'refused'],
  ['an empty header', `.${payload}.${signature}`, 'refused'],
  ['an empty payload', `${header}..${signature}`, 'refused'],
  ['a header that is no JSON', hmacToken('{"alg":"HS256"', goodClaims), 'refused'],
  ['a header that is null', hmacToken('null', goodClaims), 'refused'],
  ['a header that is a list', hmacToken('["HS256"]', goodClaims), 'refused'],
  ['a payload that is no JSON', hmacToken({ alg: 'HS256', typ: 'JWT' }, '{"sub":"ada"'), 'refused'],
  ['a payload that is null', hmacToken({ alg: 'HS256', typ: 'JWT' }, 'null'), 'refused'],
  ['a payload that is a list', hmacToken({ alg: 'HS256', typ: 'JWT' }, [goodClaims]), 'refused'],
  ['a payload that is a number', hmacToken({ alg: 'HS256', typ: 'JWT' }, '7'), 'refused'],
  ['a payload that is text', hmacToken({ alg: 'HS256' }, 'ada'), 'refused'],
  ['a good token inside another', hmacToken({ alg: 'HS256', cty: 'JWT' }, good), 'refused'],
  ['a space inside', good.replace('.', ' .'), 'refused'],
  ['a line break at the end', `${good}\n`, 'refused'],
  ['a letter that is no base64url', `${header}.${payload}é.${signature}`, 'refused'],
  [
    'a payload in plain base64',
    signed(Buffer.from(JSON.stringify({ ...goodClaims, sub: '~~~???' })).toString('base64')),
    'refused',
  ],
  [
    'a payload with spaces and lines',
    hmacToken({ alg: 'HS256' }, JSON.stringify(goodClaims, null, 2)),
    'granted',
  ],
  ['8,192 characters', ofLength(8192), 'granted'],
  ['8,193 characters', ofLength(8193), 'refused'],
  ['a megabyte', `${header}.${'A'.repeat(1 << 20)}.${signature}`, 'refused'],
];

/** Forms judged by `jwt('JWT_PEM', { algorithm: 'RS256' })`. */
export const rsaCases: readonly JwtCase[] = [
  ['in order', rs256(), 'granted'],
  ['HS256 with the public PEM as secret', hmacToken({ alg: 'HS256' }, goodClaims, rsa.publicPem), 'refused'],
  [
    'HS256 with the PEM without its last line break',
    hmacToken({ alg: 'HS256' }, goodClaims, rsa.publicPem.trim()),
    'refused',
  ],
  ['HS256 signed, RS256 said', hmacToken({ alg: 'RS256' }, goodClaims, rsa.publicPem), 'refused'],
  ['RS384 of the right key', rsaToken({ alg: 'RS384' }, goodClaims, rsa.privatePem, 384), 'refused'],
  ['PS256 said', rsaToken({ alg: 'PS256' }, goodClaims), 'refused'],
  ['alg none', `${encode({ alg: 'none' })}.${encode(goodClaims)}.`, 'refused'],
  ['a stranger', rsaToken({ alg: 'RS256' }, goodClaims, stranger.privatePem), 'refused'],
  ['a stranger with kid', ownKey({ kid: 'k1' }), 'refused'],
  ['a stranger with jwk', ownKey({ jwk }), 'refused'],
  ['a stranger with jku', ownKey({ jku: 'https://stranger.example/jwks.json' }), 'refused'],
  ['a stranger with x5u', ownKey({ x5u: 'https://stranger.example/chain.pem' }), 'refused'],
  ['a stranger with x5c', ownKey({ x5c: [stranger.publicPem.replaceAll(/-.*-|\n/g, '')] }), 'refused'],
  ['a signature of zeros', `${encode({ alg: 'RS256' })}.${encode(goodClaims)}.${zeros(256)}`, 'refused'],
  ['no signature', `${rs256().split('.').slice(0, 2).join('.')}.`, 'refused'],
  ['expired', rs256({ exp: nowSecs - 30 }), 'expired'],
];

/** Forms judged by a declaration with the audience `tickets` and the issuer `https://issuer.example`. */
export const audienceCases: readonly JwtCase[] = [
  ['both right', hs256({ aud: 'tickets', iss: 'https://issuer.example' }), 'granted'],
  [
    'a list with the audience',
    hs256({ aud: ['other', 'tickets'], iss: 'https://issuer.example' }),
    'granted',
  ],
  ['a list without the audience', hs256({ aud: ['other'], iss: 'https://issuer.example' }), 'refused'],
  ['an empty list', hs256({ aud: [], iss: 'https://issuer.example' }), 'refused'],
  ['another audience', hs256({ aud: 'other', iss: 'https://issuer.example' }), 'refused'],
  ['the start of the audience', hs256({ aud: 'ticket', iss: 'https://issuer.example' }), 'refused'],
  ['another case', hs256({ aud: 'Tickets', iss: 'https://issuer.example' }), 'refused'],
  ['no audience', hs256({ iss: 'https://issuer.example' }), 'refused'],
  [
    'an audience that is an object',
    hs256({ aud: { tickets: true }, iss: 'https://issuer.example' }),
    'refused',
  ],
  ['a list in a list', hs256({ aud: [['tickets']], iss: 'https://issuer.example' }), 'refused'],
  ['another issuer', hs256({ aud: 'tickets', iss: 'https://issuer.example/' }), 'refused'],
  ['a list of issuers', hs256({ aud: 'tickets', iss: ['https://issuer.example'] }), 'refused'],
  ['no issuer', hs256({ aud: 'tickets' }), 'refused'],
  [
    'expired and of another audience',
    hs256({ aud: 'other', iss: 'https://issuer.example', exp: 1 }),
    'refused',
  ],
];

/** What the claims give: all granted, with these scopes. */
export const scopeCases: readonly (readonly [
  form: string,
  claims: Readonly<Record<string, unknown>>,
  scopes: readonly string[],
])[] = [
  ['neither claim', {}, []],
  ['one scope', { scope: 'a:read' }, ['a:read']],
  ['several', { scope: 'a:read b:write' }, ['a:read', 'b:write']],
  ['several spaces', { scope: '  a:read   b:write ' }, ['a:read', 'b:write']],
  ['an empty text', { scope: '' }, []],
  ['scope as list', { scope: ['a:read'] }, []],
  ['scope as object', { scope: { 'a:read': true } }, []],
  ['scope a number', { scope: 7 }, []],
  ['scope null', { scope: null }, []],
  ['scope true', { scope: true }, []],
  ['commas, which separate nothing', { scope: 'a:read,b:write' }, ['a:read,b:write']],
  ['tabs, which separate nothing', { scope: 'a:read\tb:write' }, ['a:read\tb:write']],
  ['a list', { scopes: ['a:read', 'b:write'] }, ['a:read', 'b:write']],
  ['an empty list', { scopes: [] }, []],
  ['an empty scope in the list', { scopes: ['', 'a:read'] }, ['a:read']],
  ['scopes as text', { scopes: 'a:read b:write' }, []],
  ['scopes mixed', { scopes: ['a:read', 7] }, []],
  ['scopes nested', { scopes: [['a:read']] }, []],
  ['scopes as object', { scopes: { 0: 'a:read', length: 1 } }, []],
  ['scopes null', { scopes: null }, []],
  ['a space in the list, which separates nothing', { scopes: ['a:read b:write'] }, ['a:read b:write']],
  ['both claims', { scope: 'a:read', scopes: ['b:write'] }, ['a:read', 'b:write']],
  ['the same twice', { scope: 'a:read a:read', scopes: ['a:read'] }, ['a:read']],
  ['one claim good, one not', { scope: 7, scopes: ['b:write'] }, ['b:write']],
  ['a wildcard, which is a word like any other', { scope: '*' }, ['*']],
  ['claims of other names', { scp: 'a:read', roles: ['a:read'], permissions: ['a:read'] }, []],
];

function emptySecret(signed: string): string {
  return createHmac('sha256', '').update(signed).digest('base64url');
}

function zeros(bytes: number): string {
  return Buffer.alloc(bytes).toString('base64url');
}

/** A token with this payload as it is, encoded or not. */
function signed(encoded: string): string {
  const text = `${header}.${encoded}`;
  return `${text}.${createHmac('sha256', jwtSecret).update(text).digest('base64url')}`;
}

/** A token of exactly this length; base64 grows by 4 letters for 3, so that the header is tried as well. */
function ofLength(length: number): string {
  for (let pad = length - 1000; pad < length; pad++)
    for (const kid of ['', '1', '12']) {
      const token = hs256({ pad: 'x'.repeat(Math.floor((pad * 3) / 4)) }, { kid });
      if (token.length === length) return token;
    }
  throw new Error(`no token has ${length} characters`);
}
