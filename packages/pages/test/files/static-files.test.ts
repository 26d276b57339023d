import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  truncateSync,
  utimesSync,
} from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RouteResponse } from '@waymark/contract/engine';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { createPages, type StaticFilesOptions, staticFiles } from '../../src/index.ts';
import { folderOf, problemsOf, serve, textOf } from '../serve.ts';

/** Serves a folder at `/a` and asks for paths below it. */
async function served(folder: string, options: StaticFilesOptions = {}) {
  const { ask } = await serve([staticFiles('/a', folder, options)]);
  return (
    path: string,
    headers: Readonly<Record<string, string>> = {},
    method = 'GET',
  ): Promise<RouteResponse> =>
    path === '/a'
      ? ask('get_a', {}, { path, headers, method })
      : ask('get_a_by_file', { file: '' }, { path, headers, method });
}

/** How many files below a folder this process has open. */
function openBelow(folder: string): number {
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(folder);
    } catch {
      return false;
    }
  }).length;
}

const statusOf = async (answer: Promise<RouteResponse>): Promise<number> => {
  const response = await answer;
  if (response.body.kind === 'stream') await response.body.stream.cancel();
  return response.status;
};

describe('a static file', () => {
  it('is its bytes, with type, length, validators and how long it may be kept', async () => {
    const folder = folderOf({ 'css/style.css': 'p { }\n' });
    utimesSync(join(folder, 'css/style.css'), 1_000, 1_000);
    const ask = await served(folder);
    const response = await ask('/a/css/style.css');
    expect(response).toMatchObject({
      status: 200,
      headers: {
        'accept-ranges': 'bytes',
        'cache-control': 'public, max-age=3600',
        'last-modified': 'Thu, 01 Jan 1970 00:16:40 GMT',
        etag: expect.stringMatching(/^W\/"6-/),
      },
      body: { kind: 'bytes', mediaType: 'text/css; charset=utf-8' },
    });
    expect(Object.keys(response.headers).sort()).toEqual([
      'accept-ranges',
      'cache-control',
      'etag',
      'last-modified',
    ]);
    expect(await textOf(response)).toBe('p { }\n');
    expect(openBelow(folder)).toBe(0);
  });

  it.each([
    ['a.js', 'text/javascript; charset=utf-8'],
    ['a.html', 'text/html; charset=utf-8'],
    ['a.png', 'image/png'],
    ['a.svg', 'image/svg+xml'],
    ['a.json', 'application/json; charset=utf-8'],
    ['a.woff2', 'font/woff2'],
    ['a', 'application/octet-stream'],
    ['a.unheard', 'application/octet-stream'],
  ])('%s has the type of its ending', async (name, mediaType) => {
    const ask = await served(folderOf({ [name]: 'x' }));
    expect((await ask(`/a/${name}`, {}, 'HEAD')).body).toMatchObject({ mediaType });
  });

  it('may be empty', async () => {
    const folder = folderOf({ 'a.txt': '' });
    const ask = await served(folder);
    const response = await ask('/a/a.txt');
    expect(response.body).toMatchObject({ kind: 'bytes', bytes: new Uint8Array(0) });
    expect(await statusOf(ask('/a/a.txt', { range: 'bytes=0-0' }))).toBe(416);
    expect(openBelow(folder)).toBe(0);
  });

  it('is as large as it is, whatever a chunk is', async () => {
    const text = 'abcdefg'.repeat(100_000);
    const ask = await served(folderOf({ 'a.txt': text }));
    expect(await textOf(await ask('/a/a.txt'))).toBe(text);
    const part = await ask('/a/a.txt', { range: 'bytes=262143-524289' });
    expect(await textOf(part)).toBe(text.slice(262_143, 524_290));
  });

  it.each([
    [65_535, 'bytes'],
    [65_536, 'bytes'],
    [65_537, 'stream'],
  ])('of %i bytes is sent as %s', async (length, kind) => {
    const folder = folderOf({ 'a.txt': 'x'.repeat(length), 'b.txt': 'y'.repeat(65_538) });
    const ask = await served(folder);
    const response = await ask('/a/a.txt');
    expect(response.body.kind).toBe(kind);
    expect(await textOf(response)).toBe('x'.repeat(length));
    const part = await ask('/a/b.txt', { range: `bytes=1-${length}` });
    expect(part.body.kind).toBe(kind);
    expect(await textOf(part)).toBe('y'.repeat(length));
    expect(openBelow(folder)).toBe(0);
  });

  it('that grows while it is sent is as long as was told', async () => {
    const folder = folderOf({ 'a.txt': 'x'.repeat(600_000) });
    const ask = await served(folder);
    const response = await ask('/a/a.txt');
    appendFileSync(join(folder, 'a.txt'), 'y'.repeat(600_000));
    expect(await textOf(response)).toBe('x'.repeat(600_000));
    expect(openBelow(folder)).toBe(0);
  });

  it('that is replaced again and again is always one of them, and never missing', async () => {
    verifies('files.swapped');
    const folder = folderOf({ 'a.txt': 'x'.repeat(1_000) });
    const ask = await served(folder);
    let on = true;
    const replace = async (): Promise<void> => {
      for (let i = 0; on; i++) {
        await writeFile(join(folder, 'next'), (i % 2 === 0 ? 'y' : 'x').repeat(1_000 + i));
        await rename(join(folder, 'next'), join(folder, 'a.txt'));
      }
    };
    const replacing = replace();
    for (let i = 0; i < 300; i++) {
      const response = await ask('/a/a.txt');
      expect(response.status).toBe(200);
      expect(await textOf(response)).toMatch(/^(?:x{1000,}|y{1000,})$/);
    }
    on = false;
    await replacing;
  });

  it('fails while it is sent when it becomes shorter', async () => {
    const folder = folderOf({ 'a.txt': 'x'.repeat(600_000) });
    const ask = await served(folder);
    const { body } = await ask('/a/a.txt');
    if (body.kind !== 'stream') throw new Error('no stream');
    const reader = body.stream.getReader();
    await reader.read();
    truncateSync(join(folder, 'a.txt'), 270_000);
    await reader.read();
    await expect(reader.read()).rejects.toThrow('became shorter');
    expect(openBelow(folder)).toBe(0);
  });

  it('is closed when its reader leaves in the middle of a read', async () => {
    const folder = folderOf({ 'a.txt': 'x'.repeat(600_000) });
    const ask = await served(folder);
    const { body } = await ask('/a/a.txt');
    if (body.kind !== 'stream') throw new Error('no stream');
    const reader = body.stream.getReader();
    const reading = reader.read();
    await reader.cancel();
    expect((await reading).done).toBe(true);
    await expect.poll(() => openBelow(folder)).toBe(0);
  });

  it('is closed when nobody wants the rest', async () => {
    const folder = folderOf({ 'a.txt': 'x'.repeat(600_000) });
    const ask = await served(folder);
    const { body } = await ask('/a/a.txt');
    if (body.kind !== 'stream') throw new Error('no stream');
    const reader = body.stream.getReader();
    await reader.read();
    expect(openBelow(folder)).toBe(1);
    await reader.cancel();
    expect(openBelow(folder)).toBe(0);
  });

  it('is closed when the call was given up before the answer', async () => {
    const folder = folderOf({ 'a.txt': 'x' });
    const { ask } = await serve([staticFiles('/a', folder)]);
    const signal = AbortSignal.abort(new Error('too late'));
    await expect(ask('get_a_by_file', { file: '' }, { path: '/a/a.txt', signal })).rejects.toThrow(
      'too late',
    );
    expect(openBelow(folder)).toBe(0);
  });
});

describe('a request for a part, or for something newer', () => {
  const text = '0123456789';

  it.each([
    ['bytes=0-3', 'bytes 0-3/10', '0123'],
    ['bytes=7-', 'bytes 7-9/10', '789'],
    ['bytes=-2', 'bytes 8-9/10', '89'],
    ['bytes=8-100', 'bytes 8-9/10', '89'],
    ['bytes=0-1,2-3', 'bytes 0-3/10', '0123'],
  ])('%s is that part', async (range, contentRange, part) => {
    const ask = await served(folderOf({ 'a.txt': text }));
    const response = await ask('/a/a.txt', { range });
    expect(response).toMatchObject({
      status: 206,
      headers: { 'content-range': contentRange },
    });
    expect(await textOf(response)).toBe(part);
  });

  it.each(['bytes=0-1,5-6', 'bytes=a-b', 'lines=1-2', 'bytes', ''])('%j is the whole file', async (range) => {
    const ask = await served(folderOf({ 'a.txt': text }));
    const response = await ask('/a/a.txt', { range });
    expect(response.status).toBe(200);
    expect(await textOf(response)).toBe(text);
  });

  it.each(['bytes=10-', 'bytes=99-100', 'bytes=-0'])(
    '%s is 416 and says how much there is',
    async (range) => {
      const folder = folderOf({ 'a.txt': text });
      const ask = await served(folder);
      const response = await ask('/a/a.txt', { range });
      expect([response.status, response.headers]).toEqual([416, { 'content-range': 'bytes */10' }]);
      expect(await textOf(response)).toBe('the file does not have that range');
      expect(openBelow(folder)).toBe(0);
    },
  );

  it('is 304 without bytes for whoever has the file', async () => {
    const folder = folderOf({ 'a.txt': text });
    const ask = await served(folder);
    const { headers } = await ask('/a/a.txt', {}, 'HEAD');
    const { etag = '', 'last-modified': modified = '' } = headers as Readonly<Record<string, string>>;
    for (const condition of [
      { 'if-none-match': etag },
      { 'if-none-match': `"x", ${etag}` },
      { 'if-none-match': '*' },
      { 'if-modified-since': modified },
    ]) {
      const response = await ask('/a/a.txt', { ...condition, range: 'bytes=0-1' });
      expect(response).toMatchObject({ status: 304, headers, body: { kind: 'empty' } });
    }
    const old = { 'if-none-match': '"other"', 'if-modified-since': modified };
    expect(await statusOf(ask('/a/a.txt', old))).toBe(200);
    expect(openBelow(folder)).toBe(0);
  });

  it('is 412 for a condition that does not hold', async () => {
    const folder = folderOf({ 'a.txt': text });
    const ask = await served(folder);
    expect(await statusOf(ask('/a/a.txt', { 'if-match': '"other"' }))).toBe(412);
    expect(await statusOf(ask('/a/a.txt', { 'if-match': '*' }))).toBe(200);
    expect(await statusOf(ask('/a/a.txt', { 'if-unmodified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' }))).toBe(
      412,
    );
    expect(openBelow(folder)).toBe(0);
  });

  it('is the whole file when the part is of another one', async () => {
    const ask = await served(folderOf({ 'a.txt': text }));
    const { headers } = await ask('/a/a.txt', {}, 'HEAD');
    const part = { range: 'bytes=0-1' };
    expect(await statusOf(ask('/a/a.txt', { ...part, 'if-range': String(headers['last-modified']) }))).toBe(
      206,
    );
    // Weak tags are those of files that may differ: no part is told by one.
    expect(headers['etag']).toMatch(/^W\//);
    expect(await statusOf(ask('/a/a.txt', { ...part, 'if-range': String(headers['etag']) }))).toBe(200);
    expect(await statusOf(ask('/a/a.txt', { ...part, 'if-range': '"other"' }))).toBe(200);
  });

  it('by HEAD opens no stream, and says the same', async () => {
    const folder = folderOf({ 'a.txt': text });
    const ask = await served(folder);
    const [head, get] = [await ask('/a/a.txt', {}, 'HEAD'), await ask('/a/a.txt')];
    expect([head.status, head.headers, head.body]).toMatchObject([
      200,
      get.headers,
      { length: 10, mediaType: 'text/plain; charset=utf-8' },
    ]);
    expect(await textOf(get)).toBe(text);
    expect(openBelow(folder)).toBe(0);
  });
});

describe('what is no file', () => {
  const hidden = { '.env': 'secret', '.git/config': 'secret', 'a.txt': 'a', 'dir/b.txt': 'b' };

  it.each([
    '/a/.env',
    '/a/.git/config',
    '/a/none',
    '/a/dir',
    '/a/dir/',
    '/a/',
    '/a/a.txt/',
    '/a/a.txt/b',
    '/a/%2e%2e/a/a.txt',
  ])('%s is 404', async (path) => {
    const folder = folderOf(hidden);
    const ask = await served(folder);
    const response = await ask(path);
    expect([response.status, await textOf(response)]).toEqual([404, 'there is no such file']);
    expect(openBelow(folder)).toBe(0);
  });

  it('is a link that leads out, hidden, or in a circle; one that stays inside is a file', async () => {
    const outside = folderOf({ 'secret.txt': 'secret' });
    const folder = folderOf(hidden);
    symlinkSync(join(outside, 'secret.txt'), join(folder, 'out.txt'));
    symlinkSync(outside, join(folder, 'out'));
    symlinkSync(`${folder}/.env`, join(folder, 'env.txt'));
    symlinkSync('loop.txt', join(folder, 'loop.txt'));
    symlinkSync('dir/b.txt', join(folder, 'in.txt'));
    // Its name begins with the root's.
    mkdirSync(`${folder}-more`);
    symlinkSync(`${folder}-more`, join(folder, 'more'));
    const ask = await served(folder);
    for (const name of ['out.txt', 'out/secret.txt', 'env.txt', 'loop.txt', 'more', 'more/x'])
      expect([name, await statusOf(ask(`/a/${name}`))]).toEqual([name, 404]);
    expect(await textOf(await ask('/a/in.txt'))).toBe('b');
    rmdirSync(`${folder}-more`);
  });

  it('is a file outside that stands in a place inside for a moment', async () => {
    verifies('files.swapped', 'files.real-path');
    const folder = folderOf({ 'root/a/x.txt': 'inside', 'b/x.txt': 'outside' });
    const ask = await served(join(folder, 'root'));
    const [inside, aside, link] = ['root/a', 'aside', 'link'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    symlinkSync(join(folder, 'b'), link);
    let on = true;
    const swap = async (): Promise<void> => {
      while (on) {
        await rename(inside, aside);
        await rename(link, inside);
        await rename(inside, link);
        await rename(aside, inside);
      }
    };
    const swapping = swap();
    const seen = new Set<string>();
    for (let i = 0; i < 500; i++) {
      const response = await ask('/a/a/x.txt');
      seen.add(`${response.status} ${await textOf(response)}`);
    }
    on = false;
    await swapping;
    const rest = await ask('/a/a/x.txt');
    seen.add(`${rest.status} ${await textOf(rest)}`);
    seen.delete('404 there is no such file');
    expect([...seen]).toEqual(['200 inside']);
  });

  it('is a name in another spelling: case, normal form, an encoded slash', async () => {
    const ask = await served(folderOf({ 'caf\u00e9.txt': 'x', 'b/c.txt': 'x' }));
    for (const [path, status] of [
      ['/a/caf%C3%A9.txt', 200],
      ['/a/cafe%CC%81.txt', 404],
      ['/a/CAF%C3%89.txt', 404],
      ['/a/b/c.txt', 200],
      ['/a/%62/c%2Etxt', 200],
      ['/a/b%2Fc.txt', 404],
      ['/a/b%5Cc.txt', 404],
      ['/a/b%252Fc.txt', 404],
      ['/a/B/c.txt', 404],
      ['/a/b/c.txt/', 404],
    ] as const)
      expect([path, await statusOf(ask(path))]).toEqual([path, status]);
  });

  it('is a pipe, without waiting for its other end', async () => {
    const folder = folderOf();
    execFileSync('env', ['mkfifo', join(folder, 'pipe')]);
    const ask = await served(folder);
    expect(await statusOf(ask('/a/pipe'))).toBe(404);
    expect(openBelow(folder)).toBe(0);
  });

  it('follows the directory where it was at boot', async () => {
    const folder = folderOf({ 'one/a.txt': 'one', 'two/a.txt': 'two' });
    symlinkSync('one', join(folder, 'current'));
    const ask = await served(join(folder, 'current'));
    symlinkSync('two', join(folder, 'next'));
    renameSync(join(folder, 'next'), join(folder, 'current'));
    expect(await textOf(await ask('/a/a.txt'))).toBe('one');
  });

  it('may be another name of a file', async () => {
    const folder = folderOf({ 'a.txt': 'a' });
    linkSync(join(folder, 'a.txt'), join(folder, 'b.txt'));
    const ask = await served(folder);
    expect(await textOf(await ask('/a/b.txt'))).toBe('a');
  });
});

describe('the options of static files', () => {
  const files = { 'index.html': 'root', 'dir/index.html': 'dir', 'dir/a.txt': 'a', 'none/b.txt': 'b' };

  it('name an index, which answers for directories', async () => {
    const ask = await served(folderOf(files), { index: 'index.html' });
    expect(await textOf(await ask('/a/'))).toBe('root');
    expect(await textOf(await ask('/a/dir/'))).toBe('dir');
    expect(await statusOf(ask('/a/none/'))).toBe(404);
    expect(await statusOf(ask('/a/dir/index.html/'))).toBe(404);
  });

  it.each([
    [{ index: 'index.html' }, true],
    [{}, false],
  ])('tell the document that they redirect where they do: %o', (options, redirects) => {
    const { routes } = createPages([staticFiles('/a', folderOf(files), options)]);
    for (const { facts } of routes) expect('301' in (facts.answers ?? {})).toBe(redirects);
  });

  it('with an index send browsers on to the slash, never to another host', async () => {
    const ask = await served(folderOf({ ...files, 'x@y;z/index.html': '' }), { index: 'index.html' });
    for (const [path, location] of [
      ['/a', './a/'],
      ['/a/dir', './dir/'],
      ['/a/x@y;z', './x%40y%3Bz/'],
    ] as const) {
      const response = await ask(path);
      expect([response.status, response.headers]).toEqual([301, { location }]);
      expect(new URL(location, `http://host${path}`).href).toBe(
        `http://host${encodeURI(path).replace('@', '%40').replace(';', '%3B')}/`,
      );
    }
    for (const path of ['/a//evil.com', '/a//evil.com/', '/a/%2fevil.com', '/a/\\evil.com'])
      expect(await statusOf(ask(path))).toBe(404);
  });

  it('with an index send browsers on with what was asked for', async () => {
    const { ask } = await serve([staticFiles('/a', folderOf(files), { index: 'index.html' })]);
    const query = { lang: 'de', tag: ['x&y', '#z\r\n'] };
    const { headers } = await ask('get_a_by_file', { file: '' }, { path: '/a/dir', query });
    expect(headers).toEqual({ location: './dir/?lang=de&tag=x%26y&tag=%23z%0D%0A' });
  });

  it('have no index by default, and then no route for the path itself', async () => {
    const { table } = await serve([staticFiles('/a', folderOf(files))]);
    expect([...table].map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /a/{file*}']);
    const ask = await served(folderOf(files));
    expect(await statusOf(ask('/a/dir/'))).toBe(404);
  });

  it('say how long a file may be kept, and who may keep one that not everybody may read', async () => {
    const folder = folderOf(files);
    const of = async (options: StaticFilesOptions) =>
      (await (await served(folder, options))('/a/dir/a.txt', {}, 'HEAD')).headers['cache-control'];
    expect(await of({})).toBe('public, max-age=3600');
    expect(await of({ cacheSecs: 0 })).toBe('public, max-age=0');
    expect(await of({ cacheSecs: 31_536_000 })).toBe('public, max-age=31536000');
    expect(await of({ scopes: ['docs'] })).toBe('private, max-age=3600');
  });

  it('are kept by its routes, which are no tools', async () => {
    const { table } = await serve([
      staticFiles('/', folderOf(files), { index: 'index.html', scopes: ['docs'], summary: 'Docs.' }),
    ]);
    expect([...table]).toMatchObject([
      { path: '/{file*}', tool: false, scopes: ['docs'], summary: 'Docs.', engine: { kind: 'files' } },
    ]);
  });

  it('that are wrong are problems', () => {
    const folder = folderOf(files);
    const found = (path: string, directory: unknown, options: object = {}) =>
      problemsOf([staticFiles(path, directory as string, options)]).map(
        ({ code, rule }) => `${code}: ${rule}`,
      );
    expect(found('/a', `${folder}/no`)).toEqual([`files-directory: there is no directory "${folder}/no"`]);
    expect(found('/a', `${folder}/dir/a.txt`)).toEqual([
      `files-directory: "${folder}/dir/a.txt" is no directory`,
    ]);
    expect(found('/a', undefined)).toEqual(['files-directory: its directory is not a text']);
    expect(found('/{tenant}/a', folder)).toEqual([
      'files-path: "/{tenant}/a" has parameters, which no file could see',
    ]);
    expect(found('/a', folder, { index: '../x' })).toEqual([
      'files-index: index "../x" is no name of a file',
    ]);
    for (const cacheSecs of [-1, 1.5, 31_536_001, Number.NaN])
      expect(found('/a', folder, { cacheSecs })[0]).toMatch(/^files-cache: /);
    expect(found('/a', folder, { cacheSecs: '3600', tool: true })).toEqual([
      'option-type: cacheSecs is not a number',
      'unknown-option: unknown option "tool"',
    ]);
    expect(found('/a', folder, { scopes: 'docs' })[0]).toMatch(/^scope-form: /);
  });
});

describe('the files of the host', () => {
  /** What is said of a site, below a folder that has these files and links, when the host keeps `app.db` somewhere. */
  const saidOf = (
    path: string,
    links: Readonly<Record<string, string>> = {},
    files: readonly string[] = [],
  ) => {
    const folder = folderOf({
      'site/index.html': '',
      ...Object.fromEntries(files.map((name) => [name, 'x'])),
    });
    mkdirSync(join(folder, 'data'), { recursive: true });
    for (const [name, target] of Object.entries(links)) symlinkSync(target, join(folder, name));
    const keeps = [{ what: 'the database', path: join(folder, path), ends: ['-wal'] }];
    return problemsOf([staticFiles('/a', join(folder, 'site'))], { keeps }).map(({ code, rule }) => [
      code,
      rule.replaceAll(folder, ''),
    ]);
  };
  const kept = (path: string) => [['files-kept', `"/site" would hand out ${path}, the database`]];

  it('are no part of a site, be they there or not', () => {
    verifies('files.kept');
    expect(saidOf('site/app.db', {}, ['site/app.db'])).toEqual(kept('/site/app.db'));
    expect(saidOf('site/app.db')).toEqual(kept('/site/app.db'));
    expect(saidOf('site/deep/er/app.db')).toEqual(kept('/site/deep/er/app.db'));
    // Only what is beside it has a name that is served.
    expect(saidOf('site/app.')).toEqual(kept('/site/app.-wal'));
  });

  it('are looked for where links lead', () => {
    verifies('files.kept');
    expect(saidOf('state/app.db', { state: 'site' })).toEqual(kept('/site/app.db'));
    expect(saidOf('data/app.db', { 'data/app.db': '../site/real.db' }, ['site/real.db'])).toEqual(
      kept('/site/real.db'),
    );
    expect(saidOf('data/app.db', { 'data/app.db': '../site/later.db' })).toEqual(kept('/site/later.db'));
    expect(saidOf('data/app.db', { 'data/app.db': 'b.db', 'data/b.db': 'app.db' })).toEqual([]);
  });

  it('may be beside a site, or where it serves nothing', () => {
    expect(saidOf('data/app.db')).toEqual([]);
    expect(saidOf('site-data/app.db')).toEqual([]);
    expect(saidOf('site/.data/app.db')).toEqual([]);
    expect(saidOf('site/app.db', { 'site/app.db': '../data/app.db' }, ['data/app.db'])).toEqual([]);
  });

  it('are 404 under another name, whenever that was made', async () => {
    verifies('files.kept');
    const folder = folderOf({ 'site/index.html': 'x', 'app.db': 'secret', 'app.db-wal': 'secret' });
    const keeps = [{ what: 'the database', path: join(folder, 'app.db'), ends: ['-wal', '-shm'] }];
    const { ask } = await serve([staticFiles('/a', join(folder, 'site'))], { keeps });
    const get = (path: string) => statusOf(ask('get_a_by_file', { file: '' }, { path }));
    const before = openBelow(folder);
    for (const [from, to] of [
      ['app.db', 'copy.txt'],
      ['app.db-wal', 'log.txt'],
      ['site/index.html', 'other.html'],
    ] as const)
      linkSync(join(folder, from), join(folder, 'site', to));
    expect(await get('/a/copy.txt')).toBe(404);
    expect(await get('/a/log.txt')).toBe(404);
    expect(await get('/a/other.html')).toBe(200);
    expect(openBelow(folder)).toBe(before);
  });

  it('are told of where they are the program', () => {
    const folder = folderOf({ 'src/application.ts': '', 'site/index.html': '' });
    const program = [{ what: 'the application', path: join(folder, 'src/application.ts') }];
    const findings = (below: string) =>
      createPages([staticFiles('/a', join(folder, below))], { program }).findings?.();
    expect(findings('.')).toEqual([
      {
        severity: 'warning',
        text: `staticFiles /a hands out the program: "${folder}" holds ${folder}/src/application.ts, the application`,
        fix: 'serve a directory that holds only what callers may read',
      },
    ]);
    expect(findings('site')).toEqual([]);
    expect(findings('nowhere')).toEqual([]);
  });
});
