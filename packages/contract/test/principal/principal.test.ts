import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { adminScope } from '../../src/principal/control-rule.ts';
import { anonymous, holds, narrow, type Principal, scopeRefusal } from '../../src/principal/principal.ts';
import { createRouteTable } from '../../src/route/route-table.ts';
import { verifies } from '../../src/testing/index.ts';

const scopes = fc.array(
  fc.constantFrom('tickets:read', 'tickets:write', 'tickets', 'tickets:*', '*', adminScope),
);
const principals: fc.Arbitrary<Principal> = fc.record({
  id: fc.string(),
  rootId: fc.string(),
  authenticated: fc.boolean(),
  scopes,
});
const desk: Principal = {
  id: 'desk',
  rootId: 'desk',
  authenticated: true,
  scopes: ['tickets:read', 'tickets:write'],
};

describe('holds', () => {
  it('asks for every scope', () => {
    verifies('authority.scopes.all');
    expect(holds(desk, ['tickets:read', 'tickets:write'])).toBe(true);
    expect(holds(desk, ['tickets:read', 'devices:read'])).toBe(false);
    expect(holds(desk, [])).toBe(true);
  });

  it('finds nothing in scopes that are one text', () => {
    const loose = { ...desk, scopes: 'tickets:read svc:admin' as unknown as readonly string[] };
    expect(holds(loose, ['tickets:read'])).toBe(false);
    expect(holds(loose, [adminScope])).toBe(false);
  });

  it('matches by equality: no wildcard, no prefix, no case', () => {
    verifies('authority.scopes.equality');
    for (const wide of ['*', 'tickets:*', 'tickets', 'tickets:', 'TICKETS:READ', ''])
      expect(holds({ ...desk, scopes: [wide] }, ['tickets:read'])).toBe(false);
    expect(holds(desk, ['tickets:*'])).toBe(false);
  });

  it('never says yes for a scope that is not in the list', () => {
    fc.assert(
      fc.property(principals, scopes, (principal, asked) => {
        expect(holds(principal, asked)).toBe(asked.every((scope) => principal.scopes.includes(scope)));
      }),
    );
  });
});

describe('scopeRefusal', () => {
  it('forbids a known caller and names the missing scopes only', () => {
    expect(scopeRefusal(desk, ['tickets:read', 'devices:read', 'svc:admin'])).toMatchObject({
      status: 403,
      message: 'missing scope "devices:read", "svc:admin"',
      headers: {},
    });
  });

  it('asks a stranger to sign in', () => {
    expect(scopeRefusal(anonymous(), ['devices:read'])).toMatchObject({
      status: 401,
      message: 'authentication is needed for scope "devices:read"',
    });
  });
});

describe('narrow', () => {
  it('keeps only scopes that both sides have, under a new id', () => {
    expect(narrow(desk, 'agent:triage', ['tickets:read', 'devices:read'])).toEqual({
      id: 'agent:triage',
      rootId: 'desk',
      authenticated: true,
      scopes: ['tickets:read'],
    });
  });

  it('never widens, whatever is asked for, however often', () => {
    verifies('authority.narrow.only-shrinks');
    fc.assert(
      fc.property(principals, fc.array(scopes), (principal, steps) => {
        const end = steps.reduce((held, asked, i) => narrow(held, `agent:${i}`, asked), principal);
        expect(principal.scopes).toEqual(expect.arrayContaining([...end.scopes]));
        for (const asked of steps) expect(asked).toEqual(expect.arrayContaining([...end.scopes]));
      }),
    );
  });

  it('keeps root id, authentication and end of the credential', () => {
    verifies('authority.narrow.root-id');
    fc.assert(
      fc.property(principals, scopes, (principal, asked) => {
        const { rootId, authenticated, expiresAtMs } = narrow(
          { ...principal, expiresAtMs: 5 },
          'agent:a',
          asked,
        );
        expect({ rootId, authenticated, expiresAtMs }).toEqual({
          rootId: principal.rootId,
          authenticated: principal.authenticated,
          expiresAtMs: 5,
        });
      }),
    );
  });

  it('leaves the principal it was given as it was', () => {
    const before = structuredClone(desk);
    narrow(desk, 'agent:triage', []);
    expect(desk).toEqual(before);
  });
});

describe('anonymous', () => {
  it('is called anonymous, is not authenticated and has the scopes given to strangers', () => {
    verifies('authority.anonymous', 'auth.principal');
    expect(anonymous(['pages:read'])).toEqual({
      id: 'anonymous',
      rootId: 'anonymous',
      authenticated: false,
      scopes: ['pages:read'],
    });
    expect(anonymous().scopes).toEqual([]);
  });
});

describe('adminScope', () => {
  it('is the scope of the specification, as the prefix is', () => {
    verifies('product.wire-constants');
    expect(adminScope).toBe('svc:admin');
    expect(createRouteTable().controlPrefix).toBe('/_svc');
  });
});
