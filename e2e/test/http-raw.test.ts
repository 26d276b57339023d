import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { verifies } from '@waymark/contract/testing';
import { createApplication, from, type RunningApplication, Type } from '@waymark/server';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { exchange, handshakeLines, type RawAnswer, rawClient, rawRequest } from './raw-client.ts';

const secrets = {
  ANN_KEY: 'secret-of-ann-in-these-tests',
  BOB_KEY: 'secret-of-bob-in-these-tests',
  ROOT_KEY: 'secret-of-root-in-these-tests',
};
const keyOf = {
  ann: `X-Api-Key: ${secrets.ANN_KEY}`,
  bob: `X-Api-Key: ${secrets.BOB_KEY}`,
  root: `X-Api-Key: ${secrets.ROOT_KEY}`,
} as const;
const close = 'Connection: close';
const json = 'Content-Type: application/json';
const chunked = 'Transfer-Encoding: chunked';
const bodyLimit = 1000;

/** Rows whose second request was served, and bodies that reached a handler. */
const served = new Set<string>();
const bodies: number[] = [];

async function start(options: { readonly requestTimeout?: number } = {}): Promise<RunningApplication> {
  const app = createApplication('raw', {
    port: 0,
    env: { LOG_LEVEL: 'silent', ...secrets },
    // What is refused here is refused for other reasons than its number.
    failureLimit: { perSecond: 1e6, burst: 1e6 },
    ...options,
  });
  app.apiKey('ANN_KEY', 'ann', { scopes: ['ann'] });
  app.apiKey('BOB_KEY', 'bob', { scopes: ['bob'] });
  app.apiKey('ROOT_KEY', 'root', { scopes: ['svc:admin'] });
  app.get('/page', () => 'page');
  app.get('/next', { input: { row: Type.String() } }, ({ row }) => {
    served.add(row);
    return 'next';
  });
  app.post('/bytes', { maxBodyBytes: bodyLimit }, (_input, { body }) => {
    bodies.push(body.length);
    return body.length;
  });
  app.post('/json', { input: { value: from('content', Type.Unknown()) } }, ({ value }) => typeof value);
  app.get('/list', { input: { a: Type.Array(Type.String()) } }, ({ a }) => a.length);
  app.get('/notes_of/ann', { scopes: ['ann'] }, () => 'the diary of ann');
  app.get('/notes_of/bob', { scopes: ['bob'] }, () => 'the diary of bob');
  return app.listen();
}

let server: RunningApplication;
beforeAll(async () => {
  server = await start();
});
afterAll(() => server.close());

type After = 'goes on' | 'is closed' | 'ends';

/**
 * One request as bytes, what it is answered, and what becomes of another one behind it: answered, not even begun when it
 * comes at once, or too late once the answer is there.
 */
type Row = readonly [what: string, bytes: string, status: number, after: After];

const post = (lines: readonly string[], body = ''): string => rawRequest('POST', '/bytes', lines, body);
const inChunks = (body: string, more: readonly string[] = []): string => post([chunked, ...more], body);
const get = (target: string, ...lines: string[]): string => rawRequest('GET', target, lines);

const framing: readonly Row[] = [
  ['a length', post(['Content-Length: 2'], 'ab'), 200, 'goes on'],
  ['a length with leading zeros', post(['Content-Length: 02'], 'ab'), 200, 'goes on'],
  ['two equal lengths', post(['Content-Length: 2', 'Content-Length: 2'], 'ab'), 400, 'is closed'],
  ['two equal lengths in one line', post(['Content-Length: 2, 2'], 'ab'), 400, 'is closed'],
  [
    'two lengths, the short one first',
    post(['Content-Length: 2', 'Content-Length: 90'], 'ab'),
    400,
    'is closed',
  ],
  [
    'two lengths, the long one first',
    post(['Content-Length: 90', 'Content-Length: 2'], 'ab'),
    400,
    'is closed',
  ],
  ['a signed length', post(['Content-Length: +2'], 'ab'), 400, 'is closed'],
  ['a negative length', post(['Content-Length: -2'], 'ab'), 400, 'is closed'],
  ['a hexadecimal length', post(['Content-Length: 0x2'], 'ab'), 400, 'is closed'],
  ['a length of two words', post(['Content-Length: 2 2'], 'ab'), 400, 'is closed'],
  ['an empty length', post(['Content-Length:'], 'ab'), 400, 'is closed'],
  ['a length over 64 bits', post(['Content-Length: 18446744073709551618'], 'ab'), 400, 'is closed'],
  ['length, then chunks', post(['Content-Length: 5', chunked], '0\r\n\r\n'), 400, 'is closed'],
  ['chunks, then length', post([chunked, 'Content-Length: 5'], '0\r\n\r\n'), 400, 'is closed'],
  ['chunks', inChunks('2\r\nab\r\n0\r\n\r\n'), 200, 'goes on'],
  ['CHUNKED', post(['TRANSFER-ENCODING: CHUNKED'], '2\r\nab\r\n0\r\n\r\n'), 200, 'goes on'],
  ['xchunked', post(['Transfer-Encoding: xchunked'], '0\r\n\r\n'), 400, 'is closed'],
  ['identity', post(['Transfer-Encoding: identity'], 'ab'), 400, 'is closed'],
  ['chunked, identity', post(['Transfer-Encoding: chunked, identity'], '0\r\n\r\n'), 400, 'is closed'],
  ['chunked, chunked', post(['Transfer-Encoding: chunked, chunked'], '0\r\n\r\n'), 400, 'is closed'],
  ['chunked on two lines', inChunks('0\r\n\r\n', [chunked]), 400, 'is closed'],
  ['"chunked"', post(['Transfer-Encoding: "chunked"'], '0\r\n\r\n'), 400, 'is closed'],
  ['chunked after a vertical tab', post(['Transfer-Encoding: \x0bchunked'], '0\r\n\r\n'), 400, 'is closed'],
  ['an empty encoding', post(['Transfer-Encoding: '], '0\r\n\r\n'), 400, 'is closed'],
  ['a space before the colon', post(['Transfer-Encoding : chunked'], '0\r\n\r\n'), 400, 'is closed'],
  ['chunks in HTTP/1.0', inChunks('0\r\n\r\n').replace('1.1', '1.0'), 200, 'ends'],
  ['a body on a GET', rawRequest('GET', '/page', [], 'ab'), 200, 'goes on'],
  ['a request as body of a GET', rawRequest('GET', '/page', [], get('/next?row=body')), 200, 'goes on'],
  ['chunks on a GET', rawRequest('GET', '/page', [chunked], '2\r\nab\r\n0\r\n\r\n'), 200, 'ends'],
];

const chunks: readonly Row[] = [
  ['no size', inChunks('zz\r\nab\r\n0\r\n\r\n'), 400, 'is closed'],
  ['a negative size', inChunks('-1\r\nab\r\n0\r\n\r\n'), 400, 'is closed'],
  ['0x in the size', inChunks('0x2\r\nab\r\n0\r\n\r\n'), 400, 'is closed'],
  ['a size over 64 bits', inChunks('fffffffffffffffff\r\nab\r\n0\r\n\r\n'), 400, 'is closed'],
  ['a space before the size', inChunks(' 2\r\nab\r\n0\r\n\r\n'), 400, 'is closed'],
  ['a space after the size', inChunks('2 \r\nab\r\n0\r\n\r\n'), 400, 'is closed'],
  ['a bare LF after the size', inChunks('2\nab\r\n0\r\n\r\n'), 400, 'is closed'],
  ['a bare LF after the bytes', inChunks('2\r\nab\n0\r\n\r\n'), 400, 'is closed'],
  ['more bytes than the size says', inChunks('2\r\nabcd\r\n0\r\n\r\n'), 400, 'is closed'],
  ['an end that is cut short', inChunks('2\r\nab\r\n0\r\n'), 400, 'is closed'],
  ['an extension', inChunks('2;a=b\r\nab\r\n0\r\n\r\n'), 200, 'goes on'],
  ['a bare LF in an extension', inChunks('2;a\nb\r\nab\r\n0\r\n\r\n'), 400, 'is closed'],
  ['an open quote in an extension', inChunks('2;a="\r\nab\r\n0\r\n\r\n'), 400, 'is closed'],
  ['20 KB of extension', inChunks(`2;a=${'x'.repeat(20_000)}\r\nab\r\n0\r\n\r\n`), 413, 'is closed'],
  ['a trailer', inChunks('2\r\nab\r\n0\r\nX: y\r\n\r\n'), 200, 'goes on'],
  ['20 KB of trailer', inChunks(`2\r\nab\r\n0\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`), 431, 'is closed'],
];

const manyHeaders = (count: number): string[] => Array.from({ length: count }, (_, i) => `X-${i}: 1`);

const heads: readonly Row[] = [
  ['empty lines before the request', `\r\n\r\n${get('/page')}`, 200, 'goes on'],
  ['bare LFs', 'GET /page HTTP/1.1\nHost: localhost\n\n', 400, 'is closed'],
  ['a bare LF after a header', 'GET /page HTTP/1.1\r\nHost: localhost\nX: y\r\n\r\n', 400, 'is closed'],
  ['a bare CR after a header', 'GET /page HTTP/1.1\r\nHost: localhost\rX: y\r\n\r\n', 400, 'is closed'],
  ['a folded header', get('/page', 'X: a', ' b'), 400, 'is closed'],
  ['a fold before the first header', 'GET /page HTTP/1.1\r\n Host: localhost\r\n\r\n', 400, 'is closed'],
  ['a space before a colon', get('/page', 'X : a'), 400, 'is closed'],
  ['a header without a name', get('/page', ': a'), 400, 'is closed'],
  ['a header without a colon', get('/page', 'nothing'), 400, 'is closed'],
  ['NUL in a header', get('/page', 'X: a\0b'), 400, 'is closed'],
  ['no Host', 'GET /page HTTP/1.1\r\n\r\n', 400, 'goes on'],
  ['two Hosts', get('/page', 'Host: localhost', 'Host: evil.example'), 400, 'goes on'],
  ['two equal Hosts', get('/page', 'Host: localhost', 'Host: localhost'), 400, 'goes on'],
  ['two Hosts in one line', get('/page', 'Host: localhost, evil.example'), 400, 'goes on'],
  ['a Host with a user', get('/page', 'Host: localhost:80@evil.example'), 400, 'goes on'],
  ['a Host with a path', get('/page', 'Host: localhost/page'), 400, 'goes on'],
  ['a Host with a space', get('/page', 'Host: local host'), 400, 'goes on'],
  ['an IPv6 Host', get('/page', 'Host: [::1]:80'), 200, 'goes on'],
  ['no Host in HTTP/1.0', 'GET /page HTTP/1.0\r\nConnection: keep-alive\r\n\r\n', 200, 'goes on'],
  ['HTTP/0.9', 'GET /page\r\n\r\n', 400, 'is closed'],
  ['HTTP/1.2', 'GET /page HTTP/1.2\r\nHost: localhost\r\n\r\n', 400, 'is closed'],
  ['HTTP/2.0', 'GET /page HTTP/2.0\r\nHost: localhost\r\n\r\n', 200, 'ends'],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'is closed'],
  ['the beginning of TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400, 'is closed'],
  ['a header of 17 KB', get('/page', `X: ${'y'.repeat(17_000)}`), 431, 'is closed'],
  ['a target of 60 KB', get(`/page?${'a'.repeat(60_000)}`), 431, 'is closed'],
  ['100 headers', get('/page', ...manyHeaders(99)), 200, 'goes on'],
  ['101 headers', get('/page', ...manyHeaders(100)), 431, 'goes on'],
  ['300 headers', get('/page', ...manyHeaders(299)), 431, 'goes on'],
];

const targets: readonly Row[] = [
  ['absolute form', get('http://localhost/page'), 200, 'goes on'],
  ['absolute form of another host', get('http://evil.example/page'), 200, 'goes on'],
  ['absolute form of another scheme', get('ftp://localhost/page'), 400, 'goes on'],
  ['absolute form without a path', get('http://localhost'), 404, 'goes on'],
  ['authority form', get('localhost:80'), 400, 'is closed'],
  ['asterisk form', rawRequest('OPTIONS', '*'), 400, 'goes on'],
  ['asterisk form of a GET', get('*'), 400, 'goes on'],
  ['no slash', get('page'), 400, 'is closed'],
  ['a space', get('/page and more'), 400, 'is closed'],
  ['NUL', get('/page\0'), 400, 'is closed'],
  ['a byte over 127', get('/p\xe4ge'), 400, 'is closed'],
  ['a percent that encodes nothing', get('/%zz'), 400, 'goes on'],
  ['a percent at the end', get('/page%'), 400, 'goes on'],
  ['a percent that encodes nothing in the query', get('/page?a=%zz'), 400, 'goes on'],
  ['UTF-8 that is none', get('/%ff'), 400, 'goes on'],
];

const methods: readonly Row[] = [
  ['TRACE', rawRequest('TRACE', '/page'), 405, 'goes on'],
  ['PROPFIND', rawRequest('PROPFIND', '/page'), 405, 'goes on'],
  ['PURGE', rawRequest('PURGE', '/page'), 405, 'goes on'],
  ['a method that nobody knows', rawRequest('FROB', '/page'), 400, 'is closed'],
  ['a method in lower case', rawRequest('get', '/page'), 400, 'is closed'],
  ...['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override'].map(
    (name): Row => [`${name}: POST`, get('/bytes', `${name}: POST`), 405, 'goes on'],
  ),
  ['_method in the query', get('/bytes?_method=POST'), 405, 'goes on'],
];

const contents: readonly Row[] = [
  ['gzip', post(['Content-Encoding: gzip'], 'ab'), 415, 'goes on'],
  ['gzip as a transfer coding', post(['Transfer-Encoding: gzip, chunked'], '0\r\n\r\n'), 415, 'goes on'],
  ['identity as content coding', post(['Content-Encoding: identity'], 'ab'), 200, 'goes on'],
  ['JSON in gzip', rawRequest('POST', '/json', [json, 'Content-Encoding: gzip'], '\x1f\x8b'), 415, 'goes on'],
  ['JSON', rawRequest('POST', '/json', [json], '{}'), 200, 'goes on'],
  ['JSON after a byte order mark', rawRequest('POST', '/json', [json], '\xef\xbb\xbf{}'), 200, 'goes on'],
  ['JSON in UTF-16', rawRequest('POST', '/json', [json], '\xff\xfe{\0}\0'), 400, 'goes on'],
  ['UTF-16 that says so', rawRequest('POST', '/json', [`${json}; charset=utf-16`], '{\0}\0'), 415, 'goes on'],
  ['Latin-1', rawRequest('POST', '/json', [json], '"\xe9"'), 400, 'goes on'],
  ['NUL in JSON', rawRequest('POST', '/json', [json], '"\0"'), 400, 'goes on'],
  ['64 levels', rawRequest('POST', '/json', [json], '['.repeat(64) + ']'.repeat(64)), 200, 'goes on'],
  ['65 levels', rawRequest('POST', '/json', [json], '['.repeat(65) + ']'.repeat(65)), 400, 'goes on'],
  [
    '400 levels',
    rawRequest('POST', '/json', [json], `${'{"a":'.repeat(400)}1${'}'.repeat(400)}`),
    400,
    'goes on',
  ],
  ['__proto__', rawRequest('POST', '/json', [json], '{"a":{"__proto__":{"b":1}}}'), 400, 'goes on'],
  ['__proto__ in escapes', rawRequest('POST', '/json', [json], '{"\\u005f_proto__":1}'), 400, 'goes on'],
  [
    'constructor.prototype',
    rawRequest('POST', '/json', [json], '{"constructor":{"prototype":{}}}'),
    400,
    'goes on',
  ],
  ['constructor alone', rawRequest('POST', '/json', [json], '{"constructor":"Smith"}'), 200, 'goes on'],
  ['a body at the limit', post([], 'x'.repeat(bodyLimit)), 200, 'goes on'],
  ['a body over the limit', post([], 'x'.repeat(bodyLimit + 1)), 413, 'ends'],
  ['an unknown expectation', post(['Expect: 200-ok'], 'ab'), 200, 'goes on'],
];

describe.each(Object.entries({ framing, chunks, heads, targets, methods, contents }))('%s', (table, rows) => {
  it.each(rows)('%s', async (what, bytes, status, after) => {
    verifies('http.header.two-hosts', 'http.status.431', 'http.body.encoding', 'http.body.depth');
    const row = encodeURIComponent(`${table}: ${what}`);
    const next = get(`/next?row=${row}`, close);
    const client = await rawClient(server.port);
    // In the same packet, as smugglers do.
    client.send(after === 'ends' ? bytes : bytes + next);
    if (after === 'ends') {
      await client.until(1);
      client.send(next);
    }
    const answers = await client.closed();
    expect(answers.map((answer) => answer.status)).toEqual(after === 'goes on' ? [status, 200] : [status]);
    expect(served.has(decodeURIComponent(row))).toBe(after === 'goes on');
    expect(served.has('body')).toBe(false);
    const [first] = answers;
    if (after !== 'goes on') expect(first?.headers['connection']).toBe('close');
    if (status >= 400) {
      expect(first?.headers['content-type']).toBe('application/problem+json');
      expect(first?.headers['x-content-type-options']).toBe('nosniff');
    }
  });
});

describe('a connection', () => {
  it.each(['localhost:1', '/page'])('for CONNECT %s is closed without an answer', async (target) => {
    expect(await exchange(server.port, rawRequest('CONNECT', target) + get('/next?row=tunnel'))).toEqual([]);
    expect(served.has('tunnel')).toBe(false);
  });

  it('carries requests sent at once, answered in their order', async () => {
    const answers = await exchange(
      server.port,
      get('/page') + post([], 'abc') + get('/nothing') + rawRequest('OPTIONS', '/page') + get('/page', close),
    );
    expect(answers.map(({ status, body }) => [status, body.slice(0, 6)])).toEqual([
      [200, '"page"'],
      [200, '3'],
      [404, '{"type'],
      [204, ''],
      [200, '"page"'],
    ]);
  });

  it.each([
    ['of a route that is none', rawRequest('GET', '/page', handshakeLines)],
    ['with a body', rawRequest('GET', '/page', handshakeLines, 'ab')],
    ['of another method', post(handshakeLines, 'ab')],
  ])('is closed after a refused upgrade %s, and what follows is not served', async (what, bytes) => {
    const answers = await exchange(server.port, bytes + get(`/next?row=${encodeURIComponent(what)}`));
    expect(answers.map(({ status, headers }) => [status, headers['connection']])).toEqual([[400, 'close']]);
    expect(served.has(what)).toBe(false);
  });

  it('goes on after an offer of another protocol, which is not taken', async () => {
    const client = await rawClient(server.port);
    const offer = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABk'];
    client.send(post(offer, 'abc'));
    await client.until(1);
    client.send(get('/page', close));
    expect((await client.closed()).map(({ status, body }) => [status, body])).toEqual([
      [200, '3'],
      [200, '"page"'],
    ]);
  });

  it('serves nothing after a request that closes it, and answers that request', async () => {
    const answers = await exchange(server.port, get('/page', close) + get('/next?row=after-close'));
    expect(answers.map(({ status, body }) => [status, body])).toEqual([[200, '"page"']]);
    expect(answers[0]?.headers['connection']).toBe('close');
    expect(served.has('after-close')).toBe(false);
  });

  it('answers the request that came before rubbish, then ends', async () => {
    const answers = await exchange(server.port, `${get('/page')}RUBBISH\r\n\r\n`);
    // To its end, at which the server has closed: what is answered at once was answered before the rubbish was read.
    expect(answers.map(({ status, body }) => [status, body])).toEqual([[200, '"page"']]);
  });

  it('that the client leaves at any byte harms nobody', async () => {
    const bytes = post([], 'abcdef');
    const before = bodies.length;
    for (let length = 0; length < bytes.length; length += 7) {
      const client = await rawClient(server.port);
      client.send(bytes.slice(0, length));
      client.socket.destroySoon();
    }
    expect((await exchange(server.port, get('/page', close)))[0]?.status).toBe(200);
    expect(bodies.length).toBe(before);
  });
});

describe('a request id', () => {
  const ask = async (...lines: readonly string[]): Promise<string | undefined> =>
    (await exchange(server.port, get('/page', close, ...lines)))[0]?.headers['x-request-id'];
  const ulid = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

  it.each(['a', 'x'.repeat(128), 'A-Z_0.9:', '-'])('is kept: %s', async (id) => {
    verifies('http.request-id.kept');
    expect(await ask(`X-Request-Id: ${id}`)).toBe(id);
  });

  it.each(['', 'x'.repeat(129), 'a b', 'a,b', 'a/b', '<b>', 'a\xe4', '{{a}}', "a'b"])(
    'is replaced by a ULID: %s',
    async (id) => {
      verifies('http.request-id.ulid');
      expect(await ask(`X-Request-Id: ${id}`)).toMatch(ulid);
    },
  );

  it('is a ULID where there is none, or two', async () => {
    verifies('http.request-id.ulid');
    expect(await ask()).toMatch(ulid);
    expect(await ask('X-Request-Id: a', 'X-Request-Id: b')).toMatch(ulid);
    expect(await ask()).not.toBe(await ask());
  });
});

describe('5,000 query pairs', () => {
  it.each([
    ['of a list', '/list?', 200, '5000'],
    ['that nobody asked for', '/page?', 200, '"page"'],
  ])('%s are read within half a second', async (_what, path, status, body) => {
    const startMs = performance.now();
    const [answer] = await exchange(server.port, get(path + 'a&'.repeat(5000), close));
    expect([answer?.status, answer?.body]).toEqual([status, body]);
    // Three times that: others use the machine, too.
    expect(performance.now() - startMs).toBeLessThan(3 * 500);
  });
});

describe('Expect: 100-continue', () => {
  const expecting = ['Expect: 100-continue', 'Content-Length: 3'];

  it('is invited once somebody reads the body', async () => {
    const client = await rawClient(server.port);
    client.send(post([...expecting, close]));
    expect((await client.until(1)).map(({ status }) => status)).toEqual([100]);
    client.send('abc');
    expect((await client.closed()).map(({ status, body }) => [status, body])).toEqual([
      [100, ''],
      [200, '3'],
    ]);
  });

  it.each([
    ['an unknown path', '/nothing', [], 404],
    ['a wrong credential', '/bytes', ['X-Api-Key: wrong'], 401],
    ['a control path without authority', '/_svc/mcp', [], 401],
    ['a body over the limit', '/bytes', [`Content-Length: ${bodyLimit + 1}`], 413],
  ])('is not invited for %s', async (_what, path, lines, status) => {
    const length = lines.some((line) => line.startsWith('Content-Length')) ? [] : ['Content-Length: 3'];
    const client = await rawClient(server.port);
    client.send(rawRequest('POST', path, ['Expect: 100-continue', ...length, ...lines, close]));
    const [answer] = await client.until(1);
    client.socket.destroy();
    expect(answer?.status).toBe(status);
  });
});

describe('a body far over the limit', () => {
  /** What lingering takes and drops so that the client can read its answer, and what was in flight. */
  const lingered = 4 * 65_536;

  it.each([
    ['declared', post(['Content-Length: 90000000']), 'x'.repeat(65_536)],
    ['in chunks', inChunks(''), `10000\r\n${'x'.repeat(65_536)}\r\n`],
    ['in small chunks', inChunks(''), `100\r\n${'x'.repeat(256)}\r\n`.repeat(64)],
  ])('%s is 413, which arrives, and the rest is not taken', async (_what, head, piece) => {
    verifies('http.body.cut');
    const taken = watchTaken();
    const client = await rawClient(server.port);
    const before = bodies.length;
    const pour = (): void => {
      while (client.socket.writable && client.socket.writableLength < 1_048_576) client.send(piece);
    };
    client.send(head);
    client.socket.on('drain', pour);
    pour();
    const answers = await client.closed();
    expect(answers.map(({ status, headers }) => [status, headers['connection']])).toEqual([[413, 'close']]);
    expect(taken()).toBeLessThan(bodyLimit + lingered);
    expect(bodies.length).toBe(before);
  });
});

/** Counts what the server takes from the connections that are made from now on. */
function watchTaken(): () => number {
  const sockets: Socket[] = [];
  const onSocket = (message: unknown): void => void sockets.push((message as { socket: Socket }).socket);
  subscribe('net.server.socket', onSocket);
  onTestFinished(() => void unsubscribe('net.server.socket', onSocket));
  return () => sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
}

describe('a client that is too slow', () => {
  const stopsInBody = [post(['Content-Length: 10'], 'ab'), inChunks('5\r\nab'), inChunks('2\r\nab\r\n')];
  const stopsBefore = ['', 'GET /pa', 'GET /page HTTP/1.1\r\nHost: localhost\r\n'];

  it('is told 408 once and cut, wherever it stops, and if it never does', async () => {
    verifies('http.status.408');
    const slow = await start({ requestTimeout: 0.2 });
    onTestFinished(() => slow.close());
    const before = bodies.length;
    const dripping = await rawClient(slow.port);
    dripping.send('GET /page HTTP/1.1\r\n');
    const timer = setInterval(() => dripping.send('X: y\r\n'), 50);
    onTestFinished(() => clearInterval(timer));
    const stopping = [...stopsBefore, ...stopsInBody].map((bytes) => exchange(slow.port, bytes));
    const answers = await Promise.all([...stopping, dripping.closed()]);
    const told = answers.map((list) => list.map(({ status, headers }) => [status, headers['connection']]));
    expect(told).toEqual(answers.map(() => [[408, 'close']]));
    expect(bodies.length).toBe(before);
  });
});

/** What a spelling of a path is: the path itself, another one that leads nowhere, or none. */
type Meaning = 'the path' | 'the path of a foreign host' | 'another' | 'malformed';

/** Ways to write `/<first>/<last>`. */
const spellings: readonly (readonly [spell: (first: string, last: string) => string, meaning: Meaning])[] = [
  [(a, b) => `/${a}/${b}`, 'the path'],
  [(a, b) => `/${a}/${b}?`, 'the path'],
  [(a, b) => `/${a}/${b}?x=/../../page`, 'the path'],
  [(a, b) => `/${a.replace('_', '%5f')}/${b}`, 'the path'],
  [(a, b) => `/${a.replace('_', '%5F')}/${b}`, 'the path'],
  [(a, b) => `/${a}/${encoded(b)}`, 'the path'],
  [(a, b) => `/${encoded(a)}/${encoded(b)}`, 'the path'],
  [(a, b) => `http://localhost/${a}/${b}`, 'the path'],
  [(a, b) => `http://evil.example:1/${a}/${b}`, 'the path of a foreign host'],
  [(a, b) => `http://page@localhost/${a}/${b}`, 'the path'],
  [(a, b) => `HTTPS://localhost/${a}/${b}`, 'the path'],
  [(a, b) => `//${a}/${b}`, 'another'],
  [(a, b) => `/${a}//${b}`, 'another'],
  [(a, b) => `///localhost/${a}/${b}`, 'another'],
  [(a, b) => `http://localhost//${a}/${b}`, 'another'],
  [(a, b) => `/./${a}/${b}`, 'another'],
  [(a, b) => `/${a}/./${b}`, 'another'],
  [(a, b) => `/${a}/${b}/.`, 'another'],
  [(a, b) => `/../${a}/${b}`, 'another'],
  [(a, b) => `/page/../${a}/${b}`, 'another'],
  [(a, b) => `/${a}/../${a}/${b}`, 'another'],
  [(a, b) => `/page/%2e%2e/${a}/${b}`, 'another'],
  [(a, b) => `/%2e/${a}/${b}`, 'another'],
  [(a, b) => `/page/..;/${a}/${b}`, 'another'],
  [(a, b) => `/page/..%2f${a}/${b}`, 'another'],
  [(a, b) => `/${a}%2F${b}`, 'another'],
  [(a, b) => `/%2F${a}/${b}`, 'another'],
  [(a, b) => `/${a}%252F${b}`, 'another'],
  [(a, b) => `/${a}/%25${encoded(b).slice(1)}`, 'another'],
  [(a, b) => `/${a.toUpperCase()}/${b}`, 'another'],
  [(a, b) => `/${a}/${b.toUpperCase()}`, 'another'],
  [(a, b) => `/${a}/${b}/`, 'another'],
  [(a, b) => `/${a}/${b};x=1`, 'another'],
  [(a, b) => `/${a};x=1/${b}`, 'another'],
  [(a, b) => `/${a}/${b}.json`, 'another'],
  [(a, b) => `/${a}/${b}.`, 'another'],
  [(a, b) => `/${a}/${b}%20`, 'another'],
  [(a, b) => `/${a}/${b}%3fx`, 'another'],
  [(a, b) => `/${a}/${b}%23x`, 'another'],
  [(a, b) => `/${a}\\${b}`, 'another'],
  [(a, b) => `/${a}%5c${b}`, 'another'],
  [(a, b) => `/${a}/%EF%BD%81${b.slice(1)}`, 'another'],
  [(a, b) => `/${a}%E2%88%95${b}`, 'another'],
  [(a, b) => `\\${a}\\${b}`, 'malformed'],
  [(a, b) => `/${a}/${b}#x`, 'malformed'],
  [(a, b) => `/page#/../${a}/${b}`, 'malformed'],
  [(a, b) => `/${a}/${b}%00`, 'malformed'],
  [(a, b) => `/${a}%00/${b}`, 'malformed'],
  [(a, b) => `/${a}/${b}\0`, 'malformed'],
  [(a, b) => `/${a}/${b}%0d%0aX-Api-Key:%20x`, 'malformed'],
  [(a, b) => `/${a}/${b}\t`, 'malformed'],
  [(a, b) => `/${a}%c0%af${b}`, 'malformed'],
  [(a, b) => `/%c0%ae%c0%ae/${a}/${b}`, 'malformed'],
  [(a, b) => `/${a}%e0%80%af${b}`, 'malformed'],
  [(a, b) => `/${a}/${b}%`, 'malformed'],
  [(a, b) => `/%u005f${a}/${b}`, 'malformed'],
  [(a, b) => `/${a}/\xef\xbd\x81${b.slice(1)}`, 'malformed'],
];

/** Every letter percent-encoded. */
function encoded(text: string): string {
  return text.replace(/./g, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
}

const owned = [
  { first: 'notes_of', last: 'ann', owner: 'ann', holds: '"the diary of ann"' },
  { first: 'notes_of', last: 'bob', owner: 'bob', holds: '"the diary of bob"' },
  { first: '_svc', last: 'routes', owner: 'root', holds: '"engine"' },
] as const;

const callers = ['ann', 'bob', 'root', 'nobody'] as const;
const matrix = owned.flatMap((path) => callers.map((caller) => ({ ...path, caller })));

/** Whoever lacks authority below the control prefix is not told either which paths are there. */
function expectedStatuses(path: (typeof matrix)[number], meaning: Meaning): readonly number[] {
  // The host of the target counts, and that of the header not.
  if (meaning === 'the path of a foreign host' && path.first === '_svc') return [403];
  if (meaning.startsWith('the path'))
    return [path.caller === path.owner ? 200 : path.caller === 'nobody' ? 401 : 403];
  const missed = meaning === 'another' ? 404 : 400;
  return path.first === '_svc' && path.caller !== path.owner ? [missed, 401, 403] : [missed];
}

describe('a path', () => {
  it.each(spellings.map(([spell, meaning]) => ({ spell, meaning, shown: spell('a_b', 'cd') })))(
    'written $shown is $meaning, whoever asks',
    async ({ spell, meaning }) => {
      const asked = matrix.map(async (path) => {
        const lines = path.caller === 'nobody' ? [close] : [keyOf[path.caller], close];
        const [answer] = await exchange(server.port, get(spell(path.first, path.last), ...lines));
        return { path, ...(answer as RawAnswer) };
      });
      for (const { path, status, body } of await Promise.all(asked)) {
        const why = `/${path.first}/${path.last} for ${path.caller}`;
        expect(expectedStatuses(path, meaning), why).toContain(status);
        expect(body.includes(path.holds), why).toBe(status === 200);
      }
    },
  );
});
