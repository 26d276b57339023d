import { createRouteTable } from '@waymark/contract';
import type { Finding } from '@waymark/contract/declaring';
import { verifies } from '@waymark/contract/testing';
import { controlPlane, type SecurityFacts, toSecurityReport } from '@waymark/control-plane';
import { describe, expect, it } from 'vitest';
import { ask, options, tableOf } from '../serve.ts';
import { factsOf, served } from './kit.ts';

const gated = { tool: true, approval: 'required' } as const;
const routes = [
  served('GET', '/', {}, 'page'),
  served('GET', '/tickets', { tool: true, scopes: ['tickets:read'] }, 'resource'),
  served('POST', '/tickets', { scopes: ['tickets:write'] }, 'resource'),
  served('POST', '/refunds', {
    ...gated,
    toolName: 'refund',
    scopes: ['tickets:write'],
    approver: { scope: 'money', fourEyes: true, expiresMs: 60_000 },
  }),
  served('DELETE', '/tickets/{id}', { ...gated, scopes: ['tickets:write'] }),
  served('POST', '/agents/guard', { toolName: 'guard', tool: true, scopes: ['guard'] }, 'agent'),
  served('GET', '/agents/guard', { socket: true, scopes: ['guard'] }, 'agent'),
  served('POST', '/behaviours/triage', { toolName: 'triage', scopes: ['guard'] }, 'behaviour'),
  served('POST', '/flows/intake', { toolName: 'intake', scopes: ['guard'] }, 'flow'),
  served('POST', '/notes/remember', { scopes: ['n:write'], facts: { memory: 'notes' } }, 'memory'),
  served('GET', '/notes/recall/{key}', { scopes: ['n:read'], facts: { memory: 'notes' } }, 'memory'),
  served('GET', '/notes/search', { scopes: ['n:read'], facts: { memory: 'notes' } }, 'memory'),
  served('DELETE', '/notes/forget/{key}', { scopes: ['n:write'], facts: { memory: 'notes' } }, 'memory'),
  served('GET', '/facts/recall/{key}', { scopes: ['n:read'], facts: { memory: 'facts' } }, 'memory'),
];
const everything = ['tickets:read', 'tickets:write', 'guard', 'n:read', 'n:write', 'money'];
const settled: Partial<SecurityFacts> = {
  authentication: {
    configured: true,
    keys: [
      { id: 'desk', scopes: everything },
      { id: 'approver', scopes: ['svc:admin', 'money'] },
    ],
    anonymousScopes: ['tickets:read'],
  },
  limits: [
    { name: 'request_timeout', value: 30, unit: 's' },
    { name: 'rate_limit', value: 50, unit: 'per second', note: 'burst 100' },
  ],
  cors: { origins: ['https://desk.example'] },
  securityHeaders: {
    enabled: true,
    frameOptions: 'DENY',
    referrerPolicy: 'no-referrer',
    hstsMaxAge: 31_536_000,
  },
  trustProxy: ['10.0.0.1'],
  allowedHosts: ['desk.example'],
};

describe('toSecurityReport', () => {
  it('reports everything there is to know, member by member', () => {
    verifies(
      'control.security',
      'purpose.control.security',
      'security.members',
      'security.limits',
      'security.warnings',
    );
    const report = toSecurityReport(factsOf(routes, settled));
    expect(report).toEqual({
      auth_configured: true,
      anonymous_scopes: ['tickets:read'],
      public_surface: [
        { method: 'GET', path: '/', engine: 'page', tool: null, scopes: [], writes: false },
        {
          method: 'GET',
          path: '/tickets',
          engine: 'resource',
          tool: 'get_tickets',
          scopes: ['tickets:read'],
          writes: false,
        },
      ],
      gated_tools: [
        {
          name: 'refund',
          route: 'POST /refunds',
          scopes: ['tickets:write'],
          approver: { scope: 'money', four_eyes: true, expires_ms: 60_000 },
        },
        {
          name: 'delete_tickets_by_id',
          route: 'DELETE /tickets/{id}',
          scopes: ['tickets:write'],
          approver: { scope: null, four_eyes: false, expires_ms: 86_400_000 },
        },
      ],
      agents: [{ name: 'guard', route: 'POST /agents/guard', expose_scopes: ['guard'] }],
      behaviours: [{ name: 'triage', route: 'POST /behaviours/triage', expose_scopes: ['guard'] }],
      flows: [{ name: 'intake', route: 'POST /flows/intake', expose_scopes: ['guard'] }],
      memories: [
        { name: 'notes', read_scopes: ['n:read'], write_scopes: ['n:write'] },
        { name: 'facts', read_scopes: ['n:read'], write_scopes: [] },
      ],
      limits: [
        { name: 'request_timeout', value: 30, unit: 's' },
        { name: 'rate_limit', value: 50, unit: 'per second', note: 'burst 100' },
      ],
      cors: { origins: ['https://desk.example'], credentials: false },
      security_headers: {
        enabled: true,
        frame_options: 'DENY',
        referrer_policy: 'no-referrer',
        content_security_policy: null,
        hsts_max_age: 31_536_000,
      },
      trust_proxy: ['10.0.0.1'],
      allowed_hosts: ['desk.example'],
      warnings: [],
      notes: [
        {
          text: 'API key "approver" holds "svc:admin" beside other scopes: who learns it can also approve what it asks for',
          fix: 'keep "svc:admin" on a key of its own',
        },
        {
          text: 'API key "desk" calls POST /refunds and 1 more directly, and no human is asked: only agents are made to wait',
          fix: 'take the scope out of the key; where its agents need it, let the handler refuse whoever is no agent: user.id === user.root_id',
        },
      ],
    });
    // First what is open, then the limits, and the warnings at the end, as the report is read.
    const members = Object.keys(report);
    expect(members.slice(2, 9)).toEqual([
      'public_surface',
      'gated_tools',
      'agents',
      'behaviours',
      'flows',
      'memories',
      'limits',
    ]);
    expect(members.slice(-2)).toEqual(['warnings', 'notes']);
  });

  it('says nothing about what it was not told', () => {
    expect(toSecurityReport(factsOf([]))).toEqual({
      auth_configured: null,
      anonymous_scopes: [],
      public_surface: [],
      gated_tools: [],
      agents: [],
      behaviours: [],
      flows: [],
      memories: [],
      limits: [],
      cors: null,
      security_headers: null,
      trust_proxy: null,
      allowed_hosts: [],
      warnings: [],
      notes: [],
    });
  });

  it('notes a document that anybody may read', () => {
    verifies('docs-page.public-noted');
    const notesOf = (authentication: SecurityFacts['authentication']): readonly string[] =>
      toSecurityReport(factsOf([], authentication && { authentication })).notes.map(({ text }) => text);
    expect(notesOf({ configured: true, openapi: 'public' })).toEqual([
      'the OpenAPI document is public: anybody reads every route, its schemas and its scopes',
    ]);
    expect(notesOf({ configured: true })).toEqual([]);
    expect(notesOf({ configured: false, openapi: 'public' })).toEqual([]);
  });

  it('counts health to the public surface once there is authentication, and MCP when mcpScopes open it', () => {
    const control = ['/health', '/mcp', '/tools', '/routes', '/openapi.json'].map((path) =>
      served('GET', path, { plane: 'control' }, 'control'),
    );
    const open = (authentication?: SecurityFacts['authentication']): readonly string[] =>
      toSecurityReport(factsOf(control, authentication && { authentication })).public_surface.map(
        ({ path }) => path,
      );
    expect(open()).toEqual(['/_svc/health']);
    expect(open({ configured: true })).toEqual(['/_svc/health']);
    expect(open({ configured: true, mcpScopes: [] })).toEqual(['/_svc/health', '/_svc/mcp', '/_svc/tools']);
    expect(open({ configured: true, anonymousScopes: ['svc:admin'] })).toHaveLength(5);
    expect(open({ configured: true, openapi: 'public' })).toEqual(['/_svc/health', '/_svc/openapi.json']);
    // Then only this machine reaches it.
    expect(open({ configured: false, anonymousScopes: ['svc:admin'] })).toEqual([]);
  });

  it('passes on what plugins found, each to its list, the fix null where they name none', () => {
    const findings: readonly Finding[] = [
      { severity: 'warning', text: 'a', fix: 'b' },
      { severity: 'info', text: 'c' },
      { severity: 'warning', text: 'd' },
    ];
    expect(toSecurityReport(factsOf([], { findings }))).toMatchObject({
      warnings: [
        { text: 'a', fix: 'b' },
        { text: 'd', fix: null },
      ],
      notes: [{ text: 'c', fix: null }],
    });
  });

  it('shows each form of trustProxy as it is set', () => {
    const shown = (trustProxy: NonNullable<SecurityFacts['trustProxy']>): unknown =>
      toSecurityReport(factsOf([], { trustProxy })).trust_proxy;
    expect([shown(false), shown(true), shown(2), shown(['::1'])]).toEqual([false, true, 2, ['::1']]);
  });
});

describe('GET /security', () => {
  it('answers the report of the facts it is given about its table', async () => {
    verifies('control.security');
    const plane = controlPlane({ ...options, security: (table) => ({ ...settled, table }) });
    const table = createRouteTable([...routes, ...plane.routes]).freeze();
    expect(await ask(table, 'get_svc_security')).toEqual(toSecurityReport({ ...settled, table }));
  });

  it('answers from the table alone when it is given no facts', async () => {
    const table = tableOf([served('POST', '/open')]);
    expect(await ask(table, 'get_svc_security')).toEqual(toSecurityReport({ table }));
    expect(await ask(table, 'get_svc_security')).toMatchObject({
      auth_configured: null,
      public_surface: [
        { path: '/open', writes: true },
        { path: '/_svc/health' },
        { path: '/_svc/docs' },
        { path: '/_svc/docs/{version}/{file}' },
      ],
      warnings: [{ text: 'POST /open changes state and answers anybody', fix: 'give it scopes' }],
    });
  });

  it('asks for the facts at each request', async () => {
    const findings: Finding[] = [];
    const table = tableOf([], { security: (given) => ({ table: given, findings }) });
    expect(await ask(table, 'get_svc_security')).toMatchObject({ warnings: [] });
    findings.push({ severity: 'warning', text: 'late', fix: 'wait' });
    expect(await ask(table, 'get_svc_security')).toMatchObject({ warnings: [{ text: 'late', fix: 'wait' }] });
  });
});
