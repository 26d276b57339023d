import { inspect } from 'node:util';
import { createRouteTable, defineRoute, Type } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { toClient } from '../src/index.ts';
import { makeProject, type Project } from './generated.ts';
import { richTable } from './rich-table.ts';
import { type ScriptedServer, startServer } from './server.ts';

/** The generated module, as far as these tests call it; its types are the subject of another one. */
interface Generated {
  createClient(options: Readonly<Record<string, unknown>>): Client;
  ProblemError: new (...given: never[]) => Error;
}
type Call = (input?: unknown, options?: unknown) => Promise<unknown>;
type Client = Readonly<Record<string, Call>> & { readonly control: Readonly<Record<string, Call>> };

let project: Project;
let generated: Generated;
let server: ScriptedServer;
const json = { 'content-type': 'application/json' };

beforeAll(async () => {
  server = await startServer();
  project = await makeProject(toClient(richTable(), { title: 'Rich' }));
  generated = (await project.load('client.ts')) as Generated;
});
beforeEach(() => server.answer());
afterAll(async () => {
  await server.close();
  await project.remove();
});

const client = (options: object = {}): Client => generated.createClient({ baseUrl: server.url, ...options });
const call = (name: string, input?: unknown, options?: unknown): Promise<unknown> =>
  (client()[name] as Call)(input, options);
const lastUrl = (): string | undefined => server.seen.at(-1)?.url;

describe('a request of a generated client', () => {
  it('carries path, query and method', async () => {
    verifies('client.method-per-operation');
    await call('getTicketsByIdSummary', { id: 7, style: 'long & ünusual+' });
    expect(server.seen[0]).toMatchObject({
      method: 'GET',
      url: '/tickets/7/summary?style=long%20%26%20%C3%BCnusual%2B',
    });
    await call('deleteTicketsById', { id: 7 });
    expect(server.seen[1]).toMatchObject({ method: 'DELETE', url: '/tickets/7' });
    expect(server.seen[1]?.headers).not.toHaveProperty('content-type');
  });

  it('repeats lists, leaves out what is undefined, and sends zero, false and empty text', async () => {
    await call('getTicketsByIdSummary', { id: 0, style: undefined, tags: ['a', 'b,c'] });
    expect(lastUrl()).toBe('/tickets/0/summary?tags=a&tags=b%2Cc');
    await call('getTickets', { limit: 0, urgent: false });
    expect(lastUrl()).toBe('/tickets?limit=0&urgent=false');
    await call('getTicketsByIdSummary', { id: 1, style: '' });
    expect(lastUrl()).toBe('/tickets/1/summary?style=');
    await call('getTickets');
    expect(lastUrl()).toBe('/tickets');
  });

  it('sends what was given, and nothing that every object has', async () => {
    const table = createRouteTable([
      defineRoute('GET', '/drivers', { input: { constructor: Type.Optional(Type.String()) } }, () => 1),
    ]);
    const named = await makeProject(toClient(table, { title: 'Named' }));
    onTestFinished(() => named.remove());
    const { createClient } = (await named.load('client.ts')) as Generated;
    const { getDrivers } = createClient({ baseUrl: server.url });
    await getDrivers?.({});
    await getDrivers?.({ constructor: 'ferrari' });
    expect(server.seen.map(({ url }) => url)).toEqual(['/drivers', '/drivers?constructor=ferrari']);
  });

  it('sends a query name that the route does not have to nobody', async () => {
    await call('getTickets', { limmit: 1 });
    expect(lastUrl()).toBe('/tickets');
  });

  it('keeps a path value in its segment, and the rest of a path in its segments', async () => {
    await call('getWeatherByCity', { city: 'a/b?c#d%2e e' });
    expect(lastUrl()).toBe('/weather/a%2Fb%3Fc%23d%252e%20e');
    await call('getFilesByPath', { path: 'a b/c?/..x/' });
    expect(lastUrl()).toBe('/files/a%20b/c%3F/..x/');
  });

  it('sends a list of one in a path as its item', async () => {
    await call('getWeatherByCity', { city: ['a/b'] });
    expect(lastUrl()).toBe('/weather/a%2Fb');
  });

  it.each([
    ['getWeatherByCity', { city: [] }, '"city" cannot be a list of 0 in a path'],
    ['getWeatherByCity', { city: ['a', 'b'] }, '"city" cannot be a list of 2 in a path'],
    ['getWeatherByCity', { city: [null] }, '"city" cannot be null in a path'],
    ['getWeatherByCity', { city: '..' }, '"city" cannot be ".." in a path'],
    ['getWeatherByCity', { city: '.' }, '"city" cannot be "." in a path'],
    ['getWeatherByCity', { city: '' }, '"city" cannot be "" in a path'],
    ['getWeatherByCity', {}, '"city" cannot be "" in a path'],
    ['getFilesByPath', { path: 'a/../../b' }, '"path" cannot be ".." in a path'],
  ])(
    'refuses values that would be sent as another, or lead to another route: %s %o',
    async (name, input, message) => {
      await expect(call(name, input)).rejects.toThrow(new TypeError(message));
      expect(server.seen).toHaveLength(0);
    },
  );

  it.each([
    ['getWeatherByCity', { city: 'a\ud83d' }, '"city"'],
    ['getFilesByPath', { path: 'a/\udc00b' }, '"path"'],
    ['getTicketsByIdSummary', { id: 1, style: '\ud83d' }, '"style"'],
  ])('names a value that no URL can hold: %s', async (name, input, parameter) => {
    const message = `${parameter} holds half of a character (a lone surrogate)`;
    await expect(call(name, input)).rejects.toThrow(new TypeError(message));
    await call('getWeatherByCity', { city: '\ud83d\ude00' });
    expect(server.seen.map(({ url }) => url)).toEqual(['/weather/%F0%9F%98%80']);
  });

  it.each([
    ['getTicketsByIdSummary', { id: 1, style: null }, '"style" cannot be null in a query'],
    ['getTicketsByIdSummary', { id: 1, tags: ['a', null] }, '"tags[1]" cannot be null in a query'],
    ['getTicketsByIdSummary', { id: 1, tags: [undefined] }, '"tags[0]" cannot be undefined in a query'],
    ['getTicketsByIdSummary', { id: 1, tags: [] }, '"tags" cannot be a list of 0 in a query'],
    ['updateTicketsById', { id: 1, title: null, notify: null }, '"notify" cannot be null in a query'],
    ['getWeatherByCity', { city: null }, '"city" cannot be null in a path'],
    ['getFilesByPath', { path: null }, '"path" cannot be null in a path'],
    ['createDoorFrames', { body: '', contentType: null }, '"contentType" cannot be null in a header'],
  ])('refuses what has no text where only text travels: %s %o', async (name, input, message) => {
    await expect(call(name, input)).rejects.toThrow(new TypeError(message));
    expect(server.seen).toHaveLength(0);
  });

  it.each([
    ['apiKey', { apiKey: null }, {}],
    ['token', { token: null }, {}],
    ['token', { token: async () => null }, {}],
    ['x-tenant', { headers: { 'x-tenant': null } }, {}],
    ['x-tenant', {}, { headers: { 'x-tenant': null } }],
  ])('refuses null as a header: %s of %o, %o', async (name, options, ofCall) => {
    const message = `"${name}" cannot be null in a header`;
    await expect(client(options)['getTickets']?.({}, ofCall)).rejects.toThrow(new TypeError(message));
    expect(server.seen).toHaveLength(0);
  });

  it.each([
    ['apiKey', { apiKey: 'secret\n-key' }, {}],
    ['token', { token: 'secret\r-key' }, {}],
    ['token', { token: async () => 'secret\0-key' }, {}],
    ['x-tenant', { headers: { 'x-tenant': 'secret-\u20ac' } }, {}],
    ['x-tenant', {}, { headers: { 'x-tenant': 'secret\nkey' } }],
  ])('does not quote what no header can hold: %s of %o, %o', async (name, options, ofCall) => {
    const error: unknown = await client(options)
      ['getTickets']?.({}, ofCall)
      .catch((reason: unknown) => reason);
    expect(error).toEqual(new TypeError(`"${name}" cannot be sent in a header`));
    expect(inspect(error)).not.toContain('secret');
    expect(server.seen).toHaveLength(0);
  });

  it.each([
    ['freeForm', { f: Number.NaN }, '"f" cannot be NaN in JSON'],
    ['freeForm', { a: { b: [null, Number.POSITIVE_INFINITY] } }, '"1" cannot be Infinity in JSON'],
    ['replaceImport', { rows: [{ id: Number.NEGATIVE_INFINITY }] }, '"id" cannot be -Infinity in JSON'],
    ['replaceImport', { rows: Number.NaN }, '"rows" cannot be NaN in JSON'],
  ])('refuses a number that JSON would make null: %s %o', async (name, input, message) => {
    await expect(call(name, input)).rejects.toThrow(new TypeError(message));
    expect(server.seen).toHaveLength(0);
    await call('freeForm', { text: 'null', none: null, least: -Number.MAX_VALUE });
    expect(JSON.parse(String(server.seen[0]?.body))).toEqual({
      text: 'null',
      none: null,
      least: -Number.MAX_VALUE,
    });
  });

  it('sends what travels neither in path nor query as a JSON object', async () => {
    await call('updateTicketsById', { id: 3, title: null, notify: true });
    expect(server.seen[0]).toMatchObject({
      method: 'PATCH',
      url: '/tickets/3?notify=true',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
    });
    expect(JSON.parse(String(server.seen[0]?.body))).toEqual({ title: null });
    await call('freeForm', { anything: [1], id: 2 });
    expect(JSON.parse(String(server.seen[1]?.body))).toEqual({ anything: [1], id: 2 });
    await call('freeForm');
    expect(String(server.seen[2]?.body)).toBe('{}');
  });

  it('sends one input as the whole JSON body', async () => {
    await call('replaceImport', { rows: [{ id: 1 }] });
    expect(server.seen[0]?.headers['content-type']).toBe('application/json');
    expect(String(server.seen[0]?.body)).toBe('[{"id":1}]');
  });

  it('sends bytes as they are, with the type they are given', async () => {
    const bytes = new Uint8Array([0, 255, 10]);
    await call('createDoorFrames', { body: bytes, contentType: 'image/png' });
    expect(server.seen[0]?.headers['content-type']).toBe('image/png');
    expect(new Uint8Array(server.seen[0]?.body ?? [])).toEqual(bytes);
    await call('createDoorFrames', { body: bytes.buffer });
    expect(server.seen[1]?.headers['content-type']).toBe('application/octet-stream');
    await call('createUploadByBody', { body: 'in the path', body_: 'text', note: 'n' });
    expect(server.seen[2]).toMatchObject({
      url: '/upload/in%20the%20path?note=n',
      headers: { 'content-type': 'text/plain;charset=UTF-8' },
    });
    await call('createDoorFrames');
    expect(server.seen[3]?.body).toHaveLength(0);
  });

  it('shows the credentials of the client, and asks for a token before each call', async () => {
    let n = 0;
    const guarded = client({ apiKey: 'key', token: async () => `t${++n}`, headers: { 'X-Tenant': 'a' } });
    await guarded['getTickets']?.();
    await guarded['getTickets']?.({}, { headers: { 'x-tenant': 'b' } });
    expect(server.seen[0]?.headers).toMatchObject({
      'x-api-key': 'key',
      authorization: 'Bearer t1',
      'x-tenant': 'a',
    });
    expect(server.seen[1]?.headers).toMatchObject({ authorization: 'Bearer t2', 'x-tenant': 'b' });
    await client({ token: 'fixed' })['getTickets']?.();
    expect(server.seen[2]?.headers['authorization']).toBe('Bearer fixed');
    expect(server.seen[2]?.headers).not.toHaveProperty('x-api-key');
  });

  it('goes to the base URL, whatever it ends with, and through the given fetch', async () => {
    await client({ baseUrl: `${server.url}/behind/proxy//` })['getTickets']?.();
    expect(lastUrl()).toBe('/behind/proxy/tickets');
    await client({ baseUrl: new URL(server.url) })['getTickets']?.();
    expect(lastUrl()).toBe('/tickets');
    const fetched: string[] = [];
    const fetch = async (request: Request) => {
      fetched.push(request.url);
      return Response.json({ own: true });
    };
    expect(await client({ baseUrl: 'https://example.com', fetch })['getTickets']?.()).toEqual({ own: true });
    expect(fetched).toEqual(['https://example.com/tickets']);
  });

  it('reaches the control plane under its prefix', async () => {
    await client().control['createSvcApprovalsById']?.({ id: 'a/b', approve: true });
    expect(server.seen[0]).toMatchObject({ method: 'POST', url: '/_svc/approvals/a%2Fb' });
    expect(JSON.parse(String(server.seen[0]?.body))).toEqual({ approve: true });
  });
});

describe('a result of a generated client', () => {
  it('is the JSON of the answer', async () => {
    server.answer({
      status: 201,
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: '{"id":1}',
    });
    expect(await call('createTickets', { title: 'x' })).toEqual({ id: 1 });
  });

  it('is undefined for 204', async () => {
    server.answer({ status: 204 });
    expect(await call('deleteTicketsById', { id: 1 })).toBeUndefined();
    expect(await call('replaceImport', { rows: [] })).toBeUndefined();
  });

  it('is bytes or text where the route declares a media type', async () => {
    server.answer({ headers: { 'content-type': 'application/octet-stream' }, body: new Uint8Array([1, 2]) });
    expect(await call('getFilesByPath', { path: 'a' })).toEqual(new Uint8Array([1, 2]));
    server.answer({ headers: { 'content-type': 'text/csv; charset=utf-8' }, body: 'a;ü' });
    expect(await call('getReportCsv')).toBe('a;ü');
  });

  it.each([
    [{ headers: json, body: '[1]' }, [1]],
    [{ headers: { 'content-type': 'application/ld+json' }, body: '{}' }, {}],
    [{ headers: { 'content-type': 'text/html' }, body: '<p>' }, '<p>'],
    [{ headers: { 'content-type': 'image/png' }, body: new Uint8Array([9]) }, new Uint8Array([9])],
    [{ body: '' }, undefined],
    [{ headers: json, body: '' }, undefined],
  ])('follows the content type where nothing is declared: %o', async (answer, expected) => {
    server.answer(answer);
    expect(await call('getNothingDeclared')).toEqual(expected);
  });
});

describe('ProblemError', () => {
  const failure = (): Promise<unknown> => call('createTickets', { title: 'x' });

  it('has every member of problem+json', async () => {
    verifies('client.problem-error');
    const body = {
      type: 'about:blank',
      title: 'Unprocessable Content',
      status: 422,
      detail: '/id must be integer',
      request_id: 'r1',
      code: 'c',
      errors: [{ path: '/id', message: 'must be integer' }],
      run: { run_id: 'x' },
    };
    server.answer({
      status: 422,
      headers: { 'content-type': 'application/problem+json' },
      body: JSON.stringify(body),
    });
    const error = await failure().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(generated.ProblemError);
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({
      name: 'ProblemError',
      message: '/id must be integer',
      status: 422,
      title: body.title,
      detail: body.detail,
      code: 'c',
      errors: body.errors,
      requestId: 'r1',
      run: body.run,
      body,
    });
  });

  it.each([
    [
      'HTML',
      {
        status: 502,
        headers: { 'content-type': 'text/html', 'x-request-id': 'r2' },
        body: '<h1>Bad Gateway</h1>',
      },
      { status: 502, detail: 'Bad Gateway', requestId: 'r2', body: '<h1>Bad Gateway</h1>', errors: [] },
    ],
    [
      'an empty answer',
      { status: 500 },
      { status: 500, title: 'Internal Server Error', body: undefined, requestId: undefined },
    ],
    [
      'broken JSON',
      { status: 503, headers: json, body: '{' },
      { status: 503, detail: 'Service Unavailable' },
    ],
    [
      'JSON of the route',
      { status: 404, headers: json, body: '{"title":"no such ticket"}' },
      { status: 404, title: 'no such ticket', body: { title: 'no such ticket' } },
    ],
    [
      'members of other types',
      { status: 400, headers: json, body: '{"title":1,"errors":"x","detail":null}' },
      { status: 400, title: 'Bad Request', detail: 'Bad Request', errors: [] },
    ],
    [
      'JSON that is no object',
      { status: 400, headers: json, body: 'null' },
      { status: 400, detail: 'Bad Request' },
    ],
  ])('is thrown for %s', async (_, answer, expected) => {
    server.answer(answer);
    await expect(failure()).rejects.toMatchObject({ name: 'ProblemError', ...expected });
  });

  it('is thrown for a redirect, which nobody follows: it would take the key along', async () => {
    server.answer({ status: 302, headers: { location: '/elsewhere' } });
    await expect(failure()).rejects.toMatchObject({ name: 'ProblemError', status: 302 });
    expect(server.seen).toHaveLength(1);
  });

  it.each([
    [
      'another type',
      { headers: { 'content-type': 'text/html' }, body: '<p>Log in</p>' },
      'expected JSON, received text/html',
      '<p>Log in</p>',
    ],
    [
      'no JSON after all',
      { headers: json, body: '{"id":' },
      'the answer is not JSON: it is broken off or malformed',
      '{"id":',
    ],
    [
      'no JSON of a type of its own',
      { headers: { 'content-type': 'application/ld+json' }, body: '{]' },
      'the answer is not JSON: it is broken off or malformed',
      '{]',
    ],
    ['nothing', { body: '' }, 'expected JSON, received an answer without a content type', ''],
  ])(
    'is thrown for a success that is not the JSON that was declared: %s',
    async (_, answer, detail, body) => {
      server.answer(answer);
      await expect(failure()).rejects.toMatchObject({ name: 'ProblemError', status: 200, detail, body });
    },
  );
});

describe('the memory that an answer takes', () => {
  const tooLong = (bytes: number): RangeError =>
    new RangeError(`the answer is longer than ${bytes} bytes (maxResponseBytes)`);

  it.each([
    ['JSON', 'getNothingDeclared', 'application/json', '"ü12"', 'ü12'],
    ['text', 'getReportCsv', 'text/csv', 'a;ü;b', 'a;ü;b'],
    ['bytes', 'getFilesByPath', 'image/png', '123456', new TextEncoder().encode('123456')],
  ])('has the limit of the call, else of the client: %s', async (_, name, type, body, result) => {
    verifies('client.memory');
    server.answer({ headers: { 'content-type': type }, body });
    const get = (options: object, ofCall: object) =>
      client(options)[name]?.(name === 'getFilesByPath' ? { path: 'a' } : {}, ofCall);
    expect(await get({ maxResponseBytes: 7 }, {})).toEqual(result);
    expect(await get({ maxResponseBytes: 6 }, {})).toEqual(result);
    expect(await get({ maxResponseBytes: 1 }, { maxResponseBytes: 6 })).toEqual(result);
    await expect(get({ maxResponseBytes: 5 }, {})).rejects.toThrow(tooLong(5));
    await expect(get({}, { maxResponseBytes: 5 })).rejects.toThrow(tooLong(5));
  });

  it.each([
    [200, tooLong(64 * 1024 * 1024), 64],
    [500, expect.objectContaining({ name: 'ProblemError', status: 500, body: undefined }), 10],
  ])('is bounded where an answer has no end, and the connection let go: %i', async (status, error, most) => {
    verifies('client.memory');
    const spaces = new Uint8Array(1024 * 1024).fill(32);
    let given = 0;
    let isLetGo = false;
    const body = new ReadableStream({
      pull: (controller) => {
        given++;
        controller.enqueue(spaces);
      },
      cancel: () => {
        isLetGo = true;
      },
    });
    const own = async (): Promise<Response> => new Response(body, { status, headers: json });
    await expect(client({ fetch: own })['createTickets']?.({ title: 'x' })).rejects.toThrow(error);
    expect(isLetGo).toBe(true);
    // One that is over it, and one that waits for whoever reads.
    expect(given).toBeLessThanOrEqual(most + 2);
  });
});

describe('a call of a generated client', () => {
  it('is aborted by its signal, with the reason of the signal', async () => {
    verifies('client.abort');
    server.hang();
    const controller = new AbortController();
    const pending = call('getTickets', {}, { signal: controller.signal });
    controller.abort(new Error('changed my mind'));
    await expect(pending).rejects.toThrow('changed my mind');
    await expect(call('getTickets', {}, { signal: AbortSignal.abort() })).rejects.toThrow(
      expect.objectContaining({ name: 'AbortError' }),
    );
  });

  it('ends at its time limit: of the call, else of the client', async () => {
    server.hang();
    const timedOut = expect.objectContaining({ name: 'TimeoutError' });
    await expect(call('getTickets', {}, { timeoutMs: 20 })).rejects.toThrow(timedOut);
    await expect(client({ timeoutMs: 20 })['getTickets']?.()).rejects.toThrow(timedOut);
    await expect(client({ timeoutMs: 1e12 })['getTickets']?.({}, { timeoutMs: 20 })).rejects.toThrow(
      timedOut,
    );
  });

  it('asks again, twice, for what only reads', async () => {
    const busy = { status: 503, headers: { 'retry-after': '0' } };
    server.answer(busy, busy, { headers: json, body: '[]' });
    expect(await call('getTickets')).toEqual([]);
    expect(server.seen).toHaveLength(3);
    server.answer(busy, busy, busy, { headers: json, body: '[]' });
    await expect(call('getTickets')).rejects.toMatchObject({ status: 503 });
    expect(server.seen).toHaveLength(3);
  });

  it.each([
    ['createTickets', { title: 'x' }, 503],
    ['deleteTicketsById', { id: 1 }, 503],
    ['getTickets', {}, 500],
    ['getTickets', {}, 404],
  ])('does not ask again: %s %o, %i', async (name, input, status) => {
    server.answer({ status, headers: { 'retry-after': '0' } });
    await expect(call(name, input)).rejects.toMatchObject({ status });
    expect(server.seen).toHaveLength(1);
  });

  it('lets errors of the network through', async () => {
    const refused = client({ baseUrl: 'http://127.0.0.1:1' });
    await expect(refused['createTickets']?.({ title: 'x' })).rejects.toMatchObject({ name: 'NetworkError' });
  });
});
