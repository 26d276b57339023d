import { type Method, media, Type, toRoute } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { documentOf, operationOf, route } from './tables.ts';

const object = { type: 'object', properties: { a: { type: 'string' } } };
const problem = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } };
const statusesOf = (...given: Parameters<typeof route>) =>
  Object.keys(operationOf(route(...given)).responses).join(' ');

describe('toResponses', () => {
  it('describes one response for each declared status', () => {
    verifies('openapi.responses', 'face.output.by-status');
    const { responses } = operationOf(
      route('POST', '/a', { output: { 201: object, 202: { type: 'null' }, 204: {} } }),
    );
    expect(responses).toMatchObject({
      201: { description: 'Created', content: { 'application/json': { schema: object } } },
      202: { description: 'Accepted', content: { 'application/json': { schema: { type: 'null' } } } },
    });
    expect(responses[204]).toEqual({ description: 'No Content' });
    expect(responses).not.toHaveProperty('200');
  });

  it('takes one schema as the answer with 200', () => {
    verifies('face.output.one');
    expect(operationOf(route('GET', '/a', { output: object })).responses[200]).toEqual({
      description: 'OK',
      content: { 'application/json': { schema: object } },
    });
  });

  it('says 200 and no more where no output is declared', () => {
    expect(operationOf(route('GET', '/a')).responses[200]).toEqual({ description: 'OK' });
    expect(operationOf(route('GET', '/a', { output: { 409: object } })).responses[200]).toEqual({
      description: 'OK',
    });
  });

  it('takes a redirect as the success that was declared', () => {
    expect(statusesOf('GET', '/a', { output: { 301: {} } })).toMatch(/^301 /);
  });

  it('describes answers that are not JSON by their media type', () => {
    const { responses } = operationOf(
      route('GET', '/a', {
        output: { 200: media('image/png'), 206: media('text/csv; charset=utf-8'), 304: {} },
      }),
    );
    expect(responses[200]).toEqual({ description: 'OK', content: { 'image/png': {} } });
    expect(responses[206]).toEqual({
      description: 'Partial Content',
      content: { 'text/csv; charset=utf-8': { schema: { type: 'string' } } },
    });
    expect(responses[304]).toEqual({ description: 'Not Modified' });
  });

  it('knows what pages, files and proxies answer', () => {
    const contentOf = (kind: 'page' | 'files' | 'proxy') =>
      operationOf(route('GET', '/a', {}, kind)).responses[200];
    expect(contentOf('page')).toEqual({
      description: 'OK',
      content: { 'text/html': { schema: { type: 'string' } } },
    });
    expect(contentOf('files')).toEqual({ description: 'OK', content: { '*/*': {} } });
    expect(contentOf('proxy')).toEqual({ description: 'OK', content: { '*/*': {} } });
  });

  it('offers an event stream where progress is reported', () => {
    verifies('openapi.sse');
    const description = expect.stringMatching(
      /`progress`.*`result`.*`\{"status", "body"\}`.*`error`/,
    ) as string;
    const eventStream = { 'text/event-stream': { schema: { type: 'string', description } } };
    expect(operationOf(route('POST', '/a', { output: object, progress: true })).responses[200]).toEqual({
      description: 'OK',
      content: { 'application/json': { schema: object }, ...eventStream },
    });
    expect(
      operationOf(route('POST', '/a', { output: { 201: object }, progress: true })).responses[200],
    ).toEqual({ description: 'OK', content: eventStream });
    const others = operationOf(route('POST', '/a', { output: object })).responses;
    expect(JSON.stringify(others)).not.toContain('text/event-stream');
  });

  it('adds problem+json to a declared error, since a handler may also throw it', () => {
    expect(operationOf(route('GET', '/a', { output: { 200: object, 409: object } })).responses[409]).toEqual({
      description: 'Conflict',
      content: { 'application/json': { schema: object }, ...problem },
    });
  });

  it.each([
    ['a route that takes nothing', statusesOf('GET', '/a'), '200 429 500 503 504'],
    [
      'query parameters',
      statusesOf('GET', '/a', { input: { q: Type.Optional({ type: 'integer' }) } }),
      '200 400 422 429 500 503 504',
    ],
    ['a path parameter', statusesOf('GET', '/a/{id}'), '200 400 404 422 429 500 503 504'],
    ['scopes', statusesOf('GET', '/a', { scopes: ['s'] }), '200 401 403 429 500 503 504'],
    [
      'a JSON body',
      statusesOf('POST', '/a', { input: { n: { type: 'integer' } } }),
      '200 400 413 415 422 429 500 503 504',
    ],
    ['a body of bytes', statusesOf('POST', '/a'), '200 413 415 429 500 503 504'],
    [
      'a body without a limit',
      statusesOf('POST', '/a', { maxBodyBytes: Number.POSITIVE_INFINITY }, 'proxy'),
      '200 429 500 502 503 504',
    ],
    ['a constant', statusesOf('GET', '/a', {}, 'static'), '200 429 500 503'],
    [
      'an agent',
      statusesOf('POST', '/a', { input: { input: { type: 'string' } } }, 'agent'),
      '200 400 413 415 422 429 500 502 503 504',
    ],
    ['a device', statusesOf('GET', '/a', {}, 'device'), '200 404 429 500 503 504'],
  ])('lists the errors that can happen: %s', (_, statuses, expected) => {
    expect(statuses).toBe(expected);
  });

  it('says of rows what can conflict, and what can have changed', () => {
    const engine = (kind: 'query' | 'resource', durability?: 'transaction') => ({
      kind,
      ...(durability && { durability }),
    });
    const rows = (method: Method, kind: 'query' | 'resource', output?: object) =>
      Object.keys(
        operationOf(
          toRoute(method, '/a', engine(kind, method === 'GET' ? undefined : 'transaction'), {
            ...(output && { output }),
          }),
        ).responses,
      ).join(' ');
    expect(rows('GET', 'resource')).not.toMatch(/409|412/);
    expect(rows('POST', 'resource')).toMatch(/ 409 (?!412)/);
    expect(rows('PATCH', 'resource')).toContain(' 409 412 ');
    expect(rows('DELETE', 'resource')).toContain(' 409 412 ');
    expect(rows('POST', 'query')).toMatch(/ 409 (?!412)/);
    expect(rows('GET', 'query', { type: 'array' })).not.toMatch(/404|409/);
    expect(rows('GET', 'query', { type: 'object' })).toContain(' 404 ');
    const affected = { type: 'object', properties: { affected: {}, last_insert_id: {} } };
    expect(rows('POST', 'query', affected)).not.toContain('404');
  });

  it('lists 401 for a memory, which is nobody’s who does not say who they are', () => {
    expect(statusesOf('GET', '/a', {}, 'memory')).toBe('200 401 429 500 503 504');
  });

  it('lists 401 for public routes once there are credentials to get wrong', () => {
    const { responses } = operationOf(route('GET', '/a'), { security: { apiKey: true } });
    expect(responses[401]).toEqual({ $ref: '#/components/responses/Unauthenticated' });
    expect(responses).not.toHaveProperty('403');
  });

  it('describes every error as problem+json with one schema', () => {
    const { components } = documentOf([]);
    expect(components.schemas['Problem']).toMatchObject({
      required: ['type', 'title', 'status', 'detail', 'request_id'],
      properties: { code: {}, errors: { items: { required: ['path', 'message'] } }, run: {} },
    });
    for (const response of Object.values(components.responses)) expect(response.content).toEqual(problem);
    expect(components.responses['TooManyRequests']?.headers).toHaveProperty('Retry-After');
    expect(components.responses['Unauthenticated']?.headers).toHaveProperty('WWW-Authenticate');
  });
});
