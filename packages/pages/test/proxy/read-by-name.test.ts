import { HTTPError } from '@waymark/contract';
import { describe, expect, it } from 'vitest';
import { createProxies, proxy, upstream } from '../../src/index.ts';
import { type Asked, answering, forward } from './forward.ts';

const text = '{"name":"Zoë €"}';
const little = Buffer.from(text, 'utf16le');
const big = Buffer.from(little).swap16();
const marked = (bytes: Buffer, ...mark: number[]): Buffer => Buffer.concat([Buffer.from(mark), bytes]);
const latin = Buffer.from('{"name":"Zoë"}', 'latin1');

async function answerTo(
  via: Asked['via'],
  contentType: string,
  bytes: Uint8Array<ArrayBuffer> = new Uint8Array(),
  status = 200,
) {
  const { outbound } = answering({
    ...{ status, body: new Blob([bytes]).stream() },
    headers: { 'content-type': contentType, 'content-length': String(bytes.length) },
  });
  const plugin = createProxies([upstream('desk', 'http://desk.internal'), proxy('GET', '/a', 'desk')]);
  return forward(plugin, outbound, { route: 'get_a', ...(via && { via }) });
}

async function readBy(via: Asked['via'], contentType: string, bytes: Buffer): Promise<unknown> {
  const { body } = await answerTo(via, contentType, Uint8Array.from(bytes));
  if (body.kind !== 'bytes') throw new Error(`a body of kind ${body.kind}`);
  return [body.mediaType, Buffer.from(body.bytes).toString('utf8')];
}

describe('the answer of an upstream to a call by name', () => {
  it.each([
    ['utf-16', little],
    ['UTF-16', marked(little, 0xff, 0xfe)],
    ['utf-16', marked(big, 0xfe, 0xff)],
    ['utf-16le', little],
    ['"utf-16be"', big],
  ])('is read by its charset %s', async (charset, bytes) => {
    expect(await readBy('mcp', `application/json; charset=${charset}`, bytes)).toEqual([
      'application/json; charset=utf-8',
      text,
    ]);
    expect(await readBy('mcp', `text/plain;charset=${charset}`, bytes)).toEqual([
      'text/plain; charset=utf-8',
      text,
    ]);
  });

  it('is read by a charset of single bytes, but where JSON is UTF-8 all the same', async () => {
    const type = 'application/json; charset=iso-8859-1';
    expect(await readBy('mcp', type, latin)).toEqual(['application/json; charset=utf-8', '{"name":"Zoë"}']);
    expect(await readBy('mcp', type, Buffer.from(text))).toEqual([type, text]);
  });

  it.each(['application/json', 'application/problem+json', 'text/plain'])(
    'is a failure that names the charset of %s which nobody knows',
    async (type) => {
      const failure = answerTo('mcp', `${type}; charset=utf-32`, Buffer.from(text));
      await expect(failure).rejects.toEqual(
        new HTTPError(502, 'the answer of upstream "desk" has the charset utf-32, which is not known'),
      );
      const long = answerTo('mcp', `${type}; charset=${'x'.repeat(41)}`, Buffer.from(text));
      await expect(long).rejects.toThrow(`charset ${'x'.repeat(40)}, which`);
    },
  );

  it('stays as it is where it is no text, says no charset, or UTF-8', async () => {
    for (const type of [
      'image/png; charset=utf-32',
      'text/plain',
      'text/plain; charset=',
      'text/csv; charset=utf8',
    ])
      expect(await readBy('mcp', type, Buffer.from(text))).toEqual([type, text]);
  });

  it('is a failure where it is too large as UTF-8', async () => {
    const answer = (length: number) =>
      answerTo('mcp', 'text/plain; charset=latin1', Buffer.alloc(length, 0xe9));
    expect((await answer(4_194_304)).status).toBe(200);
    await expect(answer(4_194_305)).rejects.toThrow('is larger than 8388608 bytes');
  });

  it('is a failure where it is 304, since nobody set a condition', async () => {
    await expect(answerTo('mcp', 'application/json', undefined, 304)).rejects.toEqual(
      new HTTPError(502, 'the answer of upstream "desk" is 304, not modified, to a call without a condition'),
    );
  });
});

it('passes the answer of an upstream as it is over HTTP, whatever its charset', async () => {
  for (const charset of ['utf-16', 'utf-32']) {
    const type = `application/json; charset=${charset}`;
    expect(await readBy('http', type, little)).toEqual([type, little.toString('utf8')]);
  }
  expect(await answerTo('http', 'application/json', undefined, 304)).toMatchObject({
    status: 304,
    body: { kind: 'empty' },
  });
});
