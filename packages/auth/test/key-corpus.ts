import type { Credentials } from '@waymark/contract/principal';
import { operatorSecret, readerSecret } from './declare.ts';
import { hs256 } from './tokens.ts';

/** One way to show a key, and the id of the principal; undefined where it is refused. */
export type KeyCase = readonly [form: string, credentials: Credentials, id: string | undefined];

const key = (value: string): Credentials => ({ headers: { 'x-api-key': value } });
const authorization = (value: string): Credentials => ({ headers: { authorization: value } });

/** Ways to show an API key to a server that takes keys and tokens. */
export const keyCases: readonly KeyCase[] = [
  ['exact', key(operatorSecret), 'operator'],
  ['exact, of another id', key(readerSecret), 'reader'],
  ['as token of an upgrade', { headers: {}, accessToken: operatorSecret }, 'operator'],
  ['a prefix of it', key(operatorSecret.slice(0, -1)), undefined],
  ['half of it', key(operatorSecret.slice(0, 13)), undefined],
  ['a suffix of it', key(operatorSecret.slice(1)), undefined],
  ['with a letter more', key(`${operatorSecret}x`), undefined],
  ['in upper case', key(operatorSecret.toUpperCase()), undefined],
  ['with a space before', key(` ${operatorSecret}`), undefined],
  ['with a space after', key(`${operatorSecret} `), undefined],
  ['with a tab after', key(`${operatorSecret}\t`), undefined],
  ['with a line break after', key(`${operatorSecret}\n`), undefined],
  ['empty', key(''), undefined],
  ['empty on an upgrade', { headers: {}, accessToken: '' }, undefined],
  ['a header twice', key(`${operatorSecret}, ${operatorSecret}`), undefined],
  ['two keys', key(`${operatorSecret}, ${readerSecret}`), undefined],
  ['as bearer token', authorization(`Bearer ${operatorSecret}`), undefined],
  [
    'as bearer token beside itself',
    { headers: { authorization: `Bearer ${operatorSecret}`, 'x-api-key': operatorSecret } },
    undefined,
  ],
  [
    'as password',
    authorization(`Basic ${Buffer.from(`operator:${operatorSecret}`).toString('base64')}`),
    undefined,
  ],
  ['as user', authorization(`Basic ${Buffer.from(`${operatorSecret}:`).toString('base64')}`), undefined],
  ['without scheme', authorization(operatorSecret), undefined],
  ['with the scheme ApiKey', authorization(`ApiKey ${operatorSecret}`), undefined],
  ['with NUL after', key(`${operatorSecret}\u0000`), undefined],
  ['with NUL inside', key(operatorSecret.replace('-', '\u0000-')), undefined],
  ['in letters that look alike', key(operatorSecret.replace('o', '\u043e')), undefined],
  ['in letters of full width', key(operatorSecret.replace('o', '\uff4f')), undefined],
  ['percent-encoded', key(operatorSecret.replaceAll('-', '%2D')), undefined],
  ['in quotes', key(`"${operatorSecret}"`), undefined],
  ['very long', key(operatorSecret.repeat(1000)), undefined],
  ['a wildcard', key('*'), undefined],
  ['the id for the key', key('operator'), undefined],
  ['a good token for the key', key(hs256()), undefined],
  [
    'a good key beside a good token',
    { headers: { 'x-api-key': operatorSecret, authorization: `Bearer ${hs256()}` } },
    undefined,
  ],
  [
    'a good token beside an empty key',
    { headers: { 'x-api-key': '', authorization: `Bearer ${hs256()}` } },
    undefined,
  ],
  [
    'beside an empty authorization',
    { headers: { 'x-api-key': operatorSecret, authorization: '' } },
    'operator',
  ],
  ['wrong beside an empty authorization', { headers: { 'x-api-key': 'x', authorization: '' } }, undefined],
  ['empty beside an empty authorization', { headers: { 'x-api-key': '', authorization: '' } }, undefined],
  [
    'beside a scheme without a token',
    { headers: { 'x-api-key': operatorSecret, authorization: 'Bearer ' } },
    undefined,
  ],
];
