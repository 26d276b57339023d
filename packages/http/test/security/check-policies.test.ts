import { toProblemLine } from '@waymark/contract/declaring';
import { routeRules } from '@waymark/contract/route';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { checkPolicies, createDoor, type PolicyOptions, policyRules } from '../../src/index.ts';
import { fakeDispatcher } from '../fake-dispatcher.ts';
import { keys } from '../open-door.ts';

const lines = (options: PolicyOptions): readonly string[] => checkPolicies(options).map(toProblemLine);

describe('checkPolicies', () => {
  it('finds nothing wrong with no options, and with good ones', () => {
    expect(lines({})).toEqual([]);
    expect(
      lines({
        cors: {
          origins: ['https://a.example', 'http://localhost:3000'],
          credentials: true,
          maxAge: 0,
        },
        rateLimit: { perSecond: 0.1, burst: 1 },
        failureLimit: {},
        securityHeaders: {
          frameOptions: 'SAMEORIGIN',
          contentSecurityPolicy: "default-src 'self'",
          hstsMaxAge: 0,
        },
        trustProxy: 1,
        publicUrl: 'https://app.example.com/path',
        allowedHosts: ['app.example.com', 'intra', '192.0.2.1', '::1', 'x_1.example'],
      }),
    ).toEqual([]);
    expect(lines({ cors: { origins: ['*', 'null'] } })).toEqual([]);
  });

  it('refuses any origin together with credentials', () => {
    verifies('http.cors.star-credentials');
    for (const anybody of ['*', 'null'])
      expect(lines({ cors: { origins: [anybody], credentials: true } })).toEqual([
        `cors: the origin "${anybody}" cannot be combined with credentials; list the origins`,
      ]);
  });

  it.each([
    ['https://a.example/', 'cors: "https://a.example/" is not an origin; write "https://a.example"'],
    ['https://A.example', 'cors: "https://A.example" is not an origin; write "https://a.example"'],
    ['https://a.example:443', 'cors: "https://a.example:443" is not an origin; write "https://a.example"'],
    ['a.example', 'cors: "a.example" is not an origin; write "https://a.example"'],
    ['a b', 'cors: "a b" is not an origin; write scheme and host: "https://app.example.com"'],
    ...['*.example', 'https://*.a.example', 'https://*', 'http://a.example:*'].map(
      (origin): [string, string] => [
        origin,
        `cors: "${origin}" is not an origin; list each origin by its whole name; only "*" alone stands for others`,
      ],
    ),
  ])('refuses the origin %s', (origin, line) => {
    expect(lines({ cors: { origins: [origin] } })).toEqual([line]);
  });

  it('refuses what cannot be sent', () => {
    expect(
      lines({
        cors: { origins: [], methods: ['GET,POST'], headers: ['x y'], expose: [''], maxAge: 1.5 },
        securityHeaders: {
          // From JavaScript anything may come.
          frameOptions: 'ALLOW' as 'DENY',
          referrerPolicy: 'a\r\nb',
          contentSecurityPolicy: '',
          hstsMaxAge: -1,
        },
      }),
    ).toEqual([
      "cors: no origin is listed; list the pages that may call: ['https://app.example.com']",
      'cors: "GET,POST" is not the name of a method or header; write ["GET","POST"]',
      'cors: "x y" is not the name of a method or header; write ["x","y"]',
      'cors: "" is not the name of a method or header; write the name alone',
      'cors: maxAge is not a whole number of seconds; write seconds: 600',
      'securityHeaders: unknown frameOptions "ALLOW"; write DENY or SAMEORIGIN',
      ...['referrerPolicy', 'contentSecurityPolicy'].map(
        (name) =>
          `securityHeaders: ${name} cannot be sent as a header; write one line of plain text, or leave it out`,
      ),
      'securityHeaders: hstsMaxAge is not a whole number of seconds; write seconds: 31536000',
    ]);
  });

  it('refuses limits that let nobody through, or everybody', () => {
    for (const perSecond of [0, -1, Number.NaN, Number.POSITIVE_INFINITY])
      expect(lines({ rateLimit: { perSecond } })).toEqual([
        'rateLimit: perSecond is not a number above 0; write how many a second: 50',
      ]);
    for (const burst of [0, 0.9, Number.NaN, Number.POSITIVE_INFINITY])
      expect(lines({ failureLimit: { burst } })).toEqual([
        'failureLimit: burst is not a number from 1; write how many at once: 100',
      ]);
  });

  it.each(['example.com:8000', 'https://example.com', '*.example.com', '*', '', 'a b', '.example.com'])(
    'refuses the host "%s"',
    (host) => {
      expect(lines({ allowedHosts: [host] })).toEqual([
        `allowedHosts: "${host}" is not a host name; write the name alone: no scheme, no port, no wildcard`,
      ]);
    },
  );

  it('refuses a public URL that browsers cannot go to, and a trust in nobody knows whom', () => {
    expect(lines({ publicUrl: 'app.example.com', trustProxy: -1 })).toEqual([
      "trustProxy: a number of hops is a whole number; write 1 for one proxy in front, or ['10.0.0.0/8']",
      'publicUrl: "app.example.com" is not an http or https URL; write "https://app.example.com"',
    ]);
    expect(lines({ publicUrl: 'ftp://a.example' })).toHaveLength(1);
  });

  it('gives every problem a code of the rules, and a fix or the nearest name', () => {
    const problems = checkPolicies({
      cors: { origins: ['*', 'x', 'https://*.x'], credentials: true, methods: ['a b'], maxAge: -1 },
      rateLimit: { perSecond: 0, burst: 0 },
      securityHeaders: { frameOptions: 'deny' as 'DENY', referrerPolicy: '', hstsMaxAge: 0.5 },
      ...{ trustProxy: -1, publicUrl: 'x', allowedHosts: ['*'] },
    });
    expect(problems).toHaveLength(13);
    for (const { code, fix, nearest } of problems) {
      expect({ ...policyRules, ...routeRules }).toHaveProperty(code ?? 'none');
      expect(fix ?? nearest).toEqual(expect.any(String));
    }
  });

  it('is what a door refuses to be made with', () => {
    const parts = { dispatcher: fakeDispatcher([]), authenticate: keys, newId: () => 'id' };
    expect(() => createDoor({ ...parts, cors: { origins: [] }, allowedHosts: ['*'] })).toThrow(
      /^2 declaration problems\n {2}cors: no origin is listed; .*\n {2}allowedHosts: /,
    );
  });
});
