import { existsSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { toClient } from '@waymark/client-gen';
import { createRouteTable, defineRoute, Type } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import type { OpenApiDocument } from '@waymark/openapi';
import { describe, expect, it } from 'vitest';
import { applicationText, desk, inFolder, waymark } from './command-line.ts';

const files = { 'application.ts': desk };

describe('waymark typegen', () => {
  it('writes the client and what is beside it, into a file or as client.ts into a folder', async () => {
    verifies('cli.typegen');
    inFolder(files);
    const { code, out } = await waymark('typegen', '--out', 'desk.ts');
    expect({ code, out }).toEqual({
      code: 0,
      out: 'desk.ts is written\ndesk.control.ts is written\ndesk.runtime.ts is written\n',
    });
    const source = readFileSync('desk.ts', 'utf8');
    expect(source).toContain('getTicket(');
    expect(source).toContain("from './desk.runtime.ts'");
    const made = await waymark('typegen', '--out', 'made/here', '--imports', 'js', '--json');
    expect(JSON.parse(made.out)).toEqual({
      file: 'made/here/client.ts',
      fresh: false,
      files: ['client.ts', 'client.control.ts', 'client.runtime.ts'].map((name) => ({
        file: `made/here/${name}`,
        fresh: false,
      })),
    });
    expect(readFileSync('made/here/client.ts', 'utf8')).toContain("from './client.runtime.js'");
  });

  it('writes one module when that is asked for, for another ending, and to be read', async () => {
    verifies('cli.typegen');
    inFolder(files);
    expect((await waymark('typegen', '--out', 'one.ts', '--single-file')).out).toBe('one.ts is written\n');
    const source = readFileSync('one.ts', 'utf8');
    expect(source).not.toContain("from './");
    expect((await waymark('typegen', '--out', 'two.mts')).out).toBe('two.mts is written\n');
    expect(readFileSync('two.mts', 'utf8')).toBe(source);
    expect((await waymark('typegen')).out).toBe(source);
  });

  it('tells the client, and the document, how long the application may take', async () => {
    verifies('cli.typegen', 'client.timeouts');
    const slow =
      "application.get('/slow', () => 1).agent('front', { description: 'Answers.', exposeScopes: [] });";
    inFolder({ 'application.ts': applicationText(slow, '{ requestTimeout: 120, agentTimeout: 1200 }') });
    const { out: client } = await waymark('typegen');
    expect(client).toMatch(/getSlow: call\(\{[^}]*timeoutMs: 125_000,/);
    expect(client).toContain("front: agent('/agents/front', 1_205_000),");
    const { out: document } = await waymark('openapi');
    const { paths } = JSON.parse(document) as OpenApiDocument;
    expect(paths['/slow']?.get?.['x-waymark'].timeout_ms).toBe(120_000);
    expect(paths['/agents/front']?.post?.['x-waymark'].timeout_ms).toBe(1_200_000);
  });

  it.each(['client.js', 'client.mjs', 'client.tsx', 'client.json'])(
    'refuses %s, and makes no folder of it',
    async (out) => {
      inFolder(files);
      expect(await waymark('typegen', '--out', out)).toMatchObject({ code: 2, out: '' });
      expect(existsSync(out)).toBe(false);
    },
  );

  it('leaves a fresh file alone', async () => {
    inFolder(files);
    await waymark('typegen', '--out', 'client.ts');
    utimesSync('client.ts', 1, 1);
    expect((await waymark('typegen', '--out', 'client.ts')).out).toBe(
      'client.ts is fresh\nclient.control.ts is fresh\nclient.runtime.ts is fresh\n',
    );
    expect(statSync('client.ts').mtimeMs).toBe(1000);
  });

  it('ends with 1 on drift when it is only to check, and writes nothing', async () => {
    inFolder(files);
    const missing = await waymark('typegen', '--out', 'client.ts', '--check');
    expect(missing).toMatchObject({ code: 1, out: '' });
    expect(missing.err).toContain('client.ts is not what the application gives');
    expect(existsSync('client.ts')).toBe(false);
    await waymark('typegen', '--out', 'client.ts');
    expect((await waymark('typegen', '--out', 'client.ts', '--check')).code).toBe(0);
    writeFileSync('client.ts', `${readFileSync('client.ts', 'utf8')}\n`);
    const { code, out } = await waymark('typegen', '--out', 'client.ts', '--check', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      fresh: false,
      files: [{ file: 'client.ts', fresh: false }, { fresh: true }, { fresh: true }],
    });
  });

  it.each([
    ['typegen', 'application.ts', 'holds something else than a generated client'],
    ['openapi', 'application.ts', 'holds something else than an OpenAPI document'],
  ])('%s does not write over %s', async (command, file, words) => {
    inFolder(files);
    const before = readFileSync(file, 'utf8');
    const { code, err } = await waymark(command, '--out', file);
    expect(code).toBe(2);
    expect(err).toContain(words);
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  it('changes the lines of the route that changed, and no others', async () => {
    const other = applicationText(`application.get('/a', { output: Type.Integer() }, () => 1);
application.get('/b', { output: Type.Integer() }, () => 1);`);
    inFolder({
      'a.ts': other,
      'b.ts': other.replace("'/b', { output: Type.Integer()", "'/b', { output: Type.String()"),
    });
    const before = (await waymark('typegen', 'a.ts')).out.split('\n');
    const after = (await waymark('typegen', 'b.ts')).out.split('\n');
    expect(after).toHaveLength(before.length);
    const changed = after.filter((line, i) => line !== before[i]);
    expect(changed).toHaveLength(1);
    expect(changed[0]).toBe('export type GetBOutput = string;');
  });

  it('writes the client of 500 routes in a second', () => {
    const Row = Type.Object({ id: Type.Integer(), name: Type.String(), tags: Type.Array(Type.String()) });
    const routes = Array.from({ length: 500 }, (_, i) =>
      defineRoute(
        'POST',
        `/things${i}/{id}`,
        {
          input: { id: Type.Integer(), name: Type.String(), on: Type.Boolean({ default: false }) },
          output: Row,
        },
        () => ({ id: 1, name: '', tags: [] }),
      ),
    );
    const table = createRouteTable(routes);
    const begunMs = performance.now();
    const source = toClient(table, { title: 'many' });
    const tookMs = performance.now() - begunMs;
    expect(source.match(/^ {2}postThings\d+ById|^ {2}createThings\d+ById/gm)).toHaveLength(500);
    // A second on an idle machine is the goal; here others work, too.
    expect(tookMs).toBeLessThan(4000);
  });
});
