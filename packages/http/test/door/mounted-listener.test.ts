import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { jsonResponse } from '@waymark/contract/engine';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDoor, type DoorOptions } from '../../src/index.ts';
import { ask } from '../ask.ts';
import { fakeDispatcher } from '../fake-dispatcher.ts';
import { keys } from '../open-door.ts';

/** A server of node:http with the door as its listener, and what the door logged. */
async function serve(
  fallback?: RequestListener,
  { beside = false, ...options }: Partial<DoorOptions> & { readonly beside?: boolean } = {},
) {
  const dispatcher = fakeDispatcher([
    { method: 'GET', path: '/page' },
    { method: 'GET', path: '/', answer: () => jsonResponse('top') },
    { method: 'GET', path: '/.well-known/ours' },
  ]);
  const logged: unknown[] = [];
  const door = createDoor({
    ...{ dispatcher, authenticate: keys, newId: () => 'made', mountPath: '/api/v1' },
    log: (_level, _message, fields = {}) => logged.push([fields['path'], fields['status']]),
    ...options,
  });
  const server = createServer(beside && fallback ? door.beside(fallback) : door.listener(fallback)).listen(
    0,
    '127.0.0.1',
  );
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, dispatcher, logged };
}

const theirs: RequestListener = (req, res) => {
  if (req.url === '/broken') throw new Error('theirs');
  res.end(`theirs ${req.url}`);
};

describe('a listener with a mount path', () => {
  it('finds the routes below it, and nowhere else', async () => {
    const at = await serve();
    expect((await ask(at, '/api/v1/page?a=1')).status).toBe(200);
    expect(at.dispatcher.calls[0]?.input).toMatchObject({ path: '/page', search: 'a=1' });
    expect((await ask(at, '/api/v1')).body).toContain('top');
    for (const path of ['/page', '/api/v1page', '/api/page', '/'])
      expect((await ask(at, path)).status, path).toBe(404);
    expect((await ask(at, '/api/v1/page', { 'x-api-key': 'wrong' })).status).toBe(401);
    expect(at.logged.slice(0, 3)).toEqual([
      ['/api/v1/page', 200],
      ['/api/v1', 200],
      ['/page', 404],
    ]);
  });

  it('leaves the rest to the fallback, with the whole target and the headers of every answer', async () => {
    const at = await serve(theirs);
    for (const path of ['/page', '/api/v1/nothing', '/?q=1']) {
      const { status, body, headers } = await ask(at, path);
      expect([status, body, headers['x-request-id']], path).toEqual([200, `theirs ${path}`, 'made']);
      expect(headers['x-content-type-options'], path).toBe('nosniff');
    }
    expect((await ask(at, '/api/v1/page')).status).toBe(200);
    expect((await ask(at, '/broken')).status).toBe(500);
    await expect.poll(() => at.logged).toContainEqual(['/', 200]);
  });

  it('keeps the guards in front of the fallback, and the paths that are ours wherever they are', async () => {
    const at = await serve(theirs, {
      hostGuard: 'everywhere',
      isOwnPath: (path) => path.startsWith('/.well-known/'),
    });
    expect((await ask(at, '/theirs', { host: 'evil.example' })).status).toBe(403);
    expect((await ask(at, '/.well-known/ours')).body).toContain('ok');
    expect((await ask(at, '/theirs')).status).toBe(200);
  });
});

describe('a listener beside an application', () => {
  it('serves the routes, and leaves everything else as it is', async () => {
    verifies('embed.untouched');
    const at = await serve(theirs, { beside: true, hostGuard: 'everywhere' });
    expect((await ask(at, '/api/v1/page')).status).toBe(200);
    for (const path of ['/page', '/api/v1/nothing', '/?q=1', '/api/v1page']) {
      const { status, body, headers } = await ask(at, path, { host: 'of.theirs' });
      expect([status, body], path).toEqual([200, `theirs ${path}`]);
      expect(Object.keys(headers).sort(), path).toEqual(['connection', 'content-length', 'date']);
    }
    expect((await ask(at, '/api/v1/page', { host: 'of.theirs' })).status).toBe(403);
    await expect.poll(() => at.logged.length).toBe(2);
  });

  it('keeps the paths that are ours wherever they are, and needs no mount path', async () => {
    const isOwnPath = (path: string): boolean => path.startsWith('/.well-known/');
    const at = await serve(theirs, { beside: true, isOwnPath });
    expect((await ask(at, '/.well-known/ours')).body).toContain('ok');
    expect((await ask(at, '/.well-known/theirs')).status).toBe(404);
    const top = await serve(theirs, { beside: true, mountPath: '' });
    expect((await ask(top, '/page')).body).toContain('ok');
    expect((await ask(top, '/other')).body).toBe('theirs /other');
  });
});
