import { verifies } from '@waymark/contract/testing';
import { proxy } from '@waymark/pages';
import { describe, expect, it } from 'vitest';
import { rawUpstream, sayingUpstream, serveProxies } from './proxy-upstreams.ts';
import { exchange, rawClient, rawRequest } from './raw-client.ts';

const ok = 'Content-Length: 2\r\n\r\nok';
const chunks = 'Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n';
const manyHeaders = Array.from({ length: 10_000 }, (_, i) => `X-${i}: 1\r\n`).join('');

/** Answers that two readers could take for different things, or that are meant to hurt. */
const ambiguous: readonly (readonly [string, string])[] = [
  ['a length and chunks', `HTTP/1.1 200 OK\r\nContent-Length: 2\r\n${chunks}`],
  ['two lengths', `HTTP/1.1 200 OK\r\nContent-Length: 3\r\n${ok}`],
  ['one length twice', `HTTP/1.1 200 OK\r\nContent-Length: 2\r\n${ok}`],
  ['a list of lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nok'],
  ['a length with a sign', 'HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\nok'],
  ['a length beyond all', 'HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nok'],
  ['another coding before chunks', `HTTP/1.1 200 OK\r\n${chunks.replace('chunked', 'gzip, chunked')}`],
  ['a folded header', `HTTP/1.1 200 OK\r\nX-A: one\r\n two\r\n${ok}`],
  ['lines that end without CR', 'HTTP/1.1 200 OK\nContent-Length: 2\n\nok'],
  ['a CR in a value', `HTTP/1.1 200 OK\r\nX-A: one\rX-B: two\r\n${ok}`],
  ['a NUL in a value', `HTTP/1.1 200 OK\r\nX-A: o\0ne\r\n${ok}`],
  ['a control character in a type', `HTTP/1.1 200 OK\r\nContent-Type: a/\u0001\r\n${ok}`],
  ['a control character in an address', `HTTP/1.1 302 OK\r\nLocation: /a\u0001b\r\n${ok}`],
  ['a space before a colon', `HTTP/1.1 200 OK\r\nContent-Length : 2\r\n\r\nok`],
  ['a header without a name', `HTTP/1.1 200 OK\r\n: one\r\n${ok}`],
  ['10,000 headers', `HTTP/1.1 200 OK\r\n${manyHeaders}${ok}`],
  ['a header of 1 MB', `HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(1_048_576)}\r\n${ok}`],
  ['a status of four digits', `HTTP/1.1 1000 OK\r\n${ok}`],
  ['a status of nothing', `HTTP/1.1 000 OK\r\n${ok}`],
  ['no head at all', '<html>ok</html>\r\n\r\n'],
];

/** Answers with more behind them than belongs to them: the rest must not answer somebody else. */
const followed: readonly (readonly [string, string, number, string])[] = [
  ['204', `HTTP/1.1 204 No\r\n${ok}`, 204, ''],
  ['204 in chunks', `HTTP/1.1 204 No\r\n${chunks}`, 204, ''],
  ['205', `HTTP/1.1 205 Reset\r\n${ok}`, 205, ''],
  ['304', `HTTP/1.1 304 Same\r\n${ok}`, 304, ''],
  ['200', `HTTP/1.1 200 OK\r\n${ok}HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil`, 200, 'ok'],
  ['trailers', `HTTP/1.1 200 OK\r\n${chunks.slice(0, -2)}Set-Cookie: a=b\r\n\r\n`, 200, 'ok'],
  ['chunk extensions', `HTTP/1.1 200 OK\r\n${chunks.replace('2\r', '2;a="b"\r')}`, 200, 'ok'],
  ['interim answers', `HTTP/1.1 103 Early\r\nSet-Cookie: a=b\r\n\r\nHTTP/1.1 200 OK\r\n${ok}`, 200, 'ok'],
];

const get = (name: string): string => rawRequest('GET', `/${name}`, ['Connection: close']);

describe('an upstream whose answers are not what they seem', () => {
  it.each(ambiguous)('with %s is 502, and again', async (_, answer) => {
    verifies('proxy.502', 'proxy.ambiguous');
    const { url, quiet } = await sayingUpstream(answer);
    const { port } = await serveProxies(url, [proxy('GET', '/{name}', 'desk')]);
    for (const name of ['a', 'b']) {
      const [got, ...more] = await exchange(port, get(name));
      expect([got?.status, more]).toEqual([502, []]);
      expect(JSON.parse(got?.body ?? '')).toMatchObject({ detail: 'upstream "desk" did not answer' });
    }
    await quiet();
  });

  it.each(followed)('with more than belongs to %s is read to its end and no further', async (...row) => {
    const [, answer, status, body] = row;
    const { url } = await sayingUpstream(answer);
    const { port } = await serveProxies(url, [proxy('GET', '/{name}', 'desk')]);
    for (const name of ['a', 'b', 'c']) {
      const [got, ...more] = await exchange(port, get(name));
      expect([got?.status, got?.body, more]).toEqual([status, body, []]);
      expect(got?.headers['set-cookie']).toBeUndefined();
    }
  });

  it('with a body for HEAD has none, and none of it reaches the next caller', async () => {
    const { url } = await sayingUpstream(`HTTP/1.1 200 OK\r\n${ok}`);
    const { port } = await serveProxies(url, [proxy('GET', '/{name}', 'desk')]);
    for (let i = 0; i < 3; i++) {
      const [got] = await exchange(port, rawRequest('HEAD', '/a', ['Connection: close']), { head: true });
      expect(got).toMatchObject({ status: 200, body: '', headers: { 'content-length': '2' } });
      expect((await exchange(port, get('b')))[0]).toMatchObject({ status: 200, body: 'ok' });
    }
  });

  it('and that never comes to its answer is 504, however much it says before', async () => {
    verifies('proxy.504');
    const { url, quiet } = await rawUpstream((socket) => {
      const timer = setInterval(() => socket.write('HTTP/1.1 102 Processing\r\n\r\n'), 20);
      socket.once('close', () => clearInterval(timer));
    });
    const { port } = await serveProxies(url, [proxy('GET', '/{name}', 'desk')], { timeoutMs: 300 });
    expect((await exchange(port, get('a')))[0]?.status).toBe(504);
    await quiet();
  });
});

describe('an upstream that closes connections as they are used again', () => {
  it('is no matter to whoever reads, under load, and 502 to whoever writes, whose request is made once', async () => {
    verifies('proxy.repeat');
    let writes = 0;
    const { url } = await rawUpstream((socket) => {
      let served = 0;
      socket.on('data', (chunk: Buffer) => {
        if (chunk.toString('latin1').startsWith('POST')) writes++;
        if (++served % 4 === 0) socket.destroy();
        else socket.write(`HTTP/1.1 200 OK\r\n${ok}`);
      });
    });
    const { url: own } = await serveProxies(url, [
      proxy('GET', '/{name}', 'desk'),
      proxy('POST', '/{name}', 'desk'),
    ]);
    const statuses = new Set<number>();
    const reader = async (): Promise<void> => {
      for (let i = 0; i < 50; i++) {
        const answer = await fetch(`${own}/a`);
        statuses.add(answer.status);
        await answer.text();
      }
    };
    await Promise.all(Array.from({ length: 4 }, reader));
    expect([...statuses]).toEqual([200]);
    const answers: number[] = [];
    for (let i = 0; i < 12; i++) answers.push((await fetch(`${own}/a`, { method: 'POST' })).status);
    expect(answers).toContain(502);
    expect(writes).toBe(12);
  });
});

describe('a request that two readers could take for different things', () => {
  it('never reaches the upstream, or reaches it as one request that says one thing', async () => {
    const seen: string[] = [];
    const { url } = await rawUpstream((socket) => {
      socket.on('data', (chunk: Buffer) => {
        seen.push(chunk.toString('latin1'));
        socket.end(`HTTP/1.1 200 OK\r\nConnection: close\r\n${ok}`);
      });
    });
    const { port } = await serveProxies(url, [
      proxy('GET', '/{name}', 'desk'),
      proxy('POST', '/{name}', 'desk'),
    ]);
    const host = url.replace('http://', '');
    const send = async (method: string, target: string, lines: readonly string[] = [], body = '') => {
      seen.length = 0;
      const client = await rawClient(port);
      client.send(rawRequest(method, target, ['Connection: close', ...lines], body));
      const answers = await client.closed();
      return [answers.map(({ status }) => status), seen.join('').replaceAll(host, 'desk')];
    };
    const smuggled = '0\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\n';
    for (const [lines, body] of [
      [['Content-Length: 5', 'Transfer-Encoding: chunked'], smuggled],
      [['Content-Length: 2', 'Content-Length: 3'], 'abc'],
      [['Content-Length: 2, 3'], 'abc'],
      [['Transfer-Encoding: xchunked'], smuggled],
      [['Transfer-Encoding: chunked, identity'], smuggled],
      [['Transfer-Encoding : chunked'], smuggled],
      [['Content-Length: 1', 'X-A: b\r\n Transfer-Encoding: chunked'], 'a'],
    ] as const)
      expect([lines, ...(await send('POST', '/a', lines, body))]).toEqual([lines, [400], '']);
    const head = (line: string): string => `${line} HTTP/1.1\r\nhost: desk\r\nconnection: keep-alive\r\n`;
    expect(
      await send('POST', '/a', ['Transfer-Encoding: chunked'], '2;x=y\r\nok\r\n0\r\nCookie: a=b\r\n\r\n'),
    ).toEqual([[200], `${head('POST /a')}transfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`]);
    const plain = [[200], `${head('GET /a')}\r\n`];
    expect(await send('GET', `http://127.0.0.1:${port}/a`)).toEqual(plain);
    expect(await send('GET', 'http://evil.example/a')).toEqual([[403], '']);
    expect(await send('GET', '/a', ['Content-Length: 3'], 'abc')).toEqual(plain);
    expect(await send('GET', '/a', ['Connection: upgrade', 'Upgrade: h2c', 'HTTP2-Settings: x'])).toEqual(
      plain,
    );
    const handshake = ['Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', 'Sec-WebSocket-Version: 13'];
    expect(await send('GET', '/a', ['Connection: upgrade', 'Upgrade: websocket', ...handshake])).toEqual([
      [400],
      '',
    ]);
    expect(await send('TRACE', '/a')).toEqual([[405], '']);
    expect(await send('GET', '/a?x=%0d%0aX:1&y')).toEqual([[200], `${head('GET /a?x=%0D%0AX%3A1&y=')}\r\n`]);
  });
});
