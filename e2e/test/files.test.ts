import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { createPages, type StaticFilesOptions, staticFiles } from '@waymark/pages';
import type { RunningApplication } from '@waymark/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { traversals } from './corpora/pages-traversals.ts';
import { exchange, type RawAnswer, rawRequest } from './raw-client.ts';
import { application, secrets, serve } from './served.ts';

const text = '0123456789';

/** A directory with something public, something hidden, and ways out; what must not be seen is called secret. */
function directory(): string {
  const parent = mkdtempSync(join(tmpdir(), 'waymark-files-'));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  const folder = join(parent, 'files');
  for (const name of ['', 'dir', '.git', '../files-more']) mkdirSync(join(folder, name), { recursive: true });
  const files = {
    ...{
      'public.txt': text,
      'style.css': 'p { }',
      'dir/inside.txt': 'inside',
      'dir/index.html': '<h1>index',
    },
    ...{ '.env': 'secret', '.git/config': 'secret', 'dir/.hidden': 'secret' },
    ...{ '../secret.txt': 'secret', '../files-more/secret.txt': 'secret' },
    ...{ '..\\secret.txt': 'secret', 'a:b': 'secret', nul: 'secret', con: 'secret', 'public.txt.': 'secret' },
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  symlinkSync(join(parent, 'files-more'), join(folder, 'out'));
  symlinkSync('../secret.txt', join(folder, 'out.txt'));
  symlinkSync('dir/inside.txt', join(folder, 'in.txt'));
  return folder;
}

/** Serves a directory at `/files`. */
function served(options: StaticFilesOptions = {}): Promise<RunningApplication> {
  // What is refused here is refused for other reasons than its number.
  const app = application({ failureLimit: { perSecond: 1e6, burst: 1e6 } });
  app
    .apiKey('SHOP_KEY', 'shop', { scopes: ['docs'] })
    .apiKey('OTHER_KEY', 'other', { scopes: ['svc:admin'] });
  app.add(createPages([staticFiles('/files', directory(), options)]));
  return serve(app);
}

async function ask(
  { port }: RunningApplication,
  target: string,
  lines: readonly string[] = [],
  method = 'GET',
): Promise<RawAnswer> {
  const [answer] = await exchange(port, rawRequest(method, target, ['Connection: close', ...lines]), {
    head: method === 'HEAD',
  });
  if (!answer) throw new Error(`no answer to ${target}`);
  return answer;
}

describe('static files', () => {
  it('are served below their path, and may be kept for an hour', async () => {
    verifies('declare.static-files', 'declare.static-files.cache.default', 'limit.static-cache');
    const server = await served();
    const { status, headers, body } = await ask(server, '/files/style.css');
    expect([status, body]).toEqual([200, 'p { }']);
    expect(headers).toMatchObject({
      'content-type': 'text/css; charset=utf-8',
      'content-length': '5',
      'cache-control': 'public, max-age=3600',
      'x-content-type-options': 'nosniff',
    });
    expect((await ask(server, '/files/dir/inside.txt')).body).toBe('inside');
    expect((await ask(server, '/files/in.txt')).body).toBe('inside');
    expect((await ask(server, '/%66iles/%64ir/inside%2etxt?a=b')).body).toBe('inside');
    expect((await ask(await served({ cacheSecs: 5 }), '/files/style.css')).headers['cache-control']).toBe(
      'public, max-age=5',
    );
  });

  it('come in parts, are not sent twice, and answer HEAD', async () => {
    verifies('files.semantics', 'http.status.206', 'http.status.416');
    const server = await served();
    const { headers } = await ask(server, '/files/public.txt');
    const head = await ask(server, '/files/public.txt', [], 'HEAD');
    const { date: _, 'x-request-id': _id, ...same } = headers;
    expect([head.status, head.headers]).toMatchObject([200, same]);
    const part = await ask(server, '/files/public.txt', ['Range: bytes=2-4']);
    expect([part.status, part.body]).toEqual([206, '234']);
    expect(part.headers).toMatchObject({ 'content-range': 'bytes 2-4/10', 'content-length': '3' });
    const beyond = await ask(server, '/files/public.txt', ['Range: bytes=10-']);
    expect([beyond.status, beyond.headers['content-range']]).toEqual([416, 'bytes */10']);
    expect(JSON.parse(beyond.body)).toMatchObject({
      status: 416,
      detail: 'the file does not have that range',
    });
    const several = await ask(server, '/files/public.txt', ['Range: bytes=0-1,5-6']);
    expect([several.status, several.body]).toEqual([200, text]);
    for (const line of [
      `If-None-Match: ${headers['etag']}`,
      `If-Modified-Since: ${headers['last-modified']}`,
    ]) {
      const unchanged = await ask(server, '/files/public.txt', [line]);
      expect([unchanged.status, unchanged.body, unchanged.headers['etag']]).toEqual([
        304,
        '',
        headers['etag'],
      ]);
    }
    expect((await ask(server, '/files/public.txt', ['If-Match: "other"'])).status).toBe(412);
    const post = await ask(server, '/files/public.txt', ['Content-Length: 0'], 'POST');
    expect([post.status, post.headers['allow']]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });

  it('hold nothing that is hidden, outside, or a name on another system only', async () => {
    verifies('files.real-path', 'files.dotfiles');
    const server = await served();
    for (const path of traversals) {
      const { status, body } = await ask(server, `/files${path}`);
      expect([path, status === 400 || status === 404]).toEqual([path, true]);
      expect([path, JSON.parse(body).detail]).toEqual([
        path,
        expect.not.stringMatching(/secret|files-more|tmp/),
      ]);
    }
  });

  it('have no index unless it is named', async () => {
    verifies('declare.static-files.index', 'declare.static-files.index.default');
    const without = await served();
    for (const path of ['/files', '/files/', '/files/dir', '/files/dir/'])
      expect([path, (await ask(without, path)).status]).toEqual([path, 404]);
    const server = await served({ index: 'index.html' });
    expect(await ask(server, '/files/dir/')).toMatchObject({ status: 200, body: '<h1>index' });
    expect(await ask(server, '/files/')).toMatchObject({ status: 404 });
    expect(await ask(server, '/files/dir?q=1')).toMatchObject({
      status: 301,
      headers: { location: './dir/?q=1' },
    });
    expect(await ask(server, '/files')).toMatchObject({ status: 301, headers: { location: './files/' } });
    for (const path of [
      '//evil.example',
      '/files//evil.example',
      '/files//evil.example/..',
      '/files/%2f%2fevil.example',
    ])
      expect((await ask(server, path)).headers['location']).toBeUndefined();
  });

  it('may ask for scopes, and are not kept for others then', async () => {
    verifies('files.scopes');
    const server = await served({ scopes: ['docs'] });
    expect((await ask(server, '/files/public.txt')).status).toBe(401);
    expect((await ask(server, '/files/none.txt')).status).toBe(401);
    expect((await ask(server, '/files/public.txt', [`X-Api-Key: ${secrets.OTHER_KEY}`])).status).toBe(403);
    const { status, headers } = await ask(server, '/files/public.txt', [`X-Api-Key: ${secrets.SHOP_KEY}`]);
    expect([status, headers['cache-control']]).toEqual([200, 'private, max-age=3600']);
  });
});
