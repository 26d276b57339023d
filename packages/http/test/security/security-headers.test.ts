import { jsonResponse, problemResponse, RouteResponse } from '@waymark/contract/engine';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { toSecurityHeaders } from '../../src/security/security-headers.ts';
import { type Answered, ask, askForSocket } from '../ask.ts';
import type { FakeRoute } from '../fake-dispatcher.ts';
import { openDoor } from '../open-door.ts';
import { rawClient } from '../raw-client.ts';

const routes: readonly FakeRoute[] = [
  { method: 'GET', path: '/page' },
  { method: 'GET', path: '/broken', answer: () => problemResponse(500, 'internal error') },
  { method: 'GET', path: '/empty', answer: () => new RouteResponse(204, { kind: 'empty' }) },
  {
    method: 'GET',
    path: '/stream',
    answer: () =>
      new RouteResponse(200, {
        kind: 'stream',
        stream: ReadableStream.from([Buffer.from('a')]),
        mediaType: 'a/b',
      }),
  },
  {
    method: 'GET',
    path: '/own',
    answer: () => jsonResponse(1, 200, { 'Referrer-Policy': 'no-referrer', 'x-frame-options': 'SAMEORIGIN' }),
  },
  { method: 'GET', path: '/socket', accept: () => {} },
];

const defaults = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'cross-origin-opener-policy': 'same-origin',
};
const sometimes = ['content-security-policy', 'strict-transport-security'];

const protective = ({ headers }: Answered) =>
  Object.fromEntries(
    [...Object.keys(defaults), ...sometimes].flatMap((name) =>
      name in headers ? [[name, headers[name]]] : [],
    ),
  );

describe('security headers', () => {
  it('are on every answer of a door without options', async () => {
    verifies('http.headers.everywhere');
    const door = await openDoor(routes, {
      fallback: (_req, res) => void res.end('fallback'),
    });
    for (const target of [
      '/page',
      'HEAD /page',
      'POST /page',
      'OPTIONS /page',
      '/broken',
      '/empty',
      '/stream',
      '/somewhere/else',
      '/_svc/health',
      '/%zz',
    ])
      expect(protective(await ask(door, target)), target).toEqual(defaults);
    expect(protective(await ask(door, '/page', { 'x-api-key': 'wrong' }))).toEqual(defaults);
    for (const path of ['/socket', '/nothing', '/page'])
      expect(protective(await askForSocket(door, path)), `upgrade of ${path}`).toEqual(defaults);
  });

  it('are on the answer to what is not even a request', async () => {
    const { port } = await openDoor(routes);
    const client = await rawClient(port);
    client.send('RUBBISH\r\n\r\n');
    const head = await client.until(/\}$/);
    for (const [name, value] of Object.entries(defaults)) expect(head).toContain(`\r\n${name}: ${value}\r\n`);
  });

  it('give way to those that a response brings itself', async () => {
    const door = await openDoor(routes);
    expect(protective(await ask(door, '/own'))).toEqual({
      ...defaults,
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'SAMEORIGIN',
    });
  });

  it('say what the options say', async () => {
    const door = await openDoor(routes, {
      securityHeaders: {
        frameOptions: 'SAMEORIGIN',
        referrerPolicy: 'no-referrer',
        contentSecurityPolicy: "default-src 'self'",
      },
    });
    expect(protective(await ask(door, '/page'))).toEqual({
      ...defaults,
      'x-frame-options': 'SAMEORIGIN',
      'referrer-policy': 'no-referrer',
      'content-security-policy': "default-src 'self'",
    });
  });

  it('have a policy for pages, by a word', async () => {
    verifies('http.headers.policy-pages');
    const door = await openDoor(routes, { securityHeaders: { contentSecurityPolicy: 'pages' } });
    expect(protective(await ask(door, '/page'))).toEqual({
      ...defaults,
      'content-security-policy':
        "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'",
    });
  });

  it('can be turned off', async () => {
    const door = await openDoor(routes, { securityHeaders: { enabled: false } });
    expect(protective(await ask(door, '/page'))).toEqual({});
  });
});

describe('strict-transport-security', () => {
  const https = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.9' };

  it('is sent for what came by https, by the word of a trusted proxy only', async () => {
    verifies('http.headers.hsts-https');
    const trusting = await openDoor(routes, { trustProxy: 1 });
    expect(protective(await ask(trusting, '/page', https))).toEqual({
      ...defaults,
      'strict-transport-security': 'max-age=31536000',
    });
    expect(protective(await askForSocket(trusting, '/socket', https))).toHaveProperty(
      'strict-transport-security',
    );
    const plain = { ...https, 'x-forwarded-proto': 'http' };
    expect(protective(await ask(trusting, '/page', plain))).toEqual(defaults);
    const distrusting = await openDoor(routes);
    expect(protective(await ask(distrusting, '/page', https))).toEqual(defaults);
  });

  it('lasts as long as `hstsMaxAge` says', () => {
    expect(toSecurityHeaders({ hstsMaxAge: 60 }, true).slice(-2)).toEqual([
      'strict-transport-security',
      'max-age=60',
    ]);
    expect(toSecurityHeaders({ hstsMaxAge: 60 }, false)).not.toContain('strict-transport-security');
    expect(toSecurityHeaders({ enabled: false }, true)).toEqual([]);
  });
});
