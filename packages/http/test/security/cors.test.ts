import { HTTPError } from '@waymark/contract';
import { jsonResponse, problemResponse } from '@waymark/contract/engine';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { type Answered, ask, askForSocket } from '../ask.ts';
import type { FakeRoute } from '../fake-dispatcher.ts';
import { openDoor } from '../open-door.ts';
import { rawClient } from '../raw-client.ts';

const friend = 'https://friend.example';
const routes: readonly FakeRoute[] = [
  { method: 'GET', path: '/page' },
  { method: 'GET', path: '/varies', answer: () => jsonResponse(1, 200, { vary: 'accept' }) },
  { method: 'GET', path: '/broken', answer: () => problemResponse(500, 'internal error') },
  { method: 'GET', path: '/socket', accept: () => {} },
];

const preflight = { origin: friend, 'access-control-request-method': 'PUT' };

const shared = ({ headers }: Answered) =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => name === 'vary' || name.startsWith('access-control-')),
  );

describe('a preflight', () => {
  it('is 204 with every default, before anybody is asked who it is', async () => {
    verifies('http.order.preflight', 'http.cors.methods', 'http.cors.headers', 'limit.cors-max-age');
    const door = await openDoor(routes, {
      cors: { origins: [friend] },
      authenticate: () => {
        throw new Error('asked too early');
      },
    });
    const answer = await ask(door, 'OPTIONS /page', preflight);
    expect(answer.status).toBe(204);
    expect(answer.body).toBe('');
    expect(shared(answer)).toEqual({
      vary: 'Origin',
      'access-control-allow-origin': friend,
      'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE, OPTIONS',
      'access-control-allow-headers':
        'content-type, authorization, x-api-key, x-request-id, idempotency-key, last-event-id',
      'access-control-max-age': '600',
    });
    expect(door.dispatcher.calls).toHaveLength(0);
    expect((await ask(door, 'OPTIONS /nothing', preflight)).status).toBe(204);
    expect((await ask(door, 'OPTIONS /_svc/usage', preflight)).status).toBe(204);
  });

  it('says what the options say', async () => {
    const door = await openDoor(routes, {
      cors: {
        origins: [friend],
        credentials: true,
        methods: ['GET', 'PURGE'],
        headers: ['x-mine'],
        expose: ['etag', 'link'],
        maxAge: 5,
      },
    });
    expect(shared(await ask(door, 'OPTIONS /page', preflight))).toEqual({
      vary: 'Origin',
      'access-control-allow-origin': friend,
      'access-control-allow-credentials': 'true',
      'access-control-expose-headers': 'etag, link',
      'access-control-allow-methods': 'GET, PURGE',
      'access-control-allow-headers': 'x-mine',
      'access-control-max-age': '5',
    });
  });

  it.each([
    'https://evil.example',
    'http://friend.example',
    'https://friend.example:444',
    'https://friend.example.evil.example',
    'https://xfriend.example',
    'https://FRIEND.example',
    'null',
  ])('from %s, which is not listed, is 403 and learns nothing', async (origin) => {
    const door = await openDoor(routes, { cors: { origins: [friend] } });
    const answer = await ask(door, 'OPTIONS /page', { ...preflight, origin });
    expect(answer.status).toBe(403);
    expect(answer.detail).toBe(`the origin ${origin} is not in \`cors\``);
    expect(shared(answer)).toEqual({ vary: 'Origin' });
  });

  it('to a foreign Host is refused before it is answered', async () => {
    verifies('http.order.host-before-cors');
    const door = await openDoor(routes, { cors: { origins: [friend] }, hostGuard: 'everywhere' });
    const answer = await ask(door, 'OPTIONS /page', { ...preflight, host: 'evil.example' });
    expect(answer.status).toBe(403);
    expect(answer.detail).toContain('allowedHosts');
  });

  it('is what a browser sends: any other OPTIONS request goes to the table', async () => {
    const door = await openDoor(routes, { cors: { origins: [friend] } });
    for (const headers of [{}, { origin: friend }, { 'access-control-request-method': 'PUT' }]) {
      const plain = await ask(door, 'OPTIONS /page', headers);
      expect([plain.status, plain.headers.allow]).toEqual([204, 'GET, OPTIONS']);
    }
  });

  it('is nothing special where `cors` is not configured', async () => {
    const door = await openDoor(routes);
    const answer = await ask(door, 'OPTIONS /page', preflight);
    expect([answer.status, answer.headers.allow]).toEqual([204, 'GET, OPTIONS']);
    expect(shared(answer)).toEqual({});
  });
});

describe('an answer', () => {
  it('names the origin that is listed, on errors and upgrades too', async () => {
    const door = await openDoor(routes, { cors: { origins: ['https://other.example', friend] } });
    const allowed = { vary: 'Origin', 'access-control-allow-origin': friend };
    const origin = { origin: friend };
    for (const path of ['/page', '/broken', '/nothing', '/_svc/usage'])
      expect(shared(await ask(door, path, origin)), path).toEqual(allowed);
    expect(shared(await ask(door, '/page', { ...origin, 'x-api-key': 'wrong' }))).toEqual(allowed);
    expect(shared(await askForSocket(door, '/socket', origin))).toEqual(allowed);
    expect(shared(await askForSocket(door, '/nothing', origin))).toEqual(allowed);
  });

  it('names nobody to others, and says all the same that it depends on the origin', async () => {
    const door = await openDoor(routes, { cors: { origins: [friend] } });
    for (const headers of [{}, { origin: 'https://evil.example' }, { origin: 'null' }])
      expect(shared(await ask(door, '/page', headers))).toEqual({ vary: 'Origin' });
    const { port } = door;
    const client = await rawClient(port);
    client.send('RUBBISH\r\n\r\n');
    expect(await client.until(/\}$/)).toContain('\r\nvary: Origin\r\n');
  });

  it('adds to what it varies by itself', async () => {
    const door = await openDoor(routes, { cors: { origins: [friend] } });
    expect(shared(await ask(door, '/varies'))).toEqual({ vary: 'Origin, accept' });
  });

  it('of a fallback is shared too, and keeps what that varies by', async () => {
    const door = await openDoor(routes, {
      cors: { origins: [friend], expose: ['x-a'] },
      fallback: (_req, res) => void res.end(),
    });
    expect(shared(await ask(door, '/else', { origin: friend }))).toEqual({
      vary: 'Origin',
      'access-control-allow-origin': friend,
      'access-control-expose-headers': 'x-a',
    });
  });
});

describe('a route with headers of its own', () => {
  const cors = { headers: ['x-one', 'content-type', 'x-many-*'], expose: ['x-told', 'etag'] };
  const own: readonly FakeRoute[] = [
    { method: 'POST', path: '/own', cors },
    { method: 'POST', path: '/other' },
    { method: 'POST', path: '/_svc/own', cors },
  ];
  const asking = (method: string, names = '') => ({
    ...preflight,
    'access-control-request-method': method,
    'access-control-request-headers': names,
  });
  const allowed = ({ headers }: Answered) => String(headers['access-control-allow-headers']).split(', ');
  const exposed = ({ headers }: Answered) => headers['access-control-expose-headers'];

  it('lets pages of listed origins send them, beside those of everywhere, and nowhere else', async () => {
    verifies('http.cors.own-headers');
    const door = await openDoor(own, { cors: { origins: [friend], headers: ['x-mine', 'X-One'] } });
    for (const path of ['/own', '/_svc/own'])
      for (const method of ['POST', 'GET', 'DELETE'])
        expect(allowed(await ask(door, `OPTIONS ${path}`, asking(method))), path + method).toEqual([
          ...['x-mine', 'X-One', 'content-type'],
        ]);
    for (const path of ['/other', '/nothing', '/_svc/nothing', '/own/', '/%ZZ'])
      expect(allowed(await ask(door, `OPTIONS ${path}`, asking('POST', 'x-many-a')))).toEqual([
        'x-mine',
        'X-One',
      ]);
    const standard = await openDoor(own, { cors: { origins: [friend] } });
    expect(allowed(await ask(standard, 'OPTIONS /own', asking('POST')))).toEqual([
      ...['content-type', 'authorization', 'x-api-key', 'x-request-id', 'idempotency-key', 'last-event-id'],
      'x-one',
    ]);
    const stranger = await ask(door, 'OPTIONS /own', { ...asking('POST'), origin: 'https://evil.example' });
    expect([stranger.status, shared(stranger)]).toEqual([403, { vary: 'Origin' }]);
  });

  it('takes by their name those of which it knows the beginning', async () => {
    verifies('http.cors.own-headers');
    const door = await openDoor(own, { cors: { origins: [friend], headers: [] } });
    const names = 'X-Many-A, x-many-b,x-many-b, x-other, x-many-(, x-many-a:b, xx-many-c';
    expect(allowed(await ask(door, 'OPTIONS /own', asking('POST', names)))).toEqual([
      ...['x-one', 'content-type', 'x-many-a', 'x-many-b'],
    ]);
  });

  it('lets them read its own headers, of refusals under the control prefix too', async () => {
    verifies('http.cors.own-headers');
    const door = await openDoor(own, {
      cors: { origins: [friend, 'https://other.example'], expose: ['ETag'] },
      controlRule: ({ principal }) => (principal.authenticated ? undefined : new HTTPError(401, 'who?')),
    });
    for (let round = 0; round < 2; round++)
      for (const origin of [friend, 'https://other.example'])
        for (const [path, headers, status] of [
          ['/own', {}, 200],
          ['/own', { 'x-api-key': 'wrong' }, 401],
          ['/_svc/own', {}, 401],
          ['/_svc/own', { 'x-api-key': 'good' }, 200],
        ] as const) {
          const answer = await ask(door, `POST ${path}`, { origin, ...headers });
          expect([answer.status, exposed(answer)]).toEqual([status, 'ETag, x-told']);
          expect(answer.headers['access-control-allow-origin']).toBe(origin);
        }
    expect(exposed(await ask(door, 'POST /other', { origin: friend }))).toBe('ETag');
    expect(exposed(await ask(door, 'POST /_svc/nothing', { origin: friend }))).toBe('ETag');
    expect(exposed(await ask(door, 'POST /own'))).toBeUndefined();
    const open = await openDoor(own, { cors: { origins: ['*'] } });
    expect(shared(await ask(open, 'POST /own', { origin: friend }))).toEqual({
      vary: 'Origin',
      'access-control-allow-origin': '*',
      'access-control-expose-headers': 'x-told, etag',
    });
  });
});

describe('the origin *', () => {
  it('is anybody, without credentials, but never `null`', async () => {
    const door = await openDoor(routes, { cors: { origins: ['*'] } });
    const open = { vary: 'Origin', 'access-control-allow-origin': '*' };
    expect(shared(await ask(door, '/page', { origin: 'https://anybody.example' }))).toEqual(open);
    expect(shared(await ask(door, '/page', { origin: 'null' }))).toEqual({ vary: 'Origin' });
    expect((await ask(door, 'OPTIONS /page', { ...preflight, origin: 'null' })).status).toBe(403);
    expect(shared(await ask(door, 'OPTIONS /page', preflight))).toMatchObject(open);
  });

  it('and `null`, both listed, are anybody at all', async () => {
    const door = await openDoor(routes, { cors: { origins: ['*', 'null'] } });
    expect(shared(await ask(door, '/page', { origin: 'null' }))).toMatchObject({
      'access-control-allow-origin': '*',
    });
  });
});
