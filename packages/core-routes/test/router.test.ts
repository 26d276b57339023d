import { createRouteTable } from '@waymark/contract';
import type { Match } from '@waymark/contract/engine';
import { verifies } from '@waymark/contract/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRouter } from '../src/index.ts';
import { route } from './kit.ts';

const { match } = createRouter(
  createRouteTable([
    route('GET', '/'),
    route('GET', '/tickets/{id}'),
    route('POST', '/tickets/{ticket}'),
    route('DELETE', '/tickets/{number}'),
    route('GET', '/tickets/{name}/notes/{note}'),
    route('GET', '/tickets/new'),
    route('GET', '/files/{rest*}'),
    route('GET', '/files/by/{name}'),
    route('GET', '/slash/'),
    route('GET', '/straße'),
    route('GET', '/live', { socket: true }),
    route('GET', '/agents/chat', { socket: true, toolName: 'chat_socket' }),
    route('POST', '/agents/chat'),
    route('GET', '/health', { plane: 'control' }),
  ]).freeze(),
);

/** What a request comes to, in one word: the template that it found, or the status. */
function get(path: string, method = 'GET'): string | number {
  const found = match(method, path, false);
  return found.found ? found.route.path : found.status;
}

function params(path: string): Readonly<Record<string, string>> {
  const found = match('GET', path, false);
  if (!found.found) throw new Error(`${path} is ${found.status}`);
  return found.params;
}

describe('createRouter', () => {
  it('prefers what is written out to a parameter, and a parameter to the rest', () => {
    expect(get('/')).toBe('/');
    expect(get('/tickets/new')).toBe('/tickets/new');
    expect(get('/tickets/5')).toBe('/tickets/{id}');
    expect(get('/files/by/ada')).toBe('/files/by/{name}');
    expect(get('/files/by/ada/more')).toBe('/files/{rest*}');
  });

  it('finds control routes below the prefix of the table', () => {
    verifies('product.wire-constants');
    expect(get('/_svc/health')).toBe('/health');
    expect(get('/health')).toBe(404);
  });

  it('gives each route its own parameter names, across methods and inside one', () => {
    expect(params('/tickets/5')).toEqual({ id: '5' });
    expect(params('/tickets/5/notes/6')).toEqual({ name: '5', note: '6' });
    expect(match('POST', '/tickets/5', false)).toMatchObject({ params: { ticket: '5' } });
    expect(match('DELETE', '/tickets/5', false)).toMatchObject({ params: { number: '5' } });
  });

  it('tells paths apart by case', () => {
    verifies('http.path.case');
    expect(get('/Tickets/5')).toBe(404);
    expect(params('/tickets/ABC')).toEqual({ id: 'ABC' });
  });

  it('tells paths apart by their trailing slash', () => {
    verifies('http.path.slashes');
    expect(get('/tickets/5/')).toBe(404);
    expect(get('/slash/')).toBe('/slash/');
    expect(get('/slash')).toBe(404);
  });

  it.each(['/tickets/', '/tickets//notes/6', '/tickets/5/notes/', '//tickets/5', '/tickets//5'])(
    'takes no empty parameter: %s',
    (path) => {
      verifies('http.path.not-normalised');
      expect(get(path)).toBe(404);
    },
  );

  it.each([
    ['/tickets/../tickets/5', 404],
    ['/tickets/./5', 404],
    ['/tickets/..', '/tickets/{id}'],
    ['/tickets/%2e%2e', '/tickets/{id}'],
    ['/files/../x', '/files/{rest*}'],
    ['/files//x', '/files/{rest*}'],
    ['/tickets;v=1/5', 404],
  ] as const)('never resolves dots, doubled slashes or parameters of a segment: %s', (path, found) => {
    verifies('http.path.not-normalised');
    expect(get(path)).toBe(found);
  });

  it('falls back on the rest where a parameter would be empty', () => {
    const fallback = createRouter(
      createRouteTable([
        route('GET', '/a/{id}'),
        route('GET', '/a/{id}/b'),
        route('GET', '/a/{id}/{more*}'),
        route('GET', '/{all*}'),
      ]).freeze(),
    );
    const found = (path: string): unknown => {
      const hit = fallback.match('GET', path, false);
      return hit.found && [hit.route.path, { ...hit.params }];
    };
    expect(found('/a/')).toEqual(['/{all*}', { all: 'a/' }]);
    expect(found('/a//b')).toEqual(['/{all*}', { all: 'a//b' }]);
    expect(found('/a/1/')).toEqual(['/a/{id}/{more*}', { id: '1', more: '' }]);
    expect(found('/a/1/b')).toEqual(['/a/{id}/b', { id: '1' }]);
    expect(found('/a/%0d')).toBe(false);
  });

  it('decodes once, after matching, so that an encoded slash separates nothing', () => {
    verifies('http.path.decoded-once');
    expect(params('/tickets/4%2F2')).toEqual({ id: '4/2' });
    expect(params('/tickets/4%2f2/notes/6')).toEqual({ name: '4/2', note: '6' });
    expect(params('/tickets/%252F')).toEqual({ id: '%2F' });
    expect(params('/tickets/%2525')).toEqual({ id: '%25' });
    expect(params('/tickets/a+b')).toEqual({ id: 'a+b' });
    expect(params('/tickets/%3Fa%23b')).toEqual({ id: '?a#b' });
    expect(get('/%74ickets/5')).toBe('/tickets/{id}');
    expect(get('/tickets%2F5')).toBe(404);
    expect(get('/stra%C3%9Fe')).toBe('/straße');
  });

  it('gives back every value that a client encodes', () => {
    verifies('http.path.decoded-once');
    const value = fc.string({ minLength: 1, unit: 'grapheme' });
    fc.assert(
      fc.property(
        value.filter((text) => !/\p{Cc}/u.test(text)),
        (text) => {
          // A colon apart: `new` is a route of its own.
          expect(params(`/tickets/${encodeURIComponent(`:${text}`)}`)).toEqual({ id: `:${text}` });
          expect(params(`/files/${encodeURIComponent(text)}`)).toEqual({ rest: text });
        },
      ),
    );
  });

  it('takes any text for a path without falling over', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.constantFrom('GET', 'PUT', 'HEAD', '__proto__'),
        fc.boolean(),
        (text, method, upgrade) => {
          expect(match(method, `/${text}`, upgrade)).toHaveProperty('found');
          expect(match(method, text, upgrade)).toHaveProperty('found');
        },
      ),
    );
  });

  it.each(['/tickets/%zz', '/tickets/%FF', '/tickets/%', '/tickets/%C3', '/unknown/%zz', '/%c0%af'])(
    'answers 400 to percent-encoding that is none: %s',
    (path) => {
      verifies('http.status.400');
      expect(get(path)).toBe(400);
      expect(match('GET', path, true)).toMatchObject({ found: false, status: 400 });
    },
  );

  it.each([
    '/tickets/%00',
    '/tickets/a%0d%0ab',
    '/tickets/%7F',
    '/tickets/\u0000',
    '/tickets/a\r\nb',
    '/files/%1f',
  ])('answers 400 to a control character, encoded or not: %j', (path) => {
    verifies('http.status.400.control-characters');
    expect(get(path)).toBe(400);
  });

  it.each(['', '*', 'tickets/5', 'http://host/tickets/5', '/tickets/5#top'])(
    'answers 400 to what is no path: %j',
    (path) => {
      expect(get(path)).toBe(400);
    },
  );

  it.each([
    [16_383, '/tickets/{id}'],
    [16_384, '/tickets/{id}'],
    [16_385, 404],
  ])('takes parameters of up to 16 KB: %i characters', (length, found) => {
    expect(get(`/tickets/${'x'.repeat(length)}`)).toBe(found);
  });

  it('gives the rest of the path to a rest parameter, which may be empty', () => {
    verifies('http.path.rest');
    expect(params('/files/a/b/c.txt')).toEqual({ rest: 'a/b/c.txt' });
    expect(params('/files/')).toEqual({ rest: '' });
    expect(params('/files/%2e%2e/x')).toEqual({ rest: '../x' });
    expect(get('/files')).toBe(404);
  });

  it('gives parameters that inherit nothing', () => {
    verifies('http.path.null-prototype');
    for (const path of ['/tickets/5', '/files/a', '/'])
      for (const name of ['constructor', 'toString', '__proto__']) expect(name in params(path)).toBe(false);
  });

  it('answers 404 to a path that leads nowhere, whatever the method', () => {
    verifies('http.status.404');
    for (const method of ['GET', 'POST', 'OPTIONS', 'BREW']) expect(get('/nowhere', method)).toBe(404);
  });

  it('names the methods that would work', () => {
    verifies('http.status.405');
    const allow = ['GET', 'POST', 'DELETE', 'HEAD', 'OPTIONS'];
    for (const method of ['PUT', 'OPTIONS', 'TRACE', 'get', '__proto__', 'constructor'])
      expect(match(method, '/tickets/5', false)).toEqual({ found: false, status: 405, allow });
    expect(match('PUT', '/agents/chat', false)).toEqual({
      found: false,
      status: 405,
      allow: ['POST', 'OPTIONS'],
    });
  });

  it('lets HEAD follow GET', () => {
    verifies('http.path.head');
    expect(get('/tickets/5', 'HEAD')).toBe('/tickets/{id}');
  });

  it('answers 426 to a plain request for a socket', () => {
    expect(match('GET', '/live', false)).toEqual({ found: false, status: 426, allow: ['GET'] });
    for (const method of ['GET', 'HEAD'])
      expect(match(method, '/agents/chat', false)).toEqual({
        found: false,
        status: 426,
        allow: ['GET', 'POST'],
      });
  });

  it('finds sockets by upgrade, also where a plain route has the same path', () => {
    const socket = match('GET', '/agents/chat', true) as Extract<Match, { found: true }>;
    expect(socket.route.socket).toBe(true);
    expect(match('POST', '/agents/chat', false)).toMatchObject({ found: true, route: { socket: false } });
    expect(match('GET', '/agents/chat', false)).toMatchObject({ status: 426 });
  });

  it('answers 400 to an upgrade of a path that is no socket, 404 where there is none', () => {
    expect(match('GET', '/tickets/5', true)).toMatchObject({
      found: false,
      status: 400,
      allow: expect.arrayContaining(['OPTIONS']),
    });
    expect(match('POST', '/live', true)).toEqual({ found: false, status: 400, allow: ['GET'] });
    expect(match('GET', '/nowhere', true)).toEqual({ found: false, status: 404, allow: [] });
  });

  it('finds each of a thousand routes', () => {
    const many = Array.from({ length: 1_000 }, (_, i) => route('GET', `/group${i % 10}/item${i}/{id${i}}`));
    const big = createRouter(createRouteTable(many).freeze());
    for (const [i, { path }] of many.entries())
      expect(big.match('GET', `/group${i % 10}/item${i}/x`, false)).toMatchObject({
        route: { path },
        params: { [`id${i}`]: 'x' },
      });
  });
});
