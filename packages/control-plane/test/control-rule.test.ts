import { adminScope, anonymous, type ControlAccess, type Principal } from '@waymark/contract/principal';
import { verifies } from '@waymark/contract/testing';
import { controlRule } from '@waymark/control-plane';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const key = (...scopes: string[]): Principal => ({ id: 'k', rootId: 'k', authenticated: true, scopes });
const local = '127.0.0.1';
const far = '203.0.113.9';
const visitor = { path: '/tools', principal: anonymous(), headers: undefined };
const outcome = (rule: ReturnType<typeof controlRule>, access: Partial<ControlAccess>): number | 'passes' =>
  rule({ ...visitor, clientAddress: far, ...access })?.status ?? 'passes';

describe('controlRule with authentication configured', () => {
  const rule = controlRule({ authenticated: true });

  it.each([
    ['/health', anonymous(), 'passes'],
    ['/health', key(), 'passes'],
    ['/health', key(adminScope), 'passes'],
    ['/health/', anonymous(), 401],
    ['/healthy', anonymous(), 401],
    ['/HEALTH', anonymous(), 401],
    ['/%68ealth', anonymous(), 401],
    ['', anonymous(), 401],
    ['/', key(), 403],
    ['/tools', anonymous(), 401],
    ['/tools', key(), 403],
    ['/tools', key('svc:adm'), 403],
    ['/tools', key('SVC:ADMIN'), 403],
    ['/tools', key('svc:*'), 403],
    ['/tools', key('*'), 403],
    ['/tools', key('svc:admin:x'), 403],
    ['/tools', key('tickets:read', adminScope), 'passes'],
    ['/mcp', anonymous(), 401],
    ['/mcp', key('tickets:read'), 403],
    ['/mcp', key(adminScope), 'passes'],
    ['/routes', key(), 403],
    ['/routes', key(adminScope), 'passes'],
    ['/openapi.json', anonymous(), 401],
    ['/openapi.json', key(adminScope), 'passes'],
    ['/docs', anonymous(), 'passes'],
    ['/docs', key(), 'passes'],
    ['/docs/{version}/{file}', anonymous(), 'passes'],
    ['/docs/1/docs.js', anonymous(), 'passes'],
    ['/docsy', anonymous(), 401],
    ['/DOCS', anonymous(), 401],
    ['/docs.json', anonymous(), 401],
    ['/no/such/path', anonymous(), 401],
    ['/no/such/path', key(), 403],
    ['/no/such/path', key(adminScope), 'passes'],
  ] as const)('at "%s" answers %o with %s', (path, principal, expected) => {
    verifies('auth.control.admin', 'auth.control.health', 'authority.control.admin');
    expect(outcome(rule, { path, principal })).toBe(expected);
  });

  it('asks an anonymous caller for a credential', () => {
    const error = rule({ ...visitor, clientAddress: far });
    expect(error?.status).toBe(401);
    expect(error?.message).toBe('authentication is needed for scope "svc:admin"');
  });

  it('tells a known caller which scope is missing', () => {
    const error = rule({ ...visitor, path: '/routes', principal: key('tickets:read'), clientAddress: far });
    expect(error?.message).toBe('missing scope "svc:admin"');
    expect(error?.headers).toEqual({});
  });

  it('does not ask where a caller sits', () => {
    expect(outcome(rule, { principal: key(adminScope), clientAddress: far })).toBe('passes');
    expect(outcome(rule, { principal: key(adminScope), clientAddress: undefined })).toBe('passes');
    expect(outcome(rule, { principal: anonymous(), clientAddress: local })).toBe(401);
  });

  it('lets an anonymous caller in who was given the scope by declaration', () => {
    expect(outcome(rule, { principal: anonymous([adminScope]) })).toBe('passes');
  });
});

describe('controlRule with mcpScopes', () => {
  const rule = controlRule({ authenticated: true, mcpScopes: ['mcp:use', 'desk'] });

  it.each(['/mcp', '/tools'])('lets whoever holds all of them use %s, without svc:admin', (path) => {
    expect(outcome(rule, { path, principal: key('desk', 'mcp:use') })).toBe('passes');
    expect(outcome(rule, { path, principal: key('desk') })).toBe(403);
    expect(outcome(rule, { path, principal: key(adminScope) })).toBe(403);
    expect(outcome(rule, { path })).toBe(401);
  });

  it.each(['/routes', '/openapi.json', '/approvals/1', '/mcp/', '/tools/x', '/'])(
    'keeps %s for svc:admin',
    (path) => {
      expect(outcome(rule, { path, principal: key('desk', 'mcp:use') })).toBe(403);
      expect(outcome(rule, { path, principal: key(adminScope) })).toBe('passes');
    },
  );

  it('names every scope that is missing', () => {
    const error = rule({ ...visitor, path: '/mcp', principal: key(), clientAddress: far });
    expect(error?.message).toBe('missing scope "mcp:use", "desk"');
  });
});

describe('controlRule with a public document', () => {
  const rule = controlRule({ authenticated: true, openapi: 'public' });

  it('lets anybody read the document, and nothing besides', () => {
    verifies('docs-page.public');
    expect(outcome(rule, { path: '/openapi.json' })).toBe('passes');
    expect(outcome(rule, { path: '/openapi.json', principal: key() })).toBe('passes');
    for (const path of ['/openapi.json/', '/openapi', '/routes', '/tools', '/mcp', '/'])
      expect([path, outcome(rule, { path })]).toEqual([path, 401]);
  });

  it('stays on this machine where no authentication is configured', () => {
    verifies('docs-page.loopback');
    const unguarded = controlRule({ authenticated: false, openapi: 'public' });
    for (const path of ['/openapi.json', '/docs', '/docs/1/docs.js']) {
      expect([path, outcome(unguarded, { path })]).toEqual([path, 403]);
      expect([path, outcome(unguarded, { path, clientAddress: local })]).toEqual([path, 'passes']);
    }
  });
});

describe('controlRule without authentication', () => {
  const rule = controlRule({ authenticated: false });

  it.each(['127.0.0.1', '127.255.255.254', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1', '::ffff:7f00:1'])(
    'lets the loopback peer %s in',
    (clientAddress) => {
      verifies('authority.control.loopback');
      expect(outcome(rule, { clientAddress })).toBe('passes');
    },
  );

  it.each([
    '126.255.255.255',
    '128.0.0.1',
    '10.0.0.1',
    far,
    '0.0.0.0',
    '::',
    '::2',
    '::ffff:10.0.0.1',
    'fe80::1',
  ])('refuses the peer %s', (clientAddress) => {
    verifies('authority.control.loopback');
    expect(outcome(rule, { clientAddress })).toBe(403);
  });

  it.each(['', 'localhost', '127.1', '127.0.0.1 ', '127.0.0.1.example.org', '127.0.0.1:80', '2130706433'])(
    'refuses "%s", which is no address',
    (clientAddress) => {
      expect(outcome(rule, { clientAddress })).toBe(403);
    },
  );

  it('refuses calls that come from no address, such as those of tools', () => {
    expect(outcome(rule, { clientAddress: undefined })).toBe(403);
  });

  it('refuses health to other machines, too', () => {
    expect(outcome(rule, { path: '/health' })).toBe(403);
    expect(outcome(rule, { path: '/health', clientAddress: local })).toBe('passes');
  });

  it('says what to configure', () => {
    verifies('authority.control.loopback-says');
    const error = rule({ ...visitor, clientAddress: far });
    expect(error?.message).toBe(
      'without authentication the control plane answers this machine only: declare an API key, apiKey(env, id, { scopes: ["svc:admin"] })',
    );
  });
});

describe('controlRule as a whole', () => {
  const scope = fc.constantFrom(adminScope, 'mcp:use', 'svc:adm', '*', 'svc:admin ', 'tickets:read');
  const principal = fc.record({
    id: fc.string(),
    rootId: fc.string(),
    authenticated: fc.boolean(),
    scopes: fc.array(scope),
  });
  const path = fc.oneof(
    fc.constantFrom('/health', '/docs', '/docs/1/docs.js', '/tools', '/mcp', '/routes', '/'),
    fc.string(),
    fc.webPath(),
  );
  const address = fc.oneof(fc.ipV4(), fc.ipV6(), fc.string(), fc.constant(undefined), fc.constant(local));
  const scopes = fc.uniqueArray(scope, { minLength: 1 });

  it('lets nobody in, with authentication, who lacks a scope, and everybody who lacks none', () => {
    fc.assert(
      fc.property(principal, path, address, scopes, (who, where, clientAddress, mcpScopes) => {
        const refusal = controlRule({ authenticated: true, mcpScopes })({
          path: where,
          principal: who,
          clientAddress,
          headers: undefined,
        });
        const needed = where === '/mcp' || where === '/tools' ? mcpScopes : [adminScope];
        const holdsAll = needed.every((one) => who.scopes.some((held) => held === one));
        const refused = who.authenticated ? 403 : 401;
        const free = where === '/health' || where === '/docs' || where.startsWith('/docs/');
        expect(refusal?.status).toBe(free || holdsAll ? undefined : refused);
      }),
    );
  });

  it('asks, without authentication, for the address alone', () => {
    const rule = controlRule({ authenticated: false });
    fc.assert(
      fc.property(principal, path, address, (who, where, clientAddress) => {
        const there = rule({ ...visitor, path: where, principal: who, clientAddress });
        const elsewhere = rule({ ...visitor, clientAddress });
        expect(there?.status).toBe(elsewhere?.status);
      }),
    );
  });

  it('takes, without authentication, all of 127/8 in both notations and nothing else of IPv4', () => {
    verifies('authority.control.loopback');
    const rule = controlRule({ authenticated: false });
    fc.assert(
      fc.property(
        fc.oneof(
          fc.ipV4(),
          fc.ipV4().map((ip) => ip.replace(/^\d+/, '127')),
        ),
        (ip) => {
          const expected = ip.startsWith('127.') ? 'passes' : 403;
          expect(outcome(rule, { clientAddress: ip })).toBe(expected);
          expect(outcome(rule, { clientAddress: `::ffff:${ip}` })).toBe(expected);
        },
      ),
    );
  });
});
