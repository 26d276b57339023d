import type { Header } from '../wire/connection.ts';
import { hs256 } from './sign.ts';

/** The secret of `operator`: `svc:admin` and `notes:read`. */
export const operatorSecret = 'operator-secret-0123456789';

/** The secret of `reader`: `notes:read`. */
export const readerSecret = 'reader-secret-9876543210';

/** What comes of a key: whom it is taken for, or the status that refuses it. */
export type KeyVerdict = 'operator' | 'reader' | 401 | 400 | 431;

/** One way to show an API key in headers. */
export type KeyCase = readonly [form: string, headers: readonly Header[], verdict: KeyVerdict];

const key = (value: string): readonly Header[] => [['x-api-key', value]];
const authorization = (value: string): readonly Header[] => [['authorization', value]];
const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

/** Ways to show a key. On the wire, spaces around a value are no part of it (RFC 9112, 5). */
export const keyCases: readonly KeyCase[] = [
  ['exact', key(operatorSecret), 'operator'],
  ['exact, of another id', key(readerSecret), 'reader'],
  ['header name in capitals', [['X-API-KEY', readerSecret]], 'reader'],
  ['with spaces around', key(`  ${readerSecret} `), 'reader'],
  ['with a tab after', key(`${readerSecret}\t`), 'reader'],
  ['a prefix of it', key(operatorSecret.slice(0, -1)), 401],
  ['half of it', key(operatorSecret.slice(0, 13)), 401],
  ['a suffix of it', key(operatorSecret.slice(1)), 401],
  ['with a letter more', key(`${operatorSecret}x`), 401],
  ['in upper case', key(operatorSecret.toUpperCase()), 401],
  ['with a space inside', key(operatorSecret.replace('-', ' -')), 401],
  ['empty', key(''), 401],
  ['a list of it', key(`${operatorSecret}, ${operatorSecret}`), 401],
  ['as bearer token', authorization(`Bearer ${operatorSecret}`), 401],
  ['as password', authorization(basic(`operator:${operatorSecret}`)), 401],
  ['as user', authorization(basic(`${operatorSecret}:`)), 401],
  ['without scheme', authorization(operatorSecret), 401],
  ['with the scheme ApiKey', authorization(`ApiKey ${operatorSecret}`), 401],
  ['in letters that look alike', key(operatorSecret.replace('o', '\u043e')), 401],
  ['percent-encoded', key(operatorSecret.replaceAll('-', '%2D')), 401],
  ['in quotes', key(`"${operatorSecret}"`), 401],
  ['a wildcard', key('*'), 401],
  ['the id for the key', key('operator'), 401],
  ['the name of the variable', key('OPERATOR_KEY'), 401],
  ['a good token for the key', key(hs256()), 401],
  ['beside a good token', [...key(operatorSecret), ['authorization', `Bearer ${hs256()}`]], 401],
  ['empty, beside a good token', [...key(''), ['authorization', `Bearer ${hs256()}`]], 401],
  ['with NUL after', key(`${operatorSecret}\u0000`), 400],
  ['with NUL inside', key(operatorSecret.replace('-', '\u0000-')), 400],
  ['very long', key(operatorSecret.repeat(1000)), 431],

  // Node keeps the first of two `authorization` lines and says nothing of the second.
  ['twice, the same', [...key(operatorSecret), ...key(operatorSecret)], 401],
  ['twice, good and wrong', [...key(operatorSecret), ...key('wrong-key-of-24-letters')], 401],
  ['twice, wrong and good', [...key('wrong-key-of-24-letters'), ...key(operatorSecret)], 401],
  ['twice, of two ids', [...key(readerSecret), ['X-Api-Key', operatorSecret]], 401],
  [
    'a token twice, the same',
    [...authorization(`Bearer ${hs256()}`), ...authorization(`Bearer ${hs256()}`)],
    401,
  ],
  [
    'a token twice, good and wrong',
    [...authorization(`Bearer ${hs256()}`), ['Authorization', 'Bearer wrong-token-of-letters']],
    401,
  ],
  [
    'a token twice, wrong and good',
    [...authorization('Bearer wrong-token-of-letters'), ...authorization(`Bearer ${hs256()}`)],
    401,
  ],
  [
    'a token twice, of two subjects',
    [...authorization(`Bearer ${hs256()}`), ...authorization(`Bearer ${hs256({ sub: 'eve' })}`)],
    401,
  ],
];
