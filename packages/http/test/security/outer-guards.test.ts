import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import type { DoorOptions } from '../../src/index.ts';
import { ask, askForSocket } from '../ask.ts';
import type { FakeRoute } from '../fake-dispatcher.ts';
import { openDoor } from '../open-door.ts';
import { rawExchange } from '../raw-client.ts';

const routes: readonly FakeRoute[] = [
  { method: 'GET', path: '/things' },
  { method: 'POST', path: '/things' },
  { method: 'DELETE', path: '/things' },
  { method: 'GET', path: '/_svc/health' },
  { method: 'GET', path: '/_svc/usage' },
  { method: 'GET', path: '/feed', accept: () => {} },
];

const open = (options: Partial<DoorOptions> = {}) =>
  openDoor(routes, { controlRule: () => undefined, ...options });

describe('a request that a browser marks as cross-origin', () => {
  const evil = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };

  it('is 403 when it would change something, and never reaches the table', async () => {
    verifies('http.browser.cross-origin');
    const door = await open();
    for (const headers of [
      evil,
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'null' },
    ] as Record<string, string>[])
      for (const target of ['POST /things', 'DELETE /things', 'POST /_svc/usage', 'POST /nothing']) {
        const answer = await ask(door, target, headers);
        expect(answer.status, `${target} ${JSON.stringify(headers)}`).toBe(403);
        expect(answer.detail).toContain('`cors`');
      }
    expect(door.dispatcher.calls).toHaveLength(0);
  });

  it('is answered when it changes nothing', async () => {
    const door = await open();
    for (const method of ['GET', 'HEAD', 'OPTIONS'])
      expect((await ask(door, `${method} /things`, evil)).status).toBeLessThan(300);
  });

  it('is 403 as an upgrade', async () => {
    verifies('http.browser.upgrade');
    const door = await open();
    expect((await askForSocket(door, '/feed', evil)).status).toBe(403);
    expect((await askForSocket(door, '/feed', { origin: 'https://evil.example' })).status).toBe(403);
    expect(door.dispatcher.calls).toHaveLength(0);
    expect((await askForSocket(door, '/feed')).status).toBe(101);
  });

  it('is let through from an origin in `cors`', async () => {
    verifies('http.browser.cors-allows');
    const door = await open({ cors: { origins: ['https://evil.example'] } });
    expect((await ask(door, 'POST /things', evil)).status).toBe(200);
    expect((await askForSocket(door, '/feed', evil)).status).toBe(101);
    expect((await ask(door, 'POST /things', { ...evil, origin: 'null' })).status).toBe(403);
  });
});

describe('a request of our own', () => {
  it('is told by the Host, or by the public URL', async () => {
    const door = await open({ publicUrl: 'https://app.example.com/base' });
    const own = { host: `localhost:${door.port}`, origin: `http://localhost:${door.port}` };
    expect((await ask(door, 'POST /things', own)).status).toBe(200);
    expect((await ask(door, 'POST /things', { ...own, host: `LOCALHOST:${door.port}` })).status).toBe(200);
    expect((await ask(door, 'POST /things', { ...own, origin: 'https://app.example.com' })).status).toBe(200);
    expect((await ask(door, 'POST /things', { ...own, origin: 'http://app.example.com' })).status).toBe(403);
    expect((await ask(door, 'POST /things', { ...own, origin: 'http://localhost:1' })).status).toBe(403);
  });

  it('is told by what a trusted proxy forwards', async () => {
    const forwarded = {
      origin: 'https://app.example.com',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'app.example.com',
    };
    expect((await ask(await open({ trustProxy: 1 }), 'POST /things', forwarded)).status).toBe(200);
    expect((await ask(await open(), 'POST /things', forwarded)).status).toBe(403);
  });

  it('passes where the browser says so and a proxy changed the Host', async () => {
    const door = await open();
    const headers = { origin: 'https://app.example.com', 'sec-fetch-site': 'same-origin' };
    expect((await ask(door, 'POST /things', headers)).status).toBe(200);
  });

  it('passes unseen when it comes from no browser', async () => {
    verifies('http.browser.others');
    const door = await open();
    expect((await ask(door, 'POST /things', { host: 'whatever.example' })).status).toBe(200);
  });
});

describe('the list of hosts', () => {
  it('guards the control plane, and nothing else, by default', async () => {
    const door = await open();
    for (const host of ['localhost', 'LocalHost:8000', '127.0.0.1', '[::1]:80'])
      expect((await ask(door, '/_svc/usage', { host })).status, host).toBe(200);
    for (const host of ['evil.example', 'localhost.evil.example', '10.0.0.1'])
      expect((await ask(door, '/_svc/usage', { host })).status, host).toBe(403);
    expect((await ask(door, '/things', { host: 'evil.example' })).status).toBe(200);
    expect((await askForSocket(door, '/_svc/usage', { host: 'evil.example' })).status).toBe(403);
  });

  it('has the public URL, the allowed names, and the address that was connected to', async () => {
    verifies('http.host.allow-list');
    const door = await open({ publicUrl: 'https://app.example.com', allowedHosts: ['intra'] });
    for (const host of ['app.example.com', 'app.example.com:443', 'INTRA', '127.0.0.1', 'localhost'])
      expect((await ask(door, '/_svc/usage', { host })).status, host).toBe(200);
    for (const host of ['example.com', 'intra.example.com', 'xapp.example.com'])
      expect((await ask(door, '/_svc/usage', { host })).status, host).toBe(403);
  });

  it('names the option that would help', async () => {
    verifies('http.host.says-option');
    const { detail } = await ask(await open(), '/_svc/usage', { host: 'intra:8000' });
    expect(detail).toBe(
      'the host intra:8000 is not allowed here: name it in `allowedHosts` or as `publicUrl`',
    );
  });

  it('says 403 to an unknown path too, before anybody is asked who it is', async () => {
    const door = await open({
      authenticate: () => {
        throw new Error('asked too early');
      },
    });
    expect((await ask(door, '/_svc/nothing', { host: 'evil.example' })).status).toBe(403);
  });

  it('leaves health alone, unless it guards everything', async () => {
    const evil = { host: 'evil.example' };
    expect((await ask(await open(), '/_svc/health', evil)).status).toBe(200);
    const door = await open({ hostGuard: 'everywhere' });
    for (const path of ['/_svc/health', '/_svc/usage', '/things', '/nothing'])
      expect((await ask(door, path, evil)).status, path).toBe(403);
    expect((await askForSocket(door, '/feed', evil)).status).toBe(403);
    expect((await ask(door, '/things', { host: 'localhost' })).status).toBe(200);
    expect((await ask(door, '/_svc/health')).status).toBe(200);
  });

  it('goes by what a trusted proxy forwards', async () => {
    const headers = { host: 'inner', 'x-forwarded-host': 'app.example.com' };
    const names = { publicUrl: 'https://app.example.com', allowedHosts: ['inner'] };
    expect((await ask(await open({ ...names, trustProxy: 1 }), '/_svc/usage', headers)).status).toBe(200);
    const unnamed = { publicUrl: 'https://app.example.com' };
    expect((await ask(await open(unnamed), '/_svc/usage', headers)).status).toBe(403);
    const evil = { host: 'localhost', 'x-forwarded-host': 'evil.example' };
    expect((await ask(await open({ trustProxy: 1 }), '/_svc/usage', evil)).status).toBe(403);
  });

  it('is not talked round by a page on a rebound name, which may write X-Forwarded-Host but not Host', async () => {
    const door = await open({ trustProxy: 1, hostGuard: 'everywhere' });
    const rebound = { host: 'evil.example', 'x-forwarded-host': 'localhost' };
    expect((await ask(door, '/_svc/usage', rebound)).status).toBe(403);
    expect((await ask(door, '/things', rebound)).status).toBe(403);
  });

  it('lets HTTP/1.0 come without a name', async () => {
    const { port } = await open({ hostGuard: 'everywhere' });
    expect(await rawExchange(port, 'GET /_svc/health HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
  });
});
