import { media, Type } from '@waymark/contract';
import { ifNoneMatch, unlessMatched } from '@waymark/contract/route';
import { runFacts } from '@waymark/contract/runs';
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

  it('says that any JSON may come where no output is declared, or nothing', () => {
    const schema = { description: 'Any JSON: the route declares no output.' };
    const any = { description: 'OK', content: { 'application/json': { schema } } };
    const { responses } = operationOf(route('GET', '/a'));
    expect(responses[200]).toEqual(any);
    expect(responses[204]).toEqual({ description: 'No Content' });
    expect(operationOf(route('GET', '/a', { output: object })).responses).not.toHaveProperty('204');
    expect(operationOf(route('GET', '/a', { output: { 409: object } })).responses[200]).toEqual(any);
  });

  it('says where the answer of a run will be that goes on while its caller is sent away', () => {
    const starts = { ...runFacts, startsRun: 'agent' } as const;
    const { responses } = operationOf(route('POST', '/a', { output: { 202: object }, facts: starts }));
    const location = { description: expect.stringMatching(/^With 202 and 503/), schema: { type: 'string' } };
    expect(responses[202]).toMatchObject({ headers: { Location: location } });
    expect(responses[503]).toMatchObject({
      headers: { Location: location, 'Retry-After': {} },
      content: problem,
    });
    expect(operationOf(route('POST', '/a', { facts: runFacts })).responses[503]).toEqual({
      $ref: '#/components/responses/Unavailable',
    });
  });

  it('takes a redirect as the success that was declared', () => {
    expect(statusesOf('GET', '/a', { output: { 301: {} } })).toMatch(/^301 /);
  });

  it('lists a redirect of its owner with the header that says where to', () => {
    verifies('openapi.headers');
    const facts = { answers: { 200: [object], 301: [] }, sends: { ETag: 'It changes.' } };
    const { responses } = operationOf(route('GET', '/a', { facts }));
    expect(responses[301]).toEqual({
      description: 'Moved Permanently',
      headers: { Location: { description: 'Where it is.', schema: { type: 'string' } } },
    });
    expect(responses[200]).not.toHaveProperty('headers.Location');
  });

  it('offers other types beside the problem where the owner answers errors so', () => {
    const { responses } = operationOf(
      route('GET', '/a', { facts: { failsAs: [media('text/html')], fails: [404] } }),
    );
    const content = { ...problem, 'text/html': { schema: { type: 'string' } } };
    expect(responses[404]).toEqual({ description: 'There is nothing of this name.', content });
    expect(responses[429]).toMatchObject({ content, headers: { 'Retry-After': {} } });
    expect(responses[200]).not.toHaveProperty('content.text/html');
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

  it('describes answers that tools have no schema of, as the owner of the route tells them', () => {
    const answers = { 200: [object, media('text/event-stream')], 202: [], 206: [media('*/*')] };
    expect(operationOf(route('GET', '/a', { facts: { answers } })).responses).toMatchObject({
      200: { content: { 'application/json': { schema: object }, 'text/event-stream': {} } },
      202: { description: 'Accepted' },
      206: { content: { '*/*': {} } },
    });
    const declared = operationOf(route('GET', '/a', { output: object, facts: { answers } })).responses;
    expect(declared[200]).toEqual({ description: 'OK', content: { 'application/json': { schema: object } } });
  });

  it('describes the headers that a route sends with a success', () => {
    verifies('openapi.headers');
    const schema = { type: 'string' };
    const headers = { Link: { description: 'Next.', schema } };
    const { responses } = operationOf(
      route('GET', '/a', { output: { 200: object, 409: object }, facts: { sends: { Link: 'Next.' } } }),
    );
    expect(responses[200]).toHaveProperty('headers', headers);
    expect(responses[409]).not.toHaveProperty('headers');
  });

  it('describes 304 where somebody may say what is at hand', () => {
    verifies('openapi.headers');
    const { responses, parameters } = operationOf(
      route('GET', '/a', { output: object, facts: { reads: ifNoneMatch } }),
    );
    expect(responses[304]).toEqual({ description: 'Not Modified' });
    expect(parameters).toEqual([
      {
        name: 'If-None-Match',
        in: 'header',
        required: false,
        description: ifNoneMatch['If-None-Match'],
        schema: { type: 'string' },
      },
    ]);
  });

  it('lists no 304 where the header is a condition of a change', () => {
    const { responses } = operationOf(
      route('PATCH', '/a', { facts: { reads: unlessMatched, fails: [412] } }),
    );
    expect(Object.keys(responses)).not.toContain('304');
    expect(responses).toHaveProperty('412');
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
    ['a route that takes nothing', statusesOf('GET', '/a'), '200 204 401 429 500 503 504'],
    [
      'query parameters',
      statusesOf('GET', '/a', { input: { q: Type.Optional({ type: 'integer' }) } }),
      '200 204 400 401 422 429 500 503 504',
    ],
    ['a path parameter', statusesOf('GET', '/a/{id}'), '200 204 400 401 404 422 429 500 503 504'],
    ['scopes', statusesOf('GET', '/a', { scopes: ['s'] }), '200 204 401 403 429 500 503 504'],
    [
      'a JSON body',
      statusesOf('POST', '/a', { input: { n: { type: 'integer' } } }),
      '200 204 400 401 413 415 422 429 500 503 504',
    ],
    ['a body of bytes', statusesOf('POST', '/a'), '200 204 401 413 415 429 500 503 504'],
    [
      'a body without a limit',
      statusesOf('POST', '/a', { maxBodyBytes: Number.POSITIVE_INFINITY }),
      '200 204 401 429 500 503 504',
    ],
    ['a constant', statusesOf('GET', '/a', { facts: { atOnce: true } }), '200 204 401 429 500 503'],
    [
      'what the owner of the route tells',
      statusesOf('GET', '/a', { facts: { fails: [401, 404, 409, 410, 412, 502] } }),
      '200 204 401 404 409 410 412 429 500 502 503 504',
    ],
  ])('lists the errors that can happen: %s', (_, statuses, expected) => {
    expect(statuses).toBe(expected);
  });

  it.each([
    ['keys', { apiKey: true }, []],
    ['no credentials', {}, undefined],
  ])(
    'lists 401 for public routes: a wrong credential is refused by an application with %s',
    (_, security, needed) => {
      const operation = operationOf(route('GET', '/a'), { security });
      expect(operation.responses[401]).toEqual({ $ref: '#/components/responses/Unauthenticated' });
      expect(operation.responses).not.toHaveProperty('403');
      expect(operation.security).toEqual(needed);
    },
  );

  it('lists no 401 for health, which looks at no credential', () => {
    expect(statusesOf('GET', '/health', { plane: 'control' })).toBe('200 204 429 500 503 504');
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
