import { es256, goodClaims, hmacToken, hs256, nowSecs } from '../corpora/sign.ts';
import type { Header } from '../wire/connection.ts';
import { audience, keys, type MatrixDesk } from './desk.ts';
import type { Row } from './rows.ts';

/** Somebody who knocks: what they show, and what that is worth. */
export interface Caller {
  readonly name: string;
  readonly headers: readonly Header[];
  /** What is shown in the query, which counts for upgrades alone, and what that is worth there. */
  readonly inQuery?: { readonly token: string; readonly scopes: readonly string[] };
  /** Whose cookie is shown, which never counts for MCP. `marked`: a browser says that a page of the application sends it. */
  readonly session?: { readonly scopes: readonly string[]; readonly marked: boolean };
  /** `wrong`: what is shown is no credential. `none`: nothing is shown. */
  readonly credential: 'right' | 'wrong' | 'none';
  readonly scopes: readonly string[];
}

const key = (secret: string): Header => ['x-api-key', secret];
const bearer = (token: string): Header => ['authorization', `Bearer ${token}`];
const word = (scopes: readonly string[]): string => scopes.join(' ');

/** Of a secret we share; `sub` is the name. */
function token(name: string, scopes: readonly string[]): Caller {
  const shown = hs256({ sub: `token of ${name}`, aud: audience, scope: word(scopes) });
  return { name: `token: ${name}`, headers: [bearer(shown)], credential: 'right', scopes };
}

/** With the published keys of the issuer. */
function issued(name: string, scopes: readonly string[], { issuer }: MatrixDesk): Caller {
  const shown = es256.token({ ...goodClaims, sub: name, iss: issuer, aud: audience, scope: word(scopes) });
  return { name: `issued: ${name}`, headers: [bearer(shown)], credential: 'right', scopes };
}

/** Whom every row meets. @param all every scope there is */
export function everybody(desk: MatrixDesk, all: readonly string[]): readonly Caller[] {
  return [
    { name: 'anonymous', headers: [], credential: 'none', scopes: [] },
    ...keyHolders,
    ...sessionHolders(desk),
    ...wrongOnes(desk, word(all)),
    token('no scope', []),
    token('every scope', all),
    // Spelt to tempt: none of these is one of them.
    token('wildcards', ['*', ...all.map((scope) => scope.replace(/:.*/, ':*'))]),
    token(
      'prefixes',
      all.flatMap((scope) => [scope.slice(0, -1), `${scope}s`, scope.replace(/:.*/, '')]),
    ),
    token(
      'capitals',
      all.map((scope) => scope.toUpperCase()),
    ),
    issued('no scope', [], desk),
    issued('every scope', all, desk),
  ];
}

/** Whom a row meets for its own sake: who holds exactly what it needs, and for each of that, who holds all but it. */
export function justEnough(needed: readonly string[], all: readonly string[]): readonly Caller[] {
  if (needed.length === 0) return [];
  return [
    token(`exactly ${word(needed)}`, needed),
    ...needed.map((one) =>
      token(
        `all but ${one}`,
        all.filter((scope) => scope !== one),
      ),
    ),
  ];
}

/** Every scope that some row needs. */
export function scopesOf(rows: readonly Row[]): readonly string[] {
  return [...new Set(['svc:admin', ...rows.flatMap(({ scopes }) => scopes)])].toSorted();
}

const operator = [
  'svc:admin',
  'tickets:read',
  'tickets:write',
  'tickets:purge',
  'devices:read',
  'devices:ingest',
];

const keyHolders: readonly Caller[] = [
  { name: 'operator', headers: [key(keys.OPERATOR_KEY)], credential: 'right', scopes: operator },
  { name: 'device', headers: [key(keys.DEVICE_KEY)], credential: 'right', scopes: ['devices:ingest'] },
  {
    name: 'reader',
    headers: [key(keys.READER_KEY)],
    credential: 'right',
    scopes: ['tickets:read', 'devices:read'],
  },
  { name: 'bot, as bearer', headers: [bearer(keys.BOT_KEY)], credential: 'right', scopes: ['tickets:read'] },
  {
    name: 'operator, in the query',
    headers: [],
    inQuery: { token: keys.OPERATOR_KEY, scopes: operator },
    credential: 'none',
    scopes: [],
  },
];

/** Browsers that have signed in, and some that have not. */
function sessionHolders({ cookies }: MatrixDesk): readonly Caller[] {
  const nobody = { credential: 'none', scopes: [] } as const;
  const own: Header = ['sec-fetch-site', 'same-origin'];
  const read = ['tickets:read'];
  return [
    {
      ...{ name: 'session of the operator', ...nobody, headers: [['cookie', cookies.operator], own] },
      session: { scopes: operator, marked: true },
    },
    {
      ...{ name: 'session of the operator, unmarked', ...nobody, headers: [['cookie', cookies.operator]] },
      session: { scopes: operator, marked: false },
    },
    {
      ...{ name: 'session of a token', ...nobody, headers: [['cookie', cookies.token], own] },
      session: { scopes: read, marked: true },
    },
    {
      name: 'session that was changed',
      ...nobody,
      headers: [['cookie', cookies.operator.slice(0, -1)], own],
    },
    { name: 'session that has ended', ...nobody, headers: [['cookie', cookies.ended], own] },
  ];
}

/** Each would be let in everywhere but for the one thing that is wrong with it. */
function wrongOnes({ issuer }: MatrixDesk, scope: string): readonly Caller[] {
  const claims = { ...goodClaims, aud: audience, scope };
  const own = (changed: object): Header => bearer(hs256({ ...claims, ...changed }));
  const theirs = (changed: object): Header => bearer(es256.token({ ...claims, iss: issuer, ...changed }));
  const shown: Readonly<Record<string, readonly Header[]>> = {
    'unknown key': [key('nobody-has-this-secret')],
    'empty key': [key('')],
    'beginning of a key': [key(keys.OPERATOR_KEY.slice(0, -1))],
    'two keys': [key(keys.OPERATOR_KEY), key(keys.OPERATOR_KEY)],
    'key as bearer': [bearer(keys.OPERATOR_KEY)],
    'key beside a wrong bearer': [key(keys.OPERATOR_KEY), bearer('nothing')],
    'expired token': [own({ exp: nowSecs - 60 })],
    'token of tomorrow': [own({ nbf: nowSecs + 86_400 })],
    'token for others': [own({ aud: 'another desk' })],
    'token without audience': [own({ aud: undefined })],
    'token without end': [own({ exp: undefined })],
    'token named as a key': [own({ sub: 'operator' })],
    'token of a stranger': [
      bearer(hmacToken({ alg: 'HS256' }, claims, 'another-secret-of-forty-characters-0123')),
    ],
    'unsigned token': [bearer(`${hs256(claims, { alg: 'none' }).split('.').slice(0, 2).join('.')}.`)],
    'issued, expired': [theirs({ exp: nowSecs - 60 })],
    'issued for others': [theirs({ aud: 'another desk' })],
    'issued elsewhere': [theirs({ iss: 'https://elsewhere.example' })],
  };
  return Object.entries(shown).map(([name, headers]) => ({ name, headers, credential: 'wrong', scopes: [] }));
}
