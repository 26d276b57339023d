import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { toRequestBody } from '../../src/body/body-source.ts';

const never = new AbortController().signal;

/** A request as middleware leaves it that has read the body. */
function consumed(
  left: { readonly body?: unknown; readonly rawBody?: unknown },
  headers: IncomingHttpHeaders,
) {
  const req = { ...left, readableDidRead: true, headers: { 'content-length': '9', ...headers } };
  // Only these members are looked at once a body is consumed.
  return toRequestBody(req as unknown as IncomingMessage, {} as never, {} as never, {} as never);
}

async function textOf(...[left, headers]: Parameters<typeof consumed>): Promise<string> {
  return Buffer.from(await consumed(left, headers).read(1000, never)).toString();
}

const json = { 'content-type': 'application/json; charset=utf-8' };

describe('a body that middleware in front has read', () => {
  it('is JSON again after a JSON parser', async () => {
    expect(await textOf({ body: { a: [1] } }, json)).toBe('{"a":[1]}');
    expect(await textOf({ body: null }, json)).toBe('null');
    expect(await textOf({ body: [1] }, { 'content-type': 'application/merge-patch+json' })).toBe('[1]');
  });

  it('keeps names that a later check refuses', async () => {
    const body: unknown = JSON.parse('{"__proto__": {"a": 1}}');
    expect(await textOf({ body }, json)).toBe('{"__proto__":{"a":1}}');
  });

  it('is the bytes or the text that their parsers left', async () => {
    const bytes = Buffer.from([1, 2]);
    expect(await consumed({ body: bytes }, { 'content-type': 'image/png' }).read(9, never)).toBe(bytes);
    expect(await textOf({ body: Buffer.from('{"a":1}') }, json)).toBe('{"a":1}');
    expect(await textOf({ body: 'hé' }, { 'content-type': 'text/plain' })).toBe('hé');
  });

  it('tells JSON that was kept as text from a string that a JSON parser made', async () => {
    expect(await textOf({ body: '{"a": 10}' }, json)).toBe('{"a": 10}');
    expect(
      await textOf(
        { body: '[1, 2, 3]' },
        { ...json, 'content-length': undefined, 'transfer-encoding': 'chunked' },
      ),
    ).toBe('[1, 2, 3]');
    expect(
      await textOf({ body: '[1, 2, 3, 4]' }, { ...json, 'content-encoding': 'gzip', 'content-length': '40' }),
    ).toBe('[1, 2, 3, 4]');
    expect(await textOf({ body: 'chapter' }, json)).toBe('"chapter"');
  });

  it('is what came over the wire where somebody kept that too', async () => {
    expect(await textOf({ body: { a: 1 }, rawBody: Buffer.from('{"a":1.0}') }, json)).toBe('{"a":1.0}');
    expect(await textOf({ body: { a: 1 }, rawBody: 'no bytes' }, json)).toBe('{"a":1}');
  });

  it('is held to the limit: under, at, over', async () => {
    const body = consumed({ body: 'x'.repeat(10) }, { 'content-type': 'text/plain' });
    expect(await body.read(11, never)).toHaveLength(10);
    expect(await body.read(10, never)).toHaveLength(10);
    await expect(body.read(9, never)).rejects.toMatchObject({ status: 413 });
  });

  it('can be had as a stream', async () => {
    expect(await new Response(consumed({ body: { a: 1 } }, json).stream()).text()).toBe('{"a":1}');
  });

  it.each([
    ['nobody kept it', undefined, json],
    ['it was a form', { a: '1' }, { 'content-type': 'application/x-www-form-urlencoded' }],
    ['its parts went elsewhere', undefined, { 'content-type': 'multipart/form-data; boundary=x' }],
    ['it has no type', { a: 1 }, {}],
  ])('is an error that says why when %s', async (_why, body, headers) => {
    const refusal = { status: 500, message: expect.stringMatching(/read by middleware in front/) as string };
    await expect(consumed({ body }, headers).read(1000, never)).rejects.toMatchObject(refusal);
    expect(() => consumed({ body }, headers).stream()).toThrow(/mount the routes before that middleware/);
  });
});
