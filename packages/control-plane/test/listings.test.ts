import { defineRoute, toRoute } from '@waymark/contract';
import { adminScope, anonymous, type Principal } from '@waymark/contract/principal';
import { verifies } from '@waymark/contract/testing';
import { type AuthenticationFacts, controlPlane } from '@waymark/control-plane';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ask, options, tableOf } from './serve.ts';

const tools = 'get_svc_tools';
const routes = 'get_svc_routes';
const key = (...scopes: string[]): Principal => ({ id: 'k', rootId: 'k', authenticated: true, scopes });

const summary = defineRoute(
  'GET',
  '/tickets/{id}/summary',
  {
    tool: true,
    summary: 'Summarise a ticket.',
    input: { id: { type: 'integer' }, style: { type: 'string', default: 'short' } },
    output: { type: 'object' },
  },
  () => ({}),
);
const remove = defineRoute(
  'DELETE',
  '/tickets/{id}',
  { tool: true, scopes: ['tickets:write'] },
  () => undefined,
);
const refund = defineRoute(
  'POST',
  '/refunds',
  {
    tool: true,
    toolName: 'refund',
    approval: 'required',
    scopes: ['tickets:write', 'money'],
    summary: 'Refund.',
  },
  () => null,
);
const plain = defineRoute('PUT', '/plain', { scopes: ['money'] }, () => null);
const socket = toRoute('GET', '/live', { kind: 'agent', accept: () => undefined }, { socket: true });
const table = tableOf([summary, remove, plain, refund, socket]);

describe('GET /tools', () => {
  it('lists exactly name, description, inputSchema and annotations', async () => {
    verifies('control.tools', 'descriptor.four-members', 'descriptor.example', 'listing.wrapped.tools');
    const answer = await ask(tableOf([summary]), tools);
    const row =
      '{"name":"get_tickets_by_id_summary","description":"Summarise a ticket.","inputSchema":{"type":"object","properties":{"id":{"type":"integer"},"style":{"type":"string","default":"short"}},"required":["id"],"additionalProperties":false},"annotations":{"readOnlyHint":true,"idempotentHint":true,"requiresApproval":false}}';
    expect(JSON.stringify(answer)).toBe(`{"tools":[${row}]}`);
  });

  it('shows the hints of deleting and gated tools', async () => {
    const answer = await ask(table, tools, { principal: key('tickets:write', 'money') });
    expect(answer).toMatchObject({
      tools: [
        {},
        { name: 'delete_tickets_by_id', annotations: { destructiveHint: true, requiresApproval: false } },
        { name: 'refund', annotations: { readOnlyHint: false, requiresApproval: true } },
      ],
    });
  });

  it('lists no tool whose scopes the caller does not hold', async () => {
    verifies('control.tools.per-caller', 'mcp.list.only-own', 'purpose.control.listings');
    const seen = async (principal: Principal): Promise<readonly string[]> =>
      ((await ask(table, tools, { principal })) as { tools: { name: string }[] }).tools.map(
        ({ name }) => name,
      );
    expect(await seen(anonymous())).toEqual(['get_tickets_by_id_summary']);
    expect(await seen(key('money'))).toEqual(['get_tickets_by_id_summary']);
    expect(await seen(key('tickets:write'))).toEqual(['get_tickets_by_id_summary', 'delete_tickets_by_id']);
    expect(await seen(key('money', 'tickets:write'))).toEqual([
      'get_tickets_by_id_summary',
      'delete_tickets_by_id',
      'refund',
    ]);
    expect(await seen(key(adminScope))).toEqual(['get_tickets_by_id_summary']);
  });

  it('keeps the order of declaration and the scopes of the caller, whatever is declared', async () => {
    verifies('mcp.list.order', 'control.tools.per-caller');
    const scope = fc.constantFrom('a', 'b', 'c');
    const declared = fc.array(fc.record({ tool: fc.boolean(), scopes: fc.uniqueArray(scope) }), {
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(declared, fc.uniqueArray(scope), async (rows, held) => {
        const generated = rows.map((options, i) =>
          defineRoute('GET', `/r${rows.length - i}`, { ...options, toolName: `t${i}` }, () => null),
        );
        const answer = await ask(tableOf(generated), tools, { principal: key(...held) });
        const names = (answer as { tools: { name: string }[] }).tools.map(({ name }) => name);
        const expected = rows.flatMap(({ tool, scopes }, i) =>
          tool && scopes.every((one) => held.includes(one)) ? [`t${i}`] : [],
        );
        expect(names).toEqual(expected);
      }),
    );
  });
});

describe('GET /routes', () => {
  it('lists every route with the engine that serves it', async () => {
    verifies(
      'control.routes',
      'listing.wrapped.routes',
      'listing.routes.members',
      'listing.routes.engines',
      'purpose.control.listings',
    );
    const fixed = toRoute('GET', '/robots.txt', { kind: 'static', answer: () => '' });
    const answer = await ask(tableOf([summary, refund, plain, socket, fixed]), routes);
    const { routes: rows } = answer as { readonly routes: readonly Readonly<Record<string, unknown>>[] };
    const never = { scopes: [], approval: 'never' };
    const tickets = { method: 'GET', path: '/tickets/{id}/summary', tool: 'get_tickets_by_id_summary' };
    const money = { method: 'POST', path: '/refunds', tool: 'refund', scopes: ['tickets:write', 'money'] };
    expect(rows).toMatchObject([
      { engine: 'handler', ...tickets, ...never },
      { engine: 'handler', ...money, approval: 'required' },
      { method: 'PUT', path: '/plain', engine: 'handler', tool: null, scopes: ['money'], approval: 'never' },
      { method: 'GET', path: '/live', engine: 'agent', tool: null, ...never },
      { method: 'GET', path: '/robots.txt', engine: 'static', tool: null, ...never },
      ...controlPlane(options).routes.map(({ path }) => ({
        ...{ method: 'GET', path: `/_svc${path}`, engine: 'control', tool: null, approval: 'never' },
        scopes: /^\/(?:health|docs)/.test(path) ? [] : ['svc:admin'],
      })),
    ]);
  });

  it('says of those of the control plane what its rule asks for', async () => {
    verifies('listing.routes.members');
    const scopesOf = async (authentication: AuthenticationFacts, path: string): Promise<unknown> => {
      const table = tableOf([plain], { security: (all) => ({ table: all, authentication }) });
      const { routes: rows } = (await ask(table, routes)) as {
        readonly routes: readonly { readonly path: string; readonly scopes: readonly string[] }[];
      };
      return rows.find((row) => row.path === path)?.scopes;
    };
    const mcp = { configured: true, mcpScopes: ['desk:read', 'mcp'] };
    expect(await scopesOf(mcp, '/_svc/tools')).toEqual(['desk:read', 'mcp']);
    expect(await scopesOf(mcp, '/_svc/audit')).toEqual(['svc:admin']);
    expect(await scopesOf({ configured: true, openapi: 'public' }, '/_svc/openapi.json')).toEqual([]);
    expect(await scopesOf({ configured: false }, '/_svc/audit')).toEqual([]);
    expect(await scopesOf({ configured: false }, '/plain')).toEqual(['money']);
  });

  it('says of each what a form needs', async () => {
    verifies('listing.routes.forms');
    const answer = await ask(tableOf([summary, socket, refund]), routes);
    const { routes: rows } = answer as { readonly routes: readonly Readonly<Record<string, unknown>>[] };
    const properties = { id: { type: 'integer' }, style: { type: 'string' } };
    expect(rows.slice(0, 3)).toMatchObject([
      {
        ...{ name: 'get_tickets_by_id_summary', read_only: true, socket: false },
        ...{ summary: expect.stringMatching(/./), input_schema: { properties, required: ['id'] } },
      },
      { socket: true },
      { name: 'refund', read_only: false },
    ]);
  });

  it('has as many rows as health counts routes', async () => {
    const listed = (await ask(table, routes)) as { routes: readonly unknown[] };
    expect(await ask(table, 'get_svc_health')).toMatchObject({ body: { routes: listed.routes.length } });
  });
});
