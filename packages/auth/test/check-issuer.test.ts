import { checkCredentials, createAuthenticate, type IssuerOptions, jwt } from '@waymark/auth';
import { DeclarationError } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';

const issuer = 'https://login.example.com';
const nothingSet = (): undefined => undefined;

/** The codes of the rules that a declaration breaks; what the types forbid is written all the same. */
const codesOf = (options: object, resource?: string): readonly unknown[] =>
  checkCredentials([jwt({ issuer, audience: 'desk', ...options } as IssuerOptions)], nothingSet, {
    resource,
  }).map(({ code }) => code);

describe('the declaration of an issuer', () => {
  it('is data: the issuer, what was given and the line it stands on', () => {
    verifies('authority.jwt.issuer');
    expect(jwt({ issuer, audience: 'desk' })).toEqual({
      kind: 'jwt',
      name: issuer,
      options: { issuer, audience: 'desk', leewaySecs: 30 },
      declaredAt: expect.stringMatching(/check-issuer\.test\.ts:\d+$/),
    });
  });

  it.each([
    'https://login.example.com',
    'https://login.example.com/',
    'https://login.example.com/realms/desk',
    'https://10.0.0.1:8443',
    'http://localhost:8080/realms/desk',
    'http://login.localhost',
    'http://127.0.0.1:8080',
    'http://[::1]:8080',
  ])('may be %s', (given) => {
    verifies('authority.jwt.issuer.boot');
    expect(codesOf({ issuer: given })).toEqual([]);
  });

  it.each([
    'http://login.example.com',
    'http://10.0.0.1',
    'http://localhost.example.com',
    'http://127.0.0.1.example.com',
    'ftp://login.example.com',
    'login.example.com',
    'https://login.example.com?a=1',
    'https://login.example.com/#a',
    'https://ann:secret@login.example.com',
    '',
    7,
    undefined,
  ])('may not be %s', (given) => {
    verifies('authority.jwt.issuer.boot');
    const problems = checkCredentials(
      [jwt({ issuer: given, audience: 'desk' } as IssuerOptions)],
      nothingSet,
    );
    expect(problems.map(({ code }) => code)).toEqual(['jwt-issuer']);
    expect(JSON.stringify(problems)).not.toContain('secret');
  });

  it('names its audience, or leaves it to the URL of the MCP endpoint', () => {
    verifies('authority.jwt.issuer.boot', 'authority.jwt.issuer.audience');
    expect(codesOf({ audience: undefined })).toEqual(['jwt-audience']);
    expect(codesOf({ audience: undefined }, 'https://desk.example.com/_svc/mcp')).toEqual([]);
    expect(codesOf({ audience: '' })).toEqual(['jwt-text']);
  });

  it('has no secret, so no HMAC, and no other option than it knows', () => {
    verifies('authority.jwt.issuer.boot', 'authority.jwt.issuer.algorithms');
    for (const algorithm of ['HS256', 'HS512', 'none', 'ES384', 'toString', 1])
      expect(codesOf({ algorithm }), String(algorithm)).toEqual(['jwt-algorithm']);
    expect(codesOf({ leewaySecs: 301 })).toEqual(['jwt-leeway']);
    expect(codesOf({ jwksUri: 'https://login.example.com/keys' })).toEqual(['unknown-option']);
  });

  it('is said once', () => {
    const twice = [jwt({ issuer, audience: 'desk' }), jwt({ issuer, audience: 'desk' })];
    expect(checkCredentials(twice, nothingSet)).toMatchObject([{ code: 'jwt-twice' }]);
    expect(checkCredentials([...twice.slice(1), jwt({ issuer, audience: 'till' })], nothingSet)).toEqual([]);
  });

  it('keeps a server from starting that could not judge its tokens', () => {
    expect(() => createAuthenticate([jwt({ issuer })], nothingSet)).toThrow(DeclarationError);
  });
});
