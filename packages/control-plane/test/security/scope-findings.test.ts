import { type AuthenticationFacts, toSecurityReport } from '@waymark/control-plane';
import { describe, expect, it } from 'vitest';
import { factsOf, served, warningsOf } from './kit.ts';

const held = (keys: Record<string, readonly string[]>, more: Partial<AuthenticationFacts> = {}) => ({
  authentication: {
    configured: true,
    keys: Object.entries(keys).map(([id, scopes]) => ({ id, scopes })),
    ...more,
  },
});
const read = served('GET', '/tickets', { scopes: ['tickets:read'] });

describe('the warnings about scopes', () => {
  it('name a route that nobody reaches, and the scope that was meant', () => {
    expect(warningsOf([read], held({ reader: ['tickets:raed'] }))).toEqual([
      'nobody reaches GET /tickets: scope "tickets:read" is granted to nobody (did you mean "tickets:raed"?) → grant it to an API key, or correct the scopes of the route',
      'API key "reader" holds "tickets:raed", which no route needs (did you mean "tickets:read"?) → correct it, or take it out of the key',
    ]);
  });

  it('name a missing scope once, however many routes need it', () => {
    const routes = ['/a', '/b', '/c'].map((path) => served('GET', path, { scopes: ['far'] }));
    expect(warningsOf(routes, held({}))).toEqual([
      'nobody reaches GET /a and 2 more: scope "far" is granted to nobody → grant it to an API key, or correct the scopes of the route',
    ]);
  });

  it('name a route whose scopes nobody holds together', () => {
    const both = served('GET', '/both', { scopes: ['a', 'b'] });
    expect(warningsOf([both], held({ one: ['a'], two: ['b'] }))).toEqual([
      'nobody reaches GET /both: "a" and "b" are granted to different callers only → grant them to one API key',
    ]);
    expect(warningsOf([both], held({ one: ['a'], two: ['b', 'a'] }))).toEqual([]);
  });

  it('count what anonymous callers hold, and no key inherits it', () => {
    expect(warningsOf([read], held({}, { anonymousScopes: ['tickets:read'] }))).toEqual([]);
    const both = served('GET', '/both', { scopes: ['a', 'b'] });
    expect(warningsOf([both], held({ one: ['a'] }, { anonymousScopes: ['b'] }))).toHaveLength(1);
  });

  it('name a control plane that no key reaches, unless mcpScopes let it in', () => {
    const tools = served('GET', '/tools', { plane: 'control' }, 'control');
    const health = served('GET', '/health', { plane: 'control' }, 'control');
    const warnings = [
      'nobody reaches GET /_svc/tools: scope "svc:admin" is granted to nobody → grant it to an API key, or correct the scopes of the route',
    ];
    expect(warningsOf([health, tools], held({ one: [] }))).toEqual(warnings);
    expect(warningsOf([tools], held({ one: ['svc:admin'] }))).toEqual([]);
    expect(warningsOf([tools], held({ one: ['tools'] }, { mcpScopes: ['tools'] }))).toEqual([]);
  });

  it('name scopes without authentication too, where the control plane asks for none', () => {
    const tools = served('GET', '/tools', { plane: 'control' }, 'control');
    expect(warningsOf([tools, read], { authentication: { configured: false } })).toEqual([
      expect.stringContaining('no authentication is configured'),
      expect.stringContaining('nobody reaches GET /tickets: scope "tickets:read"'),
    ]);
  });

  it('call no scope granted to nobody where tokens may carry it', () => {
    const gated = { tool: true, approval: 'required', approver: { scope: 'money' } } as const;
    const refund = served('POST', '/refunds', { ...gated, scopes: ['refunds'] });
    expect(warningsOf([read, refund], held({}, { jwt: true }))).toEqual([]);
  });

  it('name a scope that no route needs, whoever holds it', () => {
    const facts = held(
      { reader: ['tickets:read', 'x'] },
      { jwt: true, anonymousScopes: ['yy', 'svc:admin'] },
    );
    expect(warningsOf([read], facts).slice(1)).toEqual([
      'API key "reader" holds "x", which no route needs → correct it, or take it out of the key',
      'anonymous callers hold "yy", which no route needs → correct it, or take it out of anonymousScopes',
    ]);
  });

  it('name a tool that nobody can approve', () => {
    const refund = served('POST', '/refunds', {
      tool: true,
      toolName: 'refund',
      approval: 'required',
      scopes: ['refunds'],
      approver: { scope: 'money:approve' },
    });
    const line = (hint: string): string =>
      `nobody can approve tool "refund": no caller holds "svc:admin" and "money:approve"${hint} → grant "money:approve" to an API key that holds "svc:admin", or correct the approver of the tool`;
    const agent = ['refunds'];
    expect(warningsOf([refund], held({ agent, boss: ['svc:admin', 'money:approve'] }))).toEqual([]);
    expect(warningsOf([refund], held({ agent, boss: ['svc:admin'], clerk: ['money:approve'] }))).toEqual([
      line(''),
    ]);
    expect(warningsOf([refund], held({ agent, boss: ['svc:admin', 'money:aprove'] }))).toEqual([
      line(' (did you mean "money:aprove"?)'),
      expect.stringContaining('API key "boss" holds "money:aprove", which no route needs'),
    ]);
  });

  it('say nothing when nothing is known about authentication', () => {
    expect(warningsOf([read])).toEqual([]);
  });
});

describe('the notes about scopes', () => {
  it('name a key that holds svc:admin beside other scopes', () => {
    const facts = held({ operator: ['svc:admin', 'tickets:read'], admin: ['svc:admin'] });
    expect(toSecurityReport(factsOf([read], facts))).toMatchObject({
      warnings: [],
      notes: [
        {
          text: 'API key "operator" holds "svc:admin" beside other scopes: who learns it can also approve what it asks for',
          fix: 'keep "svc:admin" on a key of its own',
        },
      ],
    });
  });

  it('name a key that calls a gated tool directly, once for all of its tools', () => {
    const gated = { tool: true, approval: 'required' } as const;
    const routes = [
      served('POST', '/refunds', { ...gated, toolName: 'refund', scopes: ['refunds'] }),
      served('POST', '/credits', { ...gated, toolName: 'credit', scopes: ['refunds'] }),
      served('POST', '/open', { ...gated, toolName: 'open' }),
      served('POST', '/plain', { tool: true, scopes: ['plain'] }),
    ];
    const notesOf = (keys: Record<string, readonly string[]>): readonly string[] =>
      toSecurityReport(factsOf(routes, held(keys))).notes.map(({ text }) => text);
    expect(notesOf({ desk: ['plain', 'refunds'], reader: ['plain'], admin: ['svc:admin'] })).toEqual([
      'API key "desk" calls POST /refunds and 1 more directly, and no human is asked: only agents are made to wait',
    ]);
    // A key that approves asks itself: what is said of it is that it holds both.
    expect(notesOf({ boss: ['refunds', 'plain', 'svc:admin'] })).toEqual([
      expect.stringContaining('API key "boss" holds "svc:admin" beside other scopes'),
    ]);
  });
});
