import { once } from 'node:events';
import { utimesSync } from 'node:fs';
import { createServer, get, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import send from 'send';
import { describe, expect, it, onTestFinished } from 'vitest';
import { staticFiles } from '../../src/index.ts';
import { folderOf, serve, textOf } from '../serve.ts';

const text = '0123456789'.repeat(10);
const names = [
  'accept-ranges',
  'cache-control',
  'content-length',
  'content-range',
  'content-type',
  'etag',
  'last-modified',
];

interface Seen {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

function seen(
  status: number,
  headers: IncomingHttpHeaders | Readonly<Record<string, unknown>>,
  body: string,
): Seen {
  // What is said about a failure is ours to say.
  const shown = status >= 400 ? ['content-range'] : names;
  const said = shown.filter((name) => headers[name] !== undefined);
  return {
    status,
    headers: Object.fromEntries(said.map((name) => [name, headers[name]])),
    body: status >= 400 ? '' : body,
  };
}

/** The folder, served by `send` and nothing else. */
async function plain(
  folder: string,
): Promise<(method: string, path: string, headers: object) => Promise<Seen>> {
  const server = createServer((req, res) => {
    send(req, req.url ?? '', { root: folder, maxAge: 3_600_000, index: false }).pipe(res);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return (method, path, headers) =>
    new Promise((resolve, reject) => {
      const options = { port, host: '127.0.0.1', method, path, headers: { ...headers }, agent: false };
      const request = get(options, (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          body += chunk;
        });
        response.on('end', () => resolve(seen(response.statusCode ?? 0, response.headers, body)));
      });
      request.on('error', reject);
    });
}

async function ours(
  folder: string,
): Promise<(method: string, path: string, headers: object) => Promise<Seen>> {
  const { ask } = await serve([staticFiles('/', folder)]);
  return async (method, path, headers) => {
    const response = await ask('get_by_file', { file: '' }, { method, path, headers: { ...headers } });
    const { body } = response;
    const length = body.kind === 'bytes' ? body.bytes.length : body.kind === 'stream' ? body.length : 0;
    const sized =
      'mediaType' in body ? { 'content-length': `${length}`, 'content-type': body.mediaType } : {};
    const content = method === 'HEAD' ? '' : await textOf(response);
    return seen(response.status, { ...response.headers, ...sized }, content);
  };
}

const date = 'Thu, 01 Jan 2026 00:00:00 GMT';
const before = 'Wed, 31 Dec 2025 00:00:00 GMT';
const after = 'Fri, 02 Jan 2026 00:00:00 GMT';

const conditions: readonly Readonly<Record<string, string>>[] = [
  {},
  ...['"x"', '*', '"x", "y"', 'x', ''].map((tag) => ({ 'if-none-match': tag })),
  ...['"x"', '*'].map((tag) => ({ 'if-match': tag })),
  ...[date, before, after, 'yesterday'].flatMap((day) => [
    { 'if-modified-since': day },
    { 'if-unmodified-since': day },
  ]),
  { 'if-none-match': '"x"', 'if-modified-since': after },
  { 'if-none-match': '*', 'cache-control': 'no-cache' },
  ...['"x"', before, after, date].map((validator) => ({ 'if-range': validator })),
];
const ranges: readonly (string | undefined)[] = [
  undefined,
  ...['bytes=0-0', 'bytes=0-', 'bytes=-1', 'bytes=-1000', 'bytes=99-', 'bytes=100-', 'bytes=5-4', 'bytes=-0'],
  ...[
    'bytes=0-1,2-3',
    'bytes=0-1,5-6',
    'bytes=0-1,200-',
    'bytes=a-',
    'lines=0-1',
    'bytes=',
    'bytes = 0-1',
    'BYTES=0-1',
  ],
];

describe('a file, compared with what plain send answers', () => {
  it('has the same status, headers and bytes, whatever is asked', async () => {
    const folder = folderOf({ 'a.txt': text, 'b.css': '', 'c.unheard': 'c' });
    for (const name of ['a.txt', 'b.css', 'c.unheard'])
      utimesSync(join(folder, name), new Date(date), new Date(date));
    const [theirs, own] = [await plain(folder), await ours(folder)];
    let asked = 0;
    for (const path of ['/a.txt', '/b.css', '/c.unheard'])
      for (const condition of conditions)
        for (const range of ranges)
          for (const method of range === undefined ? ['GET', 'HEAD'] : ['GET']) {
            const headers = { ...condition, ...(range !== undefined && { range }) };
            asked++;
            expect([method, path, headers, await own(method, path, headers)]).toEqual([
              ...[method, path, headers],
              await theirs(method, path, headers),
            ]);
          }
    expect(asked).toBeGreaterThan(1_000);
  });
});
