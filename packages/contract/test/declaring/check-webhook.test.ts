import { describe, expect, it } from 'vitest';
import { checkWebhook, splitSecrets } from '../../src/declaring/index.ts';

const secret = (bytes: number, letter = 'a'): string =>
  `whsec_${Buffer.from(letter.repeat(bytes)).toString('base64')}`;
const variables: Readonly<Record<string, string>> = {
  GOOD: secret(32),
  PAIR: `${secret(32)}, ${secret(24, 'b')}`,
  EMPTY: '',
  TOKEN: 'abc',
  SPACED: 'a b',
};
const env = (name: string): string | undefined => variables[name];
const signed = { url: 'https://example.com/hook', secretEnv: 'GOOD' };
const rules = (endpoint: object): readonly string[] => checkWebhook(endpoint, env).map(({ rule }) => rule);

describe('checkWebhook', () => {
  it('has nothing to say of an https URL with a secret', () => {
    expect(checkWebhook({ ...signed, bearerEnv: 'TOKEN' }, env)).toEqual([]);
  });

  it.each(['', 'example.com/hook', 'ftp://example.com/', 'https://'])('refuses %j as a URL', (url) => {
    expect(checkWebhook({ ...signed, url }, env)).toEqual([
      { rule: 'url is no http or https URL', fix: "write 'https://host/path'" },
    ]);
  });

  it('says what to do with credentials in a URL, and does not show them', () => {
    const faults = checkWebhook({ ...signed, url: 'https://me:hush@example.com/' }, env);
    expect(faults).toMatchObject([
      { rule: 'url has credentials in it', fix: expect.stringContaining('bearerEnv') },
    ]);
    expect(JSON.stringify(faults)).not.toMatch(/hush|example/);
  });

  it.each([
    'http://169.254.169.254/latest',
    'http://0xa9fea9fe/',
    'http://2852039166/',
    'https://[::ffff:169.254.169.254]/',
    'https://[64:ff9b::a9fe:a9fe]/',
    'https://[64:ff9b:1::169.254.169.254]/',
    'https://[::169.254.169.254]/',
    'http://[fd00:ec2:0::254]/',
    'http://metadata.google.internal/',
    'http://METADATA.google.internal./',
  ])('refuses the metadata address %s', (url) => {
    expect(rules({ ...signed, url })).toEqual(['url is an address of cloud metadata']);
  });

  it.each([
    'http://127.0.0.1:8080/',
    'http://10.1.2.3/',
    'http://172.31.0.1/',
    'http://192.168.1.4/',
    'http://[::1]:8/',
    'http://[fd12::1]/',
    'http://n8n:5678/',
    'http://hooks.lan/',
    'http://localhost/',
  ])('lets %s be without TLS', (url) => {
    expect(rules({ ...signed, url })).toEqual([]);
  });

  it.each([
    'http://example.com/',
    'http://172.32.0.1/',
    'http://8.8.8.8/',
    'http://[2a00::1]/',
    'http://lan.example/',
  ])('warns of %s without TLS', (url) => {
    expect(checkWebhook({ ...signed, url }, env)).toMatchObject([
      { severity: 'warning', rule: expect.stringContaining('not encrypted') },
    ]);
  });

  it('warns of messages that are not signed', () => {
    expect(checkWebhook({ url: signed.url }, env)).toMatchObject([
      { severity: 'warning', rule: expect.stringContaining('not signed') },
    ]);
  });

  it.each([
    ['no name', 'secretEnv is not the name of a variable'],
    ['UNSET', 'the variable UNSET is not set'],
    ['EMPTY', 'the variable EMPTY is not set'],
    ['TOKEN', 'TOKEN holds what is no signing secret: whsec_ and the base64 of 24 to 64 bytes'],
  ])('refuses a secret in %j', (secretEnv, rule) => {
    expect(rules({ ...signed, secretEnv })).toEqual([rule]);
  });

  it.each([
    [23, 1],
    [24, 0],
    [64, 0],
    [65, 1],
  ])('counts the bytes of a secret: %i', (bytes, faults) => {
    expect(checkWebhook(signed, () => secret(bytes))).toHaveLength(faults);
  });

  it('takes several secrets, each of which has to be one', () => {
    expect(rules({ ...signed, secretEnv: 'PAIR' })).toEqual([]);
    expect(checkWebhook(signed, () => `${secret(32)} whsec_short`)).toHaveLength(1);
    expect(checkWebhook(signed, () => ' , ')).toHaveLength(1);
    expect(splitSecrets(variables['PAIR'] ?? '')).toEqual([secret(32), secret(24, 'b')]);
  });

  it('holds a bearer token to what a header can carry', () => {
    expect(rules({ ...signed, bearerEnv: 'UNSET' })).toEqual(['the variable UNSET is not set']);
    expect(rules({ ...signed, bearerEnv: 'SPACED' })).toEqual([
      'the token in SPACED holds a space or another character that no header can carry',
    ]);
  });

  it('passes over options of another type, and calls them by their names', () => {
    expect(rules({ url: 5, secretEnv: 5, bearerEnv: 5 })).toEqual([]);
    const names = { url: 'webhook', secretEnv: 'webhookSecretEnv', bearerEnv: 'webhookBearerEnv' };
    expect(checkWebhook({ url: 'x', secretEnv: '?' }, env, names).map(({ rule }) => rule)).toEqual([
      'webhook is no http or https URL',
      'webhookSecretEnv is not the name of a variable',
    ]);
  });
});
