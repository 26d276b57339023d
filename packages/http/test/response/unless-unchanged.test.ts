import { jsonResponse, problemResponse, RouteResponse } from '@waymark/contract/engine';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { toETag } from '../../src/index.ts';
import { ask } from '../ask.ts';
import { deferred } from '../deferred.ts';
import { openDoor } from '../open-door.ts';

const etag = toETag('{"a":1}');
const about = {
  ...{ 'content-disposition': 'inline', 'content-location': '/a' },
  'last-modified': 'Fri, 20 Nov 2026 12:00:00 GMT',
};
const headers = { etag, 'cache-control': 'no-cache', 'x-more': '1' };

describe('an answer with an ETag', () => {
  it('is 304 without content to a caller that has it, with the headers that are not about the content', async () => {
    verifies('http.status.304');
    const door = await openDoor([
      { method: 'GET', path: '/tagged', answer: () => jsonResponse({ a: 1 }, 200, { ...headers, ...about }) },
    ]);
    for (const target of ['GET /tagged', 'HEAD /tagged'])
      for (const condition of [etag, `"other", W/${etag}`, '*']) {
        const answer = await ask(door, target, { 'if-none-match': condition });
        expect([answer.status, answer.body], condition).toEqual([304, '']);
        expect(answer.headers).toMatchObject({ ...headers, 'x-content-type-options': 'nosniff' });
        expect(answer.headers['content-length']).toBeUndefined();
        expect(answer.headers['content-type']).toBeUndefined();
        for (const name of ['content-disposition', 'last-modified'])
          expect(answer.headers[name]).toBeUndefined();
        expect(answer.headers['content-location']).toBe('/a');
      }
  });

  it('is whole to everybody else', async () => {
    const door = await openDoor([
      { method: 'GET', path: '/tagged', answer: () => jsonResponse({ a: 1 }, 200, headers) },
      { method: 'POST', path: '/tagged', answer: () => jsonResponse({ a: 1 }, 200, headers) },
      { method: 'GET', path: '/untagged', answer: () => jsonResponse({ a: 1 }) },
      { method: 'GET', path: '/created', answer: () => jsonResponse({ a: 1 }, 201, headers) },
      { method: 'GET', path: '/broken', answer: () => problemResponse(500, 'x', {}, headers) },
    ]);
    for (const [target, condition, status] of [
      ['/tagged', '"other"', 200],
      ['POST /tagged', etag, 200],
      ['/untagged', '*', 200],
      ['/created', etag, 201],
      ['/broken', etag, 500],
    ] as const)
      expect((await ask(door, target, { 'if-none-match': condition })).status, target).toBe(status);
    expect((await ask(door, '/tagged')).body).toBe('{"a":1}');
  });

  it('does not read the stream it would have been', async () => {
    const cancelled = deferred<boolean>();
    const stream = new ReadableStream<Uint8Array>({ cancel: () => cancelled.resolve(true) });
    const door = await openDoor([
      {
        method: 'GET',
        path: '/',
        answer: () => new RouteResponse(200, { kind: 'stream', stream, mediaType: 'a/b' }, { etag }),
      },
    ]);
    expect((await ask(door, '/', { 'if-none-match': etag })).status).toBe(304);
    expect(await cancelled.promise).toBe(true);
  });
});
