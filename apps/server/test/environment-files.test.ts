import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { environmentFiles } from '../src/cli/load/environment-files.ts';
import { applicationText, inFolder, waymark } from './command-line.ts';

/** Where the `.env` of a file is looked for, in a folder of its own outside of any package; relative to it. */
function lookedFor(files: readonly string[], file: string | undefined, workingDirectory = '.') {
  const before = process.cwd();
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'environment-')));
  onTestFinished(() => {
    process.chdir(before);
    rmSync(folder, { recursive: true });
  });
  for (const name of [...files, join(workingDirectory, 'any')]) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), '{}');
  }
  process.chdir(join(folder, workingDirectory));
  return environmentFiles(file).map((one) => one.replace(`${folder}/`, ''));
}

describe('the .env of an application', () => {
  it.each([
    ['beside its file', ['package.json'], 'application.ts', '.', ['.env']],
    ['above, in its package', ['package.json'], 'src/application.ts', '.', ['src/.env', '.env']],
    ['in each folder between', ['package.json'], 'a/b/x.ts', '.', ['a/b/.env', 'a/.env', '.env']],
    [
      'in no package further up',
      ['package.json', 'p/package.json'],
      '../p/src/x.ts',
      'q',
      ['p/src/.env', 'p/.env'],
    ],
    [
      'in the working directory above its package',
      ['p/package.json'],
      'p/src/x.ts',
      '.',
      ['p/src/.env', 'p/.env', '.env'],
    ],
    ['wherever the command is run', ['p/package.json'], '../p/src/x.ts', 'q', ['p/src/.env', 'p/.env']],
    ['above where the command is run', ['package.json'], 'application.ts', 'src', ['src/.env', '.env']],
    ['up to the working directory, without a package', [], 'src/application.ts', '.', ['src/.env', '.env']],
    ['nowhere above another folder, without a package', [], '../p/src/x.ts', 'q', ['p/src/.env']],
    ['beside a file that is not there', ['package.json'], undefined, 'src', ['src/.env', '.env']],
  ])('is looked for %s', (_, files, file, workingDirectory, found) => {
    verifies('config.env-file.project');
    expect(lookedFor(files, file, workingDirectory)).toEqual(found);
  });
});

/** A desk that lets in whoever has the key, in the package of this folder. */
const desk = applicationText(
  `application.apiKey('DESK_KEY', 'desk', { scopes: ['mcp', 'svc:admin'] })
  .get('/place', { tool: true, summary: 'Says which .env is read.' }, () => process.env.PLACE ?? null);`,
  `{ mcpScopes: ['mcp'], shutdownTimeout: 0.05 }`,
);
const variables = (place: string): string => `DESK_KEY=desk-key-of-the-test\nPLACE=${place}\n`;

function inProject(files: Readonly<Record<string, string>>): string {
  const folder = inFolder({ 'package.json': '{ "type": "module" }', 'src/application.ts': desk, ...files });
  vi.stubEnv('LOG_LEVEL', 'silent');
  for (const name of ['DESK_KEY', 'PLACE']) vi.stubEnv(name, undefined);
  return folder;
}

describe('waymark', () => {
  it.each([
    ['beside', { 'src/.env': variables('beside'), '.env': variables('root') }, '.', 'src/application.ts'],
    ['root', { '.env': variables('root') }, '.', 'src/application.ts'],
    ['root', { '.env': variables('root'), 'other/x': '' }, 'other', '../src/application.ts'],
    ['root', { '.env': variables('root') }, 'src', 'application.ts'],
  ])('reads the .env %s, in each command', async (place, files, at, file) => {
    verifies('config.env-file', 'config.env-file.project');
    process.chdir(join(inProject(files), at));
    for (const argv of [['check'], ['routes'], ['tools'], ['openapi'], ['typegen'], ['security']]) {
      vi.stubEnv('PLACE', undefined);
      await waymark(...argv, file);
      expect([argv, process.env['PLACE']]).toEqual([argv, place]);
    }
    expect(await waymark('tools', file, '--as', 'desk')).toMatchObject({ code: 0, err: '' });
    const argv = ['call', 'get_place', '--as', 'desk', '--file', file];
    expect(await waymark(...argv)).toEqual({ code: 0, out: `${place}\n`, err: '' });
  });

  it('reads that of the application that is found where none is named', async () => {
    inProject({ 'src/.env': `${variables('beside')}PORT=4711\n`, '.env': 'PORT=4712\n' });
    vi.stubEnv('PORT', undefined);
    expect(await waymark('check')).toMatchObject({ code: 0, err: '' });
    vi.stubEnv('PORT', undefined);
    const { out } = await waymark('mcp-config', '--client', 'claude');
    expect(out).toContain('127.0.0.1:4711');
  });

  it('says what is not set where the only .env is of another project', async () => {
    verifies('config.env-file.project');
    const folder = inProject({ '.env': variables('outside'), 'p/package.json': '{}', 'p/src/x.ts': desk });
    process.chdir(join(folder, 'p'));
    const { code, out } = await waymark('check', 'src/x.ts');
    expect(code).toBe(78);
    expect(out).toContain('DESK_KEY');
    expect(process.env['PLACE']).toBeUndefined();
  });

  it('lets what is set win over the .env, and reads one alone', async () => {
    inProject({ 'src/.env': 'DESK_KEY=desk-key-of-the-test\n', '.env': 'PLACE=root\n' });
    expect((await waymark('check')).code).toBe(0);
    expect(process.env['PLACE']).toBeUndefined();
    vi.stubEnv('PLACE', 'set');
    writeFileSync('src/.env', variables('beside'));
    expect((await waymark('check')).code).toBe(0);
    expect(process.env['PLACE']).toBe('set');
  });
});
