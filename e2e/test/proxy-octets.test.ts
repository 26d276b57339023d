import { verifies } from '@waymark/contract/testing';
import { proxy } from '@waymark/pages';
import { describe, expect, it } from 'vitest';
import { sayingUpstream, serveProxies } from './proxy-upstreams.ts';
import { exchange, rawRequest } from './raw-client.ts';

const length = 'Content-Length: 2\r\n\r\nok';
const chunks = 'Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n';
const utf8 = (text: string): string => Buffer.from(text).toString('latin1');
const everyOctet = Array.from({ length: 128 }, (_, i) => String.fromCharCode(128 + i)).join('');

describe('headers of an upstream', () => {
  it.each([
    ['a file name in Japanese', `attachment; filename="${utf8('日本.txt')}"`],
    ['an umlaut in UTF-8', `attachment; filename="${utf8('ü.txt')}"`],
    ['an umlaut in Latin-1', 'attachment; filename="ü.txt"'],
    ['a name that is ASCII', 'attachment; filename="u.txt"'],
    ['octets that are no UTF-8', `attachment; filename="${everyOctet}"`],
  ])('with %s come through octet for octet', async (_, value) => {
    verifies('proxy.octets');
    const said = `Content-Type: text/plain; name=${value}\r\nContent-Disposition: ${value}\r\nX-A: ${value}\r\n`;
    const passed = {
      'content-type': `text/plain; name=${value}`,
      'content-disposition': value,
      'x-a': value,
    };
    for (const framing of [length, chunks]) {
      const { url } = await sayingUpstream(`HTTP/1.1 200 OK\r\n${said}${framing}`);
      const { port } = await serveProxies(url, [proxy('GET', '/a', 'desk')]);
      const [got] = await exchange(port, rawRequest('GET', '/a', ['Connection: close']));
      expect(got).toMatchObject({ status: 200, headers: passed, body: 'ok' });
    }
    for (const framing of ['Content-Length: 2', 'Transfer-Encoding: chunked']) {
      const { url } = await sayingUpstream(`HTTP/1.1 200 OK\r\n${said}${framing}\r\n\r\n`);
      const { port } = await serveProxies(url, [proxy('GET', '/a', 'desk')]);
      const request = rawRequest('HEAD', '/a', ['Connection: close']);
      const [got] = await exchange(port, request, { head: true });
      expect(got).toMatchObject({ status: 200, headers: passed, body: '' });
    }
  });
});
