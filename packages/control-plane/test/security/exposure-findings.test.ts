import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { served, warningsOf } from './kit.ts';

const anonymously = (...anonymousScopes: string[]) => ({
  authentication: {
    configured: true,
    keys: [{ id: 'desk', scopes: ['a', 'b', 'svc:admin'] }],
    anonymousScopes,
  },
});

describe('the warnings about what is open', () => {
  it('name a service without authentication, and only such a one', () => {
    verifies('security.warnings');
    const line =
      'no authentication is configured: every route without scopes answers anybody who connects → declare an apiKey or a jwt';
    expect(warningsOf([], { authentication: { configured: false } })).toEqual([line]);
    expect(warningsOf([], { authentication: { configured: true, jwt: true } })).toEqual([]);
    expect(warningsOf([])).toEqual([]);
  });

  it('name allowUnauthenticated, even beside authentication', () => {
    const authentication = { configured: true, jwt: true, allowUnauthenticated: true };
    expect(warningsOf([], { authentication })).toEqual([
      'allowUnauthenticated lets the service listen beyond this machine without authentication → remove allowUnauthenticated',
    ]);
  });

  it('name the control plane that anonymous callers hold the key of', () => {
    const authentication = { configured: true, jwt: true, anonymousScopes: ['svc:admin'] };
    expect(warningsOf([], { authentication })).toEqual([
      'anonymous callers hold "svc:admin": the control plane and its approvals are open to them → take "svc:admin" out of anonymousScopes',
    ]);
  });

  it('name each public route that changes state, and why it is public', () => {
    verifies('security.warnings');
    const routes = [
      served('POST', '/open'),
      served('PATCH', '/granted', { scopes: ['a'] }),
      served('DELETE', '/twice', { scopes: ['a', 'b'] }),
      served('PUT', '/guarded', { scopes: ['a', 'b'] }),
      served('GET', '/read'),
      served('POST', '/search', { readOnly: true }),
      served('GET', '/tick', { readOnly: false }),
    ];
    expect(warningsOf(routes, anonymously('a'))).toEqual([
      'POST /open changes state and answers anybody → give it scopes',
      'PATCH /granted changes state and answers anybody → take "a" out of anonymousScopes',
      'GET /tick changes state and answers anybody → give it scopes',
    ]);
    expect(warningsOf(routes.slice(2, 4), anonymously('a', 'b'))).toEqual([
      'DELETE /twice changes state and answers anybody → take "a" or "b" out of anonymousScopes',
      'PUT /guarded changes state and answers anybody → take "a" or "b" out of anonymousScopes',
    ]);
  });

  it('name a public gated tool once, whatever its method', () => {
    const gated = { tool: true, approval: 'required' } as const;
    const routes = [
      served('POST', '/refunds', { ...gated, toolName: 'refund' }),
      served('GET', '/secrets', { ...gated, toolName: 'read_secrets', scopes: ['a'] }),
      served('POST', '/closed', { ...gated, scopes: ['b'] }),
    ];
    expect(warningsOf(routes, anonymously('a'))).toEqual([
      'gated tool "refund" answers anybody who calls POST /refunds directly: only agents are made to wait → give it scopes',
      'gated tool "read_secrets" answers anybody who calls GET /secrets directly: only agents are made to wait → take "a" out of anonymousScopes',
    ]);
  });

  it('name a gate on a route that no agent can use', () => {
    expect(warningsOf([served('GET', '/plain', { approval: 'required', scopes: ['a'] })])).toEqual([
      'GET /plain asks for approval and is no tool, so nothing is ever asked → set tool: true',
    ]);
  });

  it('name each agent, behaviour and flow that anybody can start, once for its request and its socket', () => {
    const routes = [
      served('POST', '/agents/guard', { toolName: 'guard' }, 'agent'),
      served('GET', '/agents/guard', { socket: true, readOnly: false }, 'agent'),
      served('POST', '/behaviours/triage', { toolName: 'triage' }, 'behaviour'),
      served('POST', '/flows/intake', { toolName: 'intake', scopes: ['a'] }, 'flow'),
      served('POST', '/agents/closed', { toolName: 'closed', scopes: ['b'] }, 'agent'),
    ];
    expect(warningsOf(routes, anonymously('a'))).toEqual([
      'anybody can start agent "guard" → give it exposeScopes',
      'anybody can start behaviour "triage" → give it exposeScopes',
      'anybody can start flow "intake" → take "a" out of anonymousScopes',
    ]);
  });

  it('say nothing about routes of the control plane', () => {
    const routes = [served('POST', '/mcp', { plane: 'control' }, 'control')];
    expect(warningsOf(routes, { authentication: { configured: true, jwt: true, mcpScopes: [] } })).toEqual(
      [],
    );
  });
});
