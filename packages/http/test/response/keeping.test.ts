import { jsonResponse, problemResponse, RouteResponse } from '@waymark/contract/engine';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { type Answered, ask, askForSocket } from '../ask.ts';
import type { FakeRoute } from '../fake-dispatcher.ts';
import { openDoor } from '../open-door.ts';

const tagged = () => jsonResponse(1, 200, { etag: '"1"' });
const own = () => jsonResponse(1, 200, { 'Cache-Control': 'public, max-age=5' });
const scopes = ['maps:read'];

const routes: readonly FakeRoute[] = [
  { method: 'GET', path: '/public' },
  { method: 'GET', path: '/public/tagged', answer: tagged },
  { method: 'GET', path: '/public/broken', answer: () => problemResponse(500, 'internal error') },
  { method: 'GET', path: '/closed', scopes },
  { method: 'GET', path: '/closed/refused', scopes, answer: () => problemResponse(403, 'no') },
  { method: 'GET', path: '/closed/empty', scopes, answer: () => new RouteResponse(204, { kind: 'empty' }) },
  { method: 'GET', path: '/closed/tagged', scopes, answer: tagged },
  { method: 'GET', path: '/closed/own', scopes, answer: own },
  { method: 'GET', path: '/_svc/health' },
  { method: 'GET', path: '/_svc/tools', answer: tagged },
  { method: 'GET', path: '/_svc/own', answer: own },
  { method: 'GET', path: '/socket', scopes, accept: () => {} },
];

const keeping = ({ headers }: Answered): string | undefined => headers['cache-control'];
const known = { 'x-api-key': 'good' };

describe('an answer that does not say who may keep it', () => {
  it.each(['/_svc/health', '/_svc/tools', '/_svc/nothing', '/_svc', 'POST /_svc/health', '/%5Fsvc/health'])(
    'is kept by nobody below the control prefix: %s',
    async (target) => {
      verifies('http.headers.no-store.control');
      const door = await openDoor(routes);
      expect(keeping(await ask(door, target))).toBe('no-store');
      expect(keeping(await ask(door, target, known))).toBe('no-store');
      expect(keeping(await ask(door, target, { 'x-api-key': 'wrong' }))).toBe('no-store');
      expect(keeping(await ask(door, target, { host: 'evil.example' }))).toBe('no-store');
    },
  );

  it('is kept by nobody where scopes are needed, whoever asks and whatever comes of it', async () => {
    verifies('http.headers.no-store.private');
    const door = await openDoor(routes);
    for (const target of ['/closed', 'HEAD /closed', '/closed/refused', '/closed/empty'])
      for (const headers of [{}, known]) expect(keeping(await ask(door, target, headers))).toBe('no-store');
    expect(keeping(await ask(door, '/closed', { 'x-api-key': 'wrong' }))).toBe('no-store');
  });

  it('is kept by nobody where it was told to a known caller: it may be for them alone', async () => {
    verifies('http.headers.no-store.private');
    const door = await openDoor(routes);
    for (const target of ['/public', '/public/broken', '/nothing', 'POST /public'])
      expect([target, keeping(await ask(door, target, known))]).toEqual([
        target,
        // Nobody is asked who they are before a path is found.
        target === 'POST /public' ? undefined : 'no-store',
      ]);
  });

  it('is kept by who asked, and asked for again, where it has a tag', async () => {
    verifies('http.headers.no-store.private');
    const door = await openDoor(routes);
    for (const headers of [{}, { 'if-none-match': '"1"' }]) {
      expect(keeping(await ask(door, '/closed/tagged', headers))).toBe('private, no-cache');
      expect(keeping(await ask(door, '/public/tagged', { ...known, ...headers }))).toBe('private, no-cache');
    }
    const { status } = await ask(door, '/closed/tagged', { 'if-none-match': '"1"' });
    expect(status).toBe(304);
  });

  it('says nothing where it is the same for everybody', async () => {
    verifies('http.headers.no-store.public');
    const door = await openDoor(routes);
    for (const target of ['/public', '/public/tagged', '/public/broken', '/nothing', '/_svcx'])
      expect([target, keeping(await ask(door, target))]).toEqual([target, undefined]);
  });

  it('is kept by nobody where it refuses an upgrade', async () => {
    verifies('http.headers.no-store.private');
    const door = await openDoor(routes);
    expect(keeping(await askForSocket(door, '/socket', { 'x-api-key': 'wrong' }))).toBe('no-store');
    expect(keeping(await askForSocket(door, '/_svc/live'))).toBe('no-store');
    expect((await askForSocket(door, '/socket')).status).toBe(101);
  });
});

describe('an answer that says itself who may keep it', () => {
  it('is heard, once', async () => {
    const door = await openDoor(routes, { controlRule: () => undefined });
    for (const path of ['/closed/own', '/_svc/own'])
      expect(keeping(await ask(door, path, known))).toBe('public, max-age=5');
  });
});

describe('what others answer', () => {
  it('is theirs to say', async () => {
    const door = await openDoor(routes, { fallback: (_req, res) => void res.end('fallback') });
    expect(keeping(await ask(door, '/elsewhere', known))).toBeUndefined();
  });
});
