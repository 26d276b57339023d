import { describe, expect, it } from 'vitest';
import { served, warningsOf } from './kit.ts';

const scopes = ['a'];

describe('the warnings about policies', () => {
  it('name cors for every origin', () => {
    expect(warningsOf([], { cors: { origins: ['https://a.example', '*'] } })).toEqual([
      'cors lets the pages of any origin read answers → name the origins in cors',
    ]);
    expect(warningsOf([], { cors: { origins: ['https://a.example'], credentials: true } })).toEqual([]);
  });

  it('name a trustProxy that believes everybody', () => {
    const line =
      'trustProxy believes every peer: callers choose the address by which they are limited and logged → give trustProxy the addresses of the proxies, or how many there are';
    for (const trustProxy of [true, ['10.0.0.1', '0.0.0.0/0'], ['::/0'], ['*']])
      expect(warningsOf([], { trustProxy })).toEqual([line]);
    for (const trustProxy of [false, 0, 1, [], ['10.0.0.0/8', 'loopback']])
      expect(warningsOf([], { trustProxy })).toEqual([]);
  });

  it('name allowedHosts that take any', () => {
    expect(warningsOf([], { allowedHosts: ['desk.example', '*'] })).toEqual([
      'allowedHosts takes any Host: a page can reach the service under a name of its own (DNS rebinding) → name the hosts in allowedHosts',
    ]);
    expect(warningsOf([], { allowedHosts: ['desk.example'] })).toEqual([]);
  });

  it('name security headers that are disabled', () => {
    expect(warningsOf([], { securityHeaders: { enabled: false } })).toEqual([
      'security headers are disabled → remove enabled: false from securityHeaders',
    ]);
    expect(warningsOf([], { securityHeaders: { enabled: true } })).toEqual([]);
  });

  it('name each limit of none by the option that sets it', () => {
    const limits = [
      { name: 'rate_limit', value: 'none' },
      { name: 'request_timeout', value: 30, unit: 's' },
      { name: 'failure_limit', value: 'none' },
    ] as const;
    expect(warningsOf([], { limits })).toEqual([
      'no rate limit is in force → declare a rateLimit',
      'no failure limit is in force → set failureLimit',
    ]);
  });

  it('name routes that hold bodies or messages of any size', () => {
    const unlimited = { scopes, maxBodyBytes: Number.POSITIVE_INFINITY };
    const routes = [
      served('POST', '/bytes', unlimited),
      served('POST', '/json', { ...unlimited, input: { name: { type: 'string' } } }),
      served('GET', '/live', { ...unlimited, socket: true }),
      served('GET', '/none', unlimited),
      served('POST', '/passed-on', { ...unlimited, body: 'source' }),
      served('POST', '/large', { scopes, maxBodyBytes: 2 ** 30 }),
    ];
    expect(warningsOf(routes)).toEqual([
      'POST /bytes takes bodies of any size → set its maxBodyBytes',
      'POST /json takes bodies of any size → set its maxBodyBytes',
      'GET /live takes messages of any size → set its maxBodyBytes',
    ]);
  });

  it('name routes that may take for ever, but no socket and no control route', () => {
    const endless = { scopes, timeoutMs: Number.POSITIVE_INFINITY };
    const routes = [
      served('GET', '/endless', endless),
      served('GET', '/live', { ...endless, socket: true }),
      served('POST', '/mcp', { ...endless, plane: 'control' }, 'control'),
      served('GET', '/long', { scopes, timeoutMs: 3_600_000 }),
    ];
    expect(warningsOf(routes)).toEqual(['GET /endless may take for ever → set its timeoutMs']);
  });
});
