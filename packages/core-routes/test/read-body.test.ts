import { from, HTTPError, Type } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { answerOf, bytesBody, detailOf, echo, jsonBody, route, serve } from './kit.ts';

const takesJson = serve([echo('POST', '/x', { input: { a: Type.Optional(Type.Integer()) } })]);

describe('bodies', () => {
  it.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/json; charset=utf8; x=y',
    'application/vnd.api+json',
    'application/problem+json ; charset=utf-8',
  ])('are read as JSON when they say so: %s', async (contentType) => {
    expect(
      answerOf(await takesJson.request('POST', '/x', { body: bytesBody('{"a":1}', contentType) })),
    ).toEqual({
      a: 1,
    });
  });

  it.each([
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'application/+json',
    'application/json-seq',
    'application/json; charset=utf-16',
    'application/json; charset=latin1',
    'xapplication/json',
    'application/json, text/plain',
    '',
  ])('are refused where JSON is declared and they are not: %j', async (contentType) => {
    verifies('http.status.415', 'http.body.json-only-where-declared');
    const answer = await takesJson.request('POST', '/x', { body: bytesBody('{"a":1}', contentType) });
    expect(answer.status).toBe(415);
    expect(detailOf(answer)).toBe(`the body must be application/json in UTF-8, not ${contentType}`);
  });

  it('are refused without a content type, unless there is none', async () => {
    verifies('http.status.415');
    expect((await takesJson.request('POST', '/x', { body: bytesBody('{"a":1}') })).status).toBe(415);
    expect((await takesJson.request('POST', '/x', { body: bytesBody('') })).status).toBe(200);
  });

  it('are refused for their type before they are read, and for their content after', async () => {
    verifies('http.order.body-before-input');
    const unread = { ...bytesBody('x', 'text/plain'), read: () => Promise.reject(new Error('it was read')) };
    expect((await takesJson.request('POST', '/x', { body: unread })).status).toBe(415);
    expect((await takesJson.request('POST', '/x', { body: bytesBody('{', 'application/json') })).status).toBe(
      400,
    );
    expect((await takesJson.request('POST', '/x', { body: jsonBody({ a: 'x' }) })).status).toBe(422);
  });

  it('are refused for the length they declare before their type, and unread', async () => {
    verifies('http.body.limit-declared');
    const { request } = serve([
      echo('POST', '/x', { input: { a: Type.Optional(Type.Integer()) }, maxBodyBytes: 10 }),
    ]);
    const ask = async (length: number): Promise<number> => {
      const unread = {
        ...bytesBody('x', 'text/plain'),
        read: () => Promise.reject(new Error('it was read')),
      };
      return (await request('POST', '/x', { body: { ...unread, contentLength: length } })).status;
    };
    expect([await ask(9), await ask(10), await ask(11)]).toEqual([415, 415, 413]);
  });

  it('keep the refusal of the reader, and are asked for no more than the route takes', async () => {
    verifies('http.body.limit-per-route');
    let limits: readonly number[] = [];
    const tooLarge = {
      ...bytesBody('{}', 'application/json'),
      read: (limit: number) => {
        limits = [...limits, limit];
        return Promise.reject(
          new HTTPError(413, 'the body is larger than 10 bytes', { headers: { connection: 'close' } }),
        );
      },
    };
    const { request } = serve([
      echo('POST', '/small', { input: { a: Type.Optional(Type.Integer()) }, maxBodyBytes: 10 }),
      echo('POST', '/usual', { maxBodyBytes: 1_048_576 }),
      echo('POST', '/default'),
    ]);
    for (const path of ['/small', '/usual', '/default']) {
      const answer = await request('POST', path, { body: tooLarge });
      expect(answer).toMatchObject({ status: 413, headers: { connection: 'close' } });
    }
    expect(limits).toEqual([10, 1_048_576, 1_048_576]);
  });

  it('hold as many values as the route takes, else the table, however they are read', async () => {
    verifies('http.body.values-per-route');
    const list = from('content', Type.Array(Type.Integer()));
    const { request } = serve(
      [
        echo('POST', '/usual', { input: { list } }),
        echo('POST', '/own', { input: { list }, maxBodyValues: 12 }),
        route('POST', '/any', {}, ({ request: asked }) => asked.json()),
      ],
      {},
      { maxBodyValues: 10 },
    );
    const ask = async (path: string, values: number): Promise<number> =>
      (await request('POST', path, { body: jsonBody(Array(values - 1).fill(0)) })).status;
    const statuses: Record<string, readonly number[]> = {};
    for (const path of ['/usual', '/own', '/any'])
      statuses[path] = [await ask(path, 10), await ask(path, 11), await ask(path, 12), await ask(path, 13)];
    expect(statuses).toEqual({
      '/usual': [200, 413, 413, 413],
      '/own': [200, 200, 200, 413],
      '/any': [200, 413, 413, 413],
    });
  });

  it('are given as bytes, of any type, to a route without body parameters', async () => {
    verifies('http.body.raw', 'request.body');
    const { request } = serve([route('PUT', '/raw', {}, ({ request: { body: bytes } }) => [...bytes])]);
    const bytes = Uint8Array.of(0xff, 0x00, 0x7b);
    for (const contentType of ['image/png', 'application/json', undefined])
      expect(answerOf(await request('PUT', '/raw', { body: bytesBody(bytes, contentType) }))).toEqual([
        0xff, 0, 0x7b,
      ]);
  });

  it('are not read for routes that take none, nor for those that read it themselves', async () => {
    const unread = { ...bytesBody('x'), read: () => Promise.reject(new Error('it was read')) };
    const { request } = serve([
      echo('GET', '/none'),
      route('POST', '/source', { body: 'source' }, ({ body: source }) => source === unread),
    ]);
    expect((await request('GET', '/none', { body: unread })).status).toBe(200);
    expect(answerOf(await request('POST', '/source', { body: unread }))).toBe(true);
  });

  it('say nothing before the scopes are held', async () => {
    verifies('http.order.scopes-before-body');
    const unread = { ...bytesBody('x', 'text/plain'), read: () => Promise.reject(new Error('it was read')) };
    const { request } = serve([
      echo('POST', '/x/{id}', { scopes: ['write'], input: { id: Type.Integer(), a: Type.Integer() } }),
    ]);
    expect((await request('POST', '/x/no', { body: unread })).status).toBe(403);
  });
});
