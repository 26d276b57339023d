import { HTTPError } from '@waymark/contract';
import { jsonResponse } from '@waymark/contract/engine';
import type { ControlAccess, ControlRule } from '@waymark/contract/principal';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import type { FakeRoute } from '../fake-dispatcher.ts';
import { keys, openDoor } from '../open-door.ts';
import { rawExchange } from '../raw-client.ts';

const routes: readonly FakeRoute[] = [
  { method: 'GET', path: '/things' },
  { method: 'POST', path: '/things' },
  { method: 'GET', path: '/_svcx' },
  { method: 'GET', path: '/_svc/health' },
  { method: 'GET', path: '/_svc/usage' },
  { method: 'GET', path: '/feed', accept: () => {} },
];

/** Health for all, the rest for alice. */
const onlyAlice: ControlRule = ({ path, principal }) => {
  if (path === '/health' || principal.id === 'alice') return undefined;
  return new HTTPError(principal.authenticated ? 403 : 401, 'not for you');
};

const good = { 'x-api-key': 'good' };
const wrong = { 'x-api-key': 'wrong' };

describe('matching', () => {
  it('answers 404, 405 with Allow, 426 and 400 before it asks for credentials', async () => {
    verifies('http.status.426', 'http.order.match', 'http.status.404', 'http.status.405', 'http.status.400');
    const { url, dispatcher } = await openDoor(routes, {
      authenticate: () => {
        throw new Error('asked too early');
      },
    });
    expect((await fetch(`${url}/nothing`)).status).toBe(404);
    const notAllowed = await fetch(`${url}/things`, { method: 'DELETE' });
    expect(notAllowed.status).toBe(405);
    expect(notAllowed.headers.get('allow')).toBe('GET, POST, OPTIONS');
    const socket = await fetch(`${url}/feed`);
    expect(socket.status).toBe(426);
    expect(socket.headers.get('upgrade')).toBe('websocket');
    expect(socket.headers.get('connection')).toBe('upgrade');
    expect((await fetch(`${url}/%zz`)).status).toBe(400);
    expect(dispatcher.calls).toHaveLength(0);
  });

  it('offers the upgrade at 426, and closes where the client asked for that', async () => {
    const { port } = await openDoor(routes);
    const raw = await rawExchange(port, 'GET /feed HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect(raw).toMatch(/^HTTP\/1\.1 426 [\s\S]*connection: close, upgrade\r\n/);
  });

  it('answers OPTIONS from the table: 204 with Allow where something is, 404 where nothing is', async () => {
    verifies('http.path.options');
    const { url } = await openDoor(routes);
    const known = await fetch(`${url}/things`, { method: 'OPTIONS' });
    expect(known.status).toBe(204);
    expect(known.headers.get('allow')).toBe('GET, POST, OPTIONS');
    expect((await fetch(`${url}/nothing`, { method: 'OPTIONS' })).status).toBe(404);
  });

  it('is given the path as it was sent', async () => {
    verifies('http.path.not-normalised');
    const { port, dispatcher } = await openDoor([{ method: 'GET', path: '/a/..//./%2Fb' }]);
    await rawExchange(port, 'GET /a/..//./%2Fb?c HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect(dispatcher.calls[0]?.input).toMatchObject({ path: '/a/..//./%2Fb' });
  });
});

describe('authentication', () => {
  it('refuses a wrong credential on a public route, with a challenge, and never makes it anonymous', async () => {
    verifies('http.order.authenticate', 'authority.wrong-credential', 'http.status.401');
    const { url, dispatcher } = await openDoor(routes);
    const response = await fetch(`${url}/things`, { headers: wrong });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).not.toBeNull();
    expect(dispatcher.calls).toHaveLength(0);
  });

  it('hands the principal to the call', async () => {
    const { url, dispatcher } = await openDoor(routes);
    await fetch(`${url}/things`, { headers: good });
    await fetch(`${url}/things`);
    expect(dispatcher.calls.map(({ principal }) => principal.id)).toEqual(['alice', 'anonymous']);
  });

  it('may take its time', async () => {
    const { url } = await openDoor(routes, { authenticate: async (credentials) => keys(credentials) });
    expect((await fetch(`${url}/things`, { headers: good })).status).toBe(200);
    expect((await fetch(`${url}/things`, { headers: wrong })).status).toBe(401);
  });

  it('that fails is a bug of the server: 500, the cause in the log', async () => {
    const { url, logs } = await openDoor(routes, {
      authenticate: () => Promise.reject(new Error('no database')),
    });
    const response = await fetch(`${url}/things`);
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('database');
    expect(logs[0]).toMatchObject({ level: 'error', fields: { error: { message: 'no database' } } });
  });

  it('takes no access_token from the query of a plain request', async () => {
    verifies('auth.upgrade.only-upgrades');
    const { url, dispatcher } = await openDoor(routes);
    await fetch(`${url}/things?access_token=good`);
    expect(dispatcher.calls[0]?.principal.id).toBe('anonymous');
    expect(dispatcher.calls[0]?.input).toMatchObject({ search: 'access_token=good' });
  });

  it('does not choose between two keys', async () => {
    verifies('http.header.two-keys');
    const { port } = await openDoor(routes);
    const raw = await rawExchange(
      port,
      'GET /things HTTP/1.1\r\nHost: a\r\nx-api-key: good\r\nx-api-key: good\r\nConnection: close\r\n\r\n',
    );
    expect(raw).toMatch(/^HTTP\/1\.1 401 /);
  });
});

describe('the control prefix', () => {
  it('answers 401 and 403 whether the path is known or not', async () => {
    verifies('http.order.control-first');
    const { url, dispatcher, logs } = await openDoor(routes, {
      controlRule: onlyAlice,
      authenticate: ({ headers }) => ({
        ok: true,
        principal: { id: 'bob', rootId: 'bob', authenticated: headers['x-api-key'] === 'bob', scopes: [] },
      }),
    });
    for (const path of [
      '/_svc/usage',
      '/_svc/nothing',
      '/_svc/%zz',
      '/_svc',
      '/_svc/',
      '/%5Fsvc/usage',
      '/_%73vc/nothing',
    ]) {
      expect((await fetch(url + path)).status, path).toBe(401);
      expect((await fetch(url + path, { headers: { 'x-api-key': 'bob' } })).status, path).toBe(403);
      expect((await fetch(url + path, { method: 'DELETE' })).status, path).toBe(401);
    }
    expect(dispatcher.calls).toHaveLength(0);
    expect(logs.find(({ fields }) => fields['status'] === 403)?.fields['principal']).toBe('bob');
  });

  it('matches for those the rule lets pass', async () => {
    const { url } = await openDoor(routes, { controlRule: onlyAlice });
    expect((await fetch(`${url}/_svc/usage`, { headers: good })).status).toBe(200);
    expect((await fetch(`${url}/_svc/nothing`, { headers: good })).status).toBe(404);
    expect((await fetch(`${url}/_svc/usage`, { headers: good, method: 'DELETE' })).status).toBe(405);
  });

  it('shows the rule the path below it, the principal and the address', async () => {
    const seen: ControlAccess[] = [];
    const { url } = await openDoor(routes, {
      controlRule: (access) => {
        seen.push(access);
        return undefined;
      },
    });
    await fetch(`${url}/_svc/usage?x=1`, { headers: good });
    await fetch(`${url}/_svc`);
    expect(seen).toMatchObject([
      { path: '/usage', clientAddress: '127.0.0.1', principal: { id: 'alice' }, headers: good },
      { path: '/', principal: { id: 'anonymous' } },
    ]);
  });

  it('is matched by segment', async () => {
    verifies('http.order.prefix-by-segment');
    const { url } = await openDoor(routes, { controlRule: () => new HTTPError(403, 'no') });
    expect((await fetch(`${url}/_svcx`)).status).toBe(200);
    expect((await fetch(`${url}/_svcy`)).status).toBe(404);
    expect((await fetch(`${url}/a/_svc/usage`)).status).toBe(404);
  });

  it('can be another', async () => {
    const { url } = await openDoor([{ method: 'GET', path: '/ops/control/usage' }], {
      controlPrefix: '/ops/control',
      controlRule: onlyAlice,
    });
    expect((await fetch(`${url}/ops/control/usage`)).status).toBe(401);
    expect((await fetch(`${url}/ops/control/usage`, { headers: good })).status).toBe(200);
    expect((await fetch(`${url}/ops`)).status).toBe(404);
    expect((await fetch(`${url}/_svc/usage`)).status).toBe(404);
  });

  it('refuses everything, health included, when the door was given no rule', async () => {
    const { url } = await openDoor(routes);
    for (const path of ['/_svc/health', '/_svc/usage', '/_svc/nothing'])
      expect((await fetch(url + path, { headers: good })).status).toBe(403);
  });

  it('answers health in spite of a wrong credential, and nothing else', async () => {
    verifies('authority.wrong-credential.health', 'control.health.public');
    const { url, dispatcher } = await openDoor(routes, { controlRule: onlyAlice });
    expect((await fetch(`${url}/_svc/health?live`, { headers: wrong })).status).toBe(200);
    expect(dispatcher.calls[0]?.principal.id).toBe('anonymous');
    expect((await fetch(`${url}/_svc/usage`, { headers: wrong })).status).toBe(401);
    expect((await fetch(`${url}/_svc/health/`, { headers: wrong })).status).toBe(401);
    expect((await fetch(`${url}/_svc/healthy`, { headers: wrong })).status).toBe(401);
  });
});

describe('Host headers', () => {
  const get = (hosts: string, version = '1.1') =>
    `GET /things HTTP/${version}\r\n${hosts}Connection: close\r\n\r\n`;

  it.each([
    ['one', get('Host: a\r\n'), 200],
    ['two that differ', get('Host: a\r\nHost: b\r\n'), 400],
    ['two in other spellings', get('Host: a\r\nhOsT: a\r\n'), 400],
    ['none', get(''), 400],
    ['none in HTTP/1.0, which knew none', get('', '1.0'), 200],
    ['an empty one', get('Host:\r\n'), 200],
    ['two in HTTP/1.0', get('Host: a\r\nHost: b\r\n', '1.0'), 400],
  ])('%s', async (_name, request, status) => {
    verifies('http.header.two-hosts');
    const { port } = await openDoor(routes);
    const raw = await rawExchange(port, request);
    expect(raw).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    if (status === 400) expect(raw).toContain('"detail":"a request needs one Host header"');
  });
});

describe('a Host that is none', () => {
  it.each(['a b', 'a, b', 'localhost:80@evil.example', 'a/b'])('is 400: %s', async (host) => {
    const { port } = await openDoor(routes);
    const raw = await rawExchange(port, `GET /things HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    expect(raw).toMatch(/^HTTP\/1\.1 400 [\s\S]*"detail":"the Host header is malformed"/);
  });
});

describe('a fallback', () => {
  it('takes what the table does not know, with the request id, and is logged', async () => {
    const { url, logged, dispatcher } = await openDoor(routes, {
      controlRule: onlyAlice,
      fallback: (req, res) => void res.writeHead(418).end(`${req.method} ${req.url}`),
    });
    const response = await fetch(`${url}/nothing?a=1`, { method: 'POST' });
    expect(response.status).toBe(418);
    expect(response.headers.get('x-request-id')).toBe('id-1');
    expect(await response.text()).toBe('POST /nothing?a=1');
    expect((await logged(({ message }) => message === 'request')).fields).toMatchObject({
      path: '/nothing',
      status: 418,
    });
    expect(dispatcher.calls).toHaveLength(0);
  });

  it('is not asked about known paths, nor about anything under the control prefix', async () => {
    const { url } = await openDoor(routes, {
      controlRule: onlyAlice,
      fallback: (_req, res) => void res.writeHead(418).end(),
    });
    expect((await fetch(`${url}/things`, { method: 'DELETE' })).status).toBe(405);
    expect((await fetch(`${url}/feed`)).status).toBe(426);
    expect((await fetch(`${url}/%zz`)).status).toBe(400);
    expect((await fetch(`${url}/_svc/nothing`, { headers: good })).status).toBe(404);
  });

  it('that throws is answered 500, or cut where it had begun', async () => {
    const { url, logs, logged } = await openDoor(routes, {
      fallback: (req, res) => {
        if (req.url === '/late') res.writeHead(200, { 'content-length': '5' }).write('a');
        throw new Error('broken fallback');
      },
    });
    expect((await fetch(`${url}/early`)).status).toBe(500);
    await expect(fetch(`${url}/late`).then((response) => response.text())).rejects.toThrow();
    await logged(({ message, fields }) => message === 'request' && fields['path'] === '/late');
    expect(logs.filter(({ message }) => message === 'request')).toHaveLength(2);
  });

  it('gets the body of a client that waits to be told', async () => {
    const { port } = await openDoor([], {
      fallback: (req, res) => void req.on('end', () => res.end('thanks')).resume(),
    });
    const raw = await rawExchange(
      port,
      'POST /x HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\nConnection: close\r\n\r\nab',
    );
    expect(raw).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
  });
});

describe('a door without options', () => {
  it('logs nothing and answers all the same', async () => {
    const { url } = await openDoor([{ method: 'GET', path: '/', answer: () => jsonResponse(1) }]);
    expect((await fetch(url)).status).toBe(200);
  });
});
