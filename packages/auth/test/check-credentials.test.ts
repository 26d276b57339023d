import {
  type ApiKeyDeclaration,
  anonymousScopes,
  apiKey,
  checkCredentials,
  credentialRules,
  jwt,
} from '@waymark/auth';
import { toProblemLine } from '@waymark/contract/declaring';
import { routeRules } from '@waymark/contract/route';
import { verifies } from '@waymark/contract/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { env, environment, keys } from './declare.ts';

const good = 'a-secret-of-26-characters!';

/** The rules a key with this secret breaks. */
function rulesOf(secret: string | undefined, declaration = apiKey('KEY', 'reader')): readonly string[] {
  const variables = environment(secret === undefined ? {} : { KEY: secret });
  return checkCredentials([declaration], variables).map(({ rule }) => rule);
}

const withId = (id: string): ApiKeyDeclaration => apiKey('KEY', id);

describe('checkCredentials', () => {
  it('finds nothing wrong with good keys, or with none', () => {
    expect(checkCredentials(keys, env)).toEqual([]);
    expect(checkCredentials([], env)).toEqual([]);
  });

  it('names declaration, place, rule and the command that helps', () => {
    verifies('authority.key.help');
    const declaration = apiKey('READER_KEY', 'reader', { declaredAt: 'src/app.ts:12' });
    expect(checkCredentials([declaration], environment({})).map(toProblemLine)).toEqual([
      'src/app.ts:12  apiKey "reader": the variable READER_KEY is not set; make one with: waymark keygen --env READER_KEY',
    ]);
  });

  it.each([undefined, ''])('refuses a variable that is not set or empty', (secret) => {
    expect(rulesOf(secret)).toEqual(['the variable KEY is not set']);
  });

  it('takes a secret of 16 bytes and more, and no shorter one', () => {
    verifies('aside.keys.short');
    expect(rulesOf('x'.repeat(15))).toEqual(['the secret in KEY has 15 bytes, 16 are the least']);
    expect(rulesOf('x'.repeat(16))).toEqual([]);
    expect(rulesOf('x'.repeat(17))).toEqual([]);
  });

  it('says how to make a long one', () => {
    verifies('authority.key.help');
    const problems = checkCredentials([apiKey('KEY', 'reader')], environment({ KEY: 'short' }));
    expect(problems.map(({ fix }) => fix)).toEqual(['make one with: waymark keygen --env KEY']);
  });

  it.each([`${good} `, ` ${good}`, `${good}\n`, `${good}, ${good}`, `${good}\u0000`, 'schlüssel-schlüssel'])(
    'refuses the secret %j, which no header can carry as it is',
    (secret) => {
      expect(rulesOf(secret)).toEqual([
        'the secret in KEY holds a space or another character that no header can carry',
      ]);
    },
  );

  it('refuses two keys of one id and says where the first is', () => {
    const first = apiKey('OPERATOR_KEY', 'reader', { declaredAt: 'src/app.ts:3' });
    const second = apiKey('READER_KEY', 'reader', { declaredAt: 'src/app.ts:9' });
    expect(checkCredentials([first, second], env)).toEqual([
      {
        code: 'key-id-taken',
        declaration: 'apiKey "reader"',
        rule: 'the id is taken by the key declared at src/app.ts:3',
        fix: 'choose another id',
        at: 'src/app.ts:9',
      },
    ]);
  });

  it.each([
    [' reader', `the id " reader" begins or ends with white space`, `write 'reader'`],
    ['rea\u200bder', `the id "rea\\u{200b}der" holds a character that cannot be seen`, `write 'reader'`],
    ['reade\u0301r', `the id "readér" is not in the normal form NFC`.normalize('NFD'), `write 'readér'`],
    ['\u200b', `the id "\\u{200b}" holds a character that cannot be seen`, 'write who has the key: reader'],
  ])('refuses the id %j, which cannot be told from another', (id, rule, fix) => {
    verifies('authority.identity.unclear');
    const problems = checkCredentials([apiKey('A', id)], environment({ A: good }));
    expect(problems).toMatchObject([{ code: 'key-id', rule, fix }]);
  });

  it('refuses two keys of one secret, by one variable or by two', () => {
    const first = apiKey('A', 'one', { declaredAt: 'src/app.ts:3' });
    for (const name of ['A', 'B']) {
      const problems = checkCredentials([first, apiKey(name, 'two')], environment({ A: good, B: good }));
      expect(problems.map(({ declaration, rule }) => [declaration, rule])).toEqual([
        ['apiKey "two"', `the secret in ${name} is also that of the key declared at src/app.ts:3`],
      ]);
    }
  });

  it('counts two unset variables as unset, not as alike', () => {
    const problems = checkCredentials(
      [apiKey('A', 'one'), apiKey('B', 'two')],
      environment({ A: '', B: '' }),
    );
    expect(problems.map(({ rule }) => rule)).toEqual([
      'the variable A is not set',
      'the variable B is not set',
    ]);
  });

  it.each(['agent:', 'behaviour:', 'flow:', 'watcher:'])(
    'keeps ids that begin with %s for the service',
    (prefix) => {
      verifies('authority.identity.reserved');
      const rule = `ids that begin with "${prefix}" belong to the service itself`;
      expect(rulesOf(good, withId(`${prefix}guard`))).toEqual([rule]);
      expect(rulesOf(good, withId(prefix))).toEqual([rule]);
      expect(rulesOf(good, withId(prefix.slice(0, -1)))).toEqual([]);
      expect(rulesOf(good, withId(`x${prefix}`))).toEqual([]);
    },
  );

  it('refuses the ids of nobody', () => {
    expect(rulesOf(good, withId('anonymous'))).toEqual([
      'the id "anonymous" is that of a caller without credentials',
    ]);
    expect(rulesOf(good, withId(''))).toEqual(['the id is empty']);
    expect(rulesOf(good, withId('anonymous2'))).toEqual([]);
  });

  it.each([['tickets read'], [''], ['a', 'b\n'], ['\u00e9']])('refuses the scope %j', (...scopes) => {
    expect(rulesOf(good, apiKey('KEY', 'reader', { scopes }))).toEqual([
      'scopes are not a list of words without spaces',
    ]);
  });

  it('refuses scopes that are no list, and options nobody knows', () => {
    // What a JavaScript caller can write and the types forbid.
    const options = { scopes: 'tickets:read', scope: ['x'] } as unknown as { scopes: readonly string[] };
    const problems = checkCredentials([apiKey('KEY', 'reader', options)], environment({ KEY: good }));
    expect(problems.map(({ rule, nearest }) => [rule, nearest])).toEqual([
      ['scopes are not a list of words without spaces', undefined],
      ['unknown option "scope"', 'scopes'],
    ]);
  });

  it.each<unknown>([5, null, undefined, {}, ['reader']])('refuses the id %j', (id) => {
    expect(rulesOf(good, apiKey('KEY', id as string))).toEqual(['the id is not a text']);
  });

  it.each<unknown>(['', 'my key', 'a-secret-that-was-written-here', '1KEY', 'x'.repeat(101), 5, null])(
    'takes %j for no name of a variable, and does not show it: it may be the secret',
    (env) => {
      const problems = checkCredentials(
        [apiKey(env as string, 'reader'), jwt(env as string)],
        environment({}),
      );
      expect(problems.map(toProblemLine)).toEqual([
        expect.stringContaining('apiKey "reader": the first argument is not the name of a variable; put'),
        expect.stringContaining('jwt: the first argument is not the name of a variable; put'),
      ]);
    },
  );

  it('takes any name that its reader knows', () => {
    const vault = environment({ 'vault/reader': good, 'vault/jwt': 'x'.repeat(32) });
    expect(checkCredentials([apiKey('vault/reader', 'reader'), jwt('vault/jwt')], vault)).toEqual([]);
  });

  it('says of scopes that were written as one text how they are written', () => {
    const wrong = apiKey('KEY', 'reader', { scopes: 'tickets:read, tickets:write' as never });
    const nested = anonymousScopes(['a', 'b'] as never);
    expect(checkCredentials([wrong, nested], environment({ KEY: good })).map(({ fix }) => fix)).toEqual([
      'write ["tickets:read","tickets:write"]',
      'write ["a","b"]',
    ]);
  });

  it('gives every problem a code of the rules, and a fix or the nearest name', () => {
    const wild = { scopes: 5, scope: 1 } as never;
    const declarations = [
      ...[apiKey('A', '', wild), apiKey('B', 'agent:x'), apiKey('A', 'anonymous'), apiKey('- -', 'two')],
      ...[
        jwt('A', { algorithm: 'RS256', audience: '', leewaySecs: -1 }),
        jwt('A', { algorithm: 'none' as never }),
      ],
    ];
    const problems = checkCredentials(declarations, environment({ A: 'short', B: good }));
    expect(problems.length).toBeGreaterThan(9);
    for (const { code, fix, nearest } of problems) {
      expect({ ...credentialRules, ...routeRules }).toHaveProperty(code ?? 'none');
      expect(fix ?? nearest).toEqual(expect.any(String));
    }
  });

  it('reports everything at once', () => {
    const problems = checkCredentials(
      [apiKey('A', 'anonymous', { scopes: ['a b'] }), ...keys, apiKey('B', 'reader')],
      env,
    );
    expect(problems.map(({ rule }) => rule)).toEqual([
      'the id "anonymous" is that of a caller without credentials',
      'the variable A is not set',
      'scopes are not a list of words without spaces',
      `the id is taken by the key declared at ${keys[1]?.declaredAt}`,
      'the variable B is not set',
    ]);
  });

  it('never shows a part of a secret', () => {
    const secret = fc.string({
      minLength: 4,
      maxLength: 40,
      unit: fc.constantFrom('Q', 'Z', '7', ' ', '\n', 'é'),
    });
    fc.assert(
      fc.property(secret, (text) => {
        const lines = checkCredentials([apiKey('K', 'one'), apiKey('K', 'two')], environment({ K: text }));
        expect(lines.map(toProblemLine).join('\n')).not.toMatch(/[QZé]/);
      }),
    );
  });
});
