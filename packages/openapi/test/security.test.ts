import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { documentOf, operationOf, route } from './tables.ts';

const both = { security: { apiKey: true, bearer: true } };

describe('toSecurity', () => {
  it('declares the schemes in use', () => {
    verifies('openapi.security-schemes');
    expect(documentOf([], both).components.securitySchemes).toEqual({
      apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'An API key.' },
      bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'A JSON Web Token.' },
    });
    expect(
      Object.keys(documentOf([], { security: { bearer: true } }).components.securitySchemes ?? {}),
    ).toEqual(['bearer']);
  });

  it('asks for all scopes of a route, with either scheme', () => {
    const scoped = route('GET', '/a', { scopes: ['a:read', 'b:read'] });
    expect(operationOf(scoped, both).security).toEqual([
      { apiKey: ['a:read', 'b:read'] },
      { bearer: ['a:read', 'b:read'] },
    ]);
  });

  it('says that a route without scopes is public', () => {
    expect(operationOf(route('GET', '/a'), both).security).toEqual([]);
  });

  it('says nothing where no authentication is configured', () => {
    expect(operationOf(route('GET', '/a', { scopes: ['a:read'] }))).not.toHaveProperty('security');
  });

  it('asks for svc:admin on the control plane, but not for health', () => {
    const control = (path: string) =>
      operationOf(route('GET', path, { plane: 'control' }), { security: { apiKey: true } });
    expect(control('/audit').security).toEqual([{ apiKey: ['svc:admin'] }]);
    expect(control('/health').security).toEqual([]);
    expect(control('/health').responses).not.toHaveProperty('401');
    // The same words in the data plane mean nothing.
    expect(
      operationOf(route('GET', '/health', { scopes: ['x'] }), { security: { apiKey: true } }).security,
    ).toEqual([{ apiKey: ['x'] }]);
  });

  it('asks for nothing where browsers sign in and on pages without data', () => {
    const control = (path: string) =>
      operationOf(route('POST', path, { plane: 'control' }), { security: { apiKey: true } }).security;
    const open = ['/session', '/session/end', '/sign-in', '/sign-in/style.css', '/console', '/console/x.js'];
    for (const path of [...open, '/docs', '/docs/docs.js']) expect([path, control(path)]).toEqual([path, []]);
    for (const path of ['/session/code', '/sign-in/x', '/consoles'])
      expect([path, control(path)]).toEqual([path, [{ apiKey: ['svc:admin'] }]]);
    // What refuses others there says so itself.
    const end = route('POST', '/session/end', { plane: 'control', facts: { fails: [403] } });
    expect(operationOf(end, { security: { apiKey: true } }).responses).toHaveProperty('403');
  });

  it('takes other scopes for MCP and the tool listing when it is told so', () => {
    const security = { apiKey: true, mcpScopes: ['tools'] };
    for (const path of ['/mcp', '/tools']) {
      expect(operationOf(route('POST', path, { plane: 'control' }), { security }).security).toEqual([
        { apiKey: ['tools'] },
      ]);
      expect(
        operationOf(route('POST', path, { plane: 'control' }), { security: { apiKey: true } }).security,
      ).toEqual([{ apiKey: ['svc:admin'] }]);
    }
    expect(operationOf(route('GET', '/audit', { plane: 'control' }), { security }).security).toEqual([
      { apiKey: ['svc:admin'] },
    ]);
  });
});
