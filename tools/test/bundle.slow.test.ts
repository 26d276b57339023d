import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readWorkspaces, repositoryRoot } from '../lib/workspace.ts';

/** Runs a module as whoever installed the packages would: without the condition that leads to the sources. */
function outputOf(program: string, ...options: readonly string[]): string {
  const args = [...options, '--input-type=module', '--eval', program];
  return execFileSync(process.execPath, args, { cwd: join(repositoryRoot, 'e2e'), encoding: 'utf8' });
}

/** The files that a program loads. */
function modulesOf(program: string, ...options: readonly string[]): readonly string[] {
  const counted = `
    import { registerHooks } from 'node:module';
    const loaded = new Set();
    registerHooks({ load: (url, context, next) => (loaded.add(url), next(url, context)) });
    ${program}
    console.log(JSON.stringify([...loaded].filter((url) => url.startsWith('file:'))));`;
  return JSON.parse(
    outputOf(counted, ...options)
      .trim()
      .split('\n')
      .at(-1) ?? '',
  ) as string[];
}

const published = readWorkspaces(repositoryRoot).filter(({ manifest }) => !manifest.private);

describe('what is built of the packages', () => {
  it('is a tenth of the modules of the sources', () => {
    const program = "await import('@waymark/server');";
    const built = modulesOf(program).length;
    const sources = modulesOf(program, '--conditions=@waymark/source').length;
    expect(built).toBeGreaterThan(15);
    expect(built * 10).toBeLessThan(sources);
  });

  it('is all that an application of one route loads: 110 modules, and no library that it does not use', () => {
    verifies('start.modules', 'start.late');
    const loaded = modulesOf(`
      const { createApplication } = await import('@waymark/server');
      const app = createApplication('hello', { port: 0 });
      app.get('/hello', {}, () => ({ hello: 'world' }));
      await (await app.listen()).close();`);
    expect(loaded.length).toBeLessThanOrEqual(110);
    const libraries = new Set(
      loaded.flatMap((url) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []),
    );
    // The registry of formats, which an application may add to, and the driver of the database.
    const expected = ['typebox', 'libsql', '@neon-rs/load', 'detect-libc'];
    expect([...libraries].filter((name) => !expected.includes(name) && !name.startsWith('@libsql/'))).toEqual(
      [],
    );
    expect(loaded.filter((url) => url.includes('/dist/libraries/'))).toEqual([]);
  });

  it('is all that the reference application loads until it is ready: 200 modules', () => {
    verifies('start.modules');
    const folder = mkdtempSync(join(tmpdir(), 'waymark-modules-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const program = `
      process.chdir(${JSON.stringify(folder)});
      const { createExample } = await import(${JSON.stringify(join(repositoryRoot, 'apps/server/example/application.ts'))});
      const keys = { OPERATOR_KEY: 'o'.repeat(40), DEVICE_KEY: 'd'.repeat(40), READER_KEY: 'r'.repeat(40) };
      const env = { ...keys, SIGHTINGS_SECRET: 'whsec_' + 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' };
      const upstreams = { billingUrl: 'http://127.0.0.1:1', dockUrl: 'http://127.0.0.1:1', sightingsUrl: 'http://127.0.0.1:1' };
      const app = createExample({ env, port: 0, database: 'sqlite://desk.db' }, upstreams);
      await (await app.listen()).close();`;
    expect(modulesOf(program).length).toBeLessThanOrEqual(200);
  });

  it('has each library that is loaded late whole, in a file of its own', () => {
    verifies('start.late');
    const load = createRequire(import.meta.url);
    const files = globSync('{packages,apps}/*/dist/libraries/*', { cwd: repositoryRoot }).sort();
    expect(files.map((file) => basename(file))).toEqual(
      expect.arrayContaining(['express.cjs', 'handlebars.cjs', 'jsonwebtoken.cjs', 'send.cjs', 'undici.cjs']),
    );
    for (const file of files) {
      const library = load(join(repositoryRoot, file)) as Readonly<Record<string, unknown>>;
      const parts = Object.values(library);
      expect(parts.length).toBeGreaterThan(0);
      for (const part of parts) expect(['function', 'object']).toContain(typeof part);
    }
  });

  it('knows a format that an application registers', () => {
    const program = `
      import { callTool, createRouteTable, defineRoute, Type } from '@waymark/contract';
      import { anonymous } from '@waymark/contract/principal';
      import { createDispatcher } from '@waymark/core-routes';
      import { Format } from 'typebox/format';
      Format.Set('even', (text) => text.length % 2 === 0);
      const input = { word: Type.String({ format: 'even' }) };
      const table = createRouteTable([defineRoute('GET', '/words', { input, tool: true }, ({ word }) => word)]).freeze();
      const dispatcher = createDispatcher(table);
      for (const word of ['even', 'odd']) {
        const call = { principal: anonymous(), via: 'mcp', requestId: '1', route: table.tool('get_words') };
        console.log(JSON.stringify(await callTool(dispatcher, { ...call, arguments: { word } })));
      }`;
    const [even, odd] = outputOf(program).trim().split('\n');
    expect(even).toContain('"even"');
    expect(odd).toContain('must match format \\"even\\"');
  });

  it('brings the licence of what was taken in, and maps that lead to sources that are published', () => {
    for (const { dir } of published) {
      const maps = globSync('dist/**/*.js.map', { cwd: join(repositoryRoot, dir) });
      for (const file of maps) {
        const path = join(repositoryRoot, dir, file);
        const { sources } = JSON.parse(readFileSync(path, 'utf8')) as { sources: string[] };
        const taken = sources.some((source) => source.includes('/node_modules/typebox/'));
        const own = sources.filter((source) => !source.includes('/node_modules/'));
        expect(own.filter((source) => !existsSync(join(path, '..', source)))).toEqual([]);
        if (!taken) continue;
        const licence = readFileSync(join(repositoryRoot, dir, 'dist/LICENSES.txt'), 'utf8');
        expect(licence).toContain('Haydn Paterson');
      }
    }
  });
});
