import { type Body, type ResponseHeaders, RouteResponse } from '@waymark/contract/engine';
import { describe, expect, it } from 'vitest';
import type { FakeRoute } from '../fake-dispatcher.ts';
import { openDoor } from '../open-door.ts';
import { rawExchange } from '../raw-client.ts';

const utf8 = (text: string): string => Buffer.from(text).toString('latin1');

const bodies: Readonly<Record<string, () => Body>> = {
  bytes: () => ({ kind: 'bytes', bytes: Buffer.from('"é"'), mediaType: 'text/plain' }),
  json: () => ({ kind: 'json', text: '"é"' }),
  stream: () => ({ kind: 'stream', stream: new Blob(['"é"']).stream(), mediaType: 'text/plain' }),
  told: () => ({ kind: 'stream', stream: new Blob(['"é"']).stream(), mediaType: 'text/plain', length: 4 }),
  empty: () => ({ kind: 'empty' }),
};

const answering = (headers: ResponseHeaders): FakeRoute[] =>
  Object.entries(bodies).map(([name, body]) => ({
    method: 'GET',
    path: `/${name}`,
    answer: () => new RouteResponse(200, body(), headers),
  }));

/** The values of a header, a character for each octet that came, and what came behind the head. */
async function read(port: number, method: string, path: string, name: string) {
  const request = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`;
  const [head = '', body = ''] = (await rawExchange(port, request)).split('\r\n\r\n');
  const lines = head.split('\r\n').filter((line) => line.startsWith(`${name}: `));
  return { status: head.slice(9, 12), values: lines.map((line) => line.slice(name.length + 2)), body };
}

const disposition = (name: string): string => `attachment; filename="${name}"`;

describe.each(Object.keys(bodies))('the headers of an answer of %s', (kind) => {
  it.each([
    ['octets that are UTF-8', disposition(utf8('日本.txt')), disposition(utf8('日本.txt'))],
    ['octets that are Latin-1', disposition('ü.txt'), disposition('ü.txt')],
    ['text beyond octets', disposition('日本 ü.txt'), disposition(utf8('日本 ü.txt'))],
    [
      'text whose low bytes are a line break',
      'a\u010d\u010aSet-Cookie: b',
      utf8('a\u010d\u010aSet-Cookie: b'),
    ],
  ])('have %s as they were given', async (_, given, sent) => {
    const { port } = await openDoor(
      answering({ 'content-disposition': given, 'x-a': given, 'set-cookie': [given] }),
    );
    for (const method of ['GET', 'HEAD'])
      for (const name of ['content-disposition', 'x-a', 'set-cookie'])
        expect(await read(port, method, `/${kind}`, name)).toMatchObject({ status: '200', values: [sent] });
    const { body } = await read(port, 'GET', `/${kind}`, 'x-a');
    expect(body.includes(utf8('"é"'))).toBe(kind !== 'empty');
  });
});
