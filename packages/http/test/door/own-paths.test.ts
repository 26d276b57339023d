import { HTTPError } from '@waymark/contract';
import { describe, expect, it } from 'vitest';
import { ask } from '../ask.ts';
import type { FakeRoute } from '../fake-dispatcher.ts';
import { openDoor } from '../open-door.ts';

const routes: readonly FakeRoute[] = [
  { method: 'GET', path: '/.well-known/us' },
  { method: 'GET', path: '/page' },
];
const isOwnPath = (path: string) => path.startsWith('/.well-known/');

describe('isOwnPath', () => {
  it('keeps a path from the fallback', async () => {
    const door = await openDoor(routes, { isOwnPath, fallback: (_req, res) => void res.end('theirs') });
    expect((await ask(door, '/.well-known/us')).status).toBe(200);
    const missing = await ask(door, '/.well-known/nobody');
    expect([missing.status, missing.detail]).toEqual([404, 'nothing is served at this path']);
    expect((await ask(door, '/other')).body).toBe('theirs');
  });

  it('holds a path to our hosts, though it is not under the control prefix', async () => {
    const door = await openDoor(routes, { isOwnPath });
    const foreign = { host: 'evil.example' };
    for (const path of ['/.well-known/us', '/.well-known/nobody'])
      expect((await ask(door, path, foreign)).status).toBe(403);
    expect((await ask(door, '/page', foreign)).status).toBe(200);
  });

  it('is answered before middleware that `protect` stands in front of', async () => {
    const opened = await openDoor(routes, { isOwnPath });
    const theirs = await openDoor([], {
      fallback: (req, res) => opened.door.protect(req, res, () => void res.end('theirs')),
    });
    expect((await ask(theirs, '/.well-known/us')).body).toBe('"ok"');
    expect((await ask(theirs, '/.well-known/nobody')).status).toBe(404);
    expect((await ask(theirs, '/page')).body).toBe('theirs');
    await opened.door.whenIdle();
  });
});

describe('challenge', () => {
  it('completes refusals under the control prefix, and no others', async () => {
    const seen: unknown[] = [];
    const door = await openDoor([...routes, { method: 'GET', path: '/_svc/health' }], {
      controlRule: ({ principal }) =>
        principal.id === 'alice' ? new HTTPError(403, 'not for you') : undefined,
      challenge: ({ status, message }, at) => {
        seen.push([status, at]);
        return new HTTPError(status, message, { headers: { 'www-authenticate': 'Ours' } });
      },
    });
    const wrong = await ask(door, '/_svc/health/none', { 'x-api-key': 'wrong' });
    expect([wrong.status, wrong.headers['www-authenticate']]).toEqual([401, 'Ours']);
    const known = await ask(door, '/_svc/mcp', { 'x-api-key': 'good', host: 'localhost:1' });
    expect([known.status, known.headers['www-authenticate']]).toEqual([403, 'Ours']);
    await ask(door, '/_svc/mcp', { host: 'evil.example' });
    await ask(door, '/page', { 'x-api-key': 'wrong' });
    await ask(door, '/_svc/health');
    expect(seen).toEqual([
      [401, { path: '/health/none', host: `127.0.0.1:${door.port}`, principal: undefined }],
      [403, { path: '/mcp', host: 'localhost:1', principal: expect.objectContaining({ id: 'alice' }) }],
    ]);
  });
});
