import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { devDependencies } from '../src/cli/new/template.ts';
import { inFolder, waymark } from './command-line.ts';

const root = join(import.meta.dirname, '..', '..', '..');

function readJson(path: string): Record<string, unknown> {
  return JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
}

describe('waymark new', () => {
  it('writes an application, and says the next two commands', async () => {
    verifies('cli.new');
    inFolder();
    const { code, out, err } = await waymark('new', 'my desk/Support', '--yes');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toBe(
      `my desk/Support is ready. Next:\n\n  cd 'my desk/Support' && npm install\n  npm run dev\n`,
    );
    const files = readdirSync('my desk/Support').filter((name) => name !== '.git');
    expect(files.toSorted()).toEqual([
      ...[
        '.gitignore',
        'README.md',
        'application.test.ts',
        'application.ts',
        'package.json',
        'tsconfig.json',
      ],
    ]);
    expect(readFileSync('my desk/Support/application.ts', 'utf8')).toContain(`createApplication('support'`);
    expect(readFileSync('my desk/Support/README.md', 'utf8')).toMatch(/^# support\n/);
  });

  it('depends on the version that wrote it', async () => {
    inFolder();
    await waymark('new', 'desk');
    const { version } = readJson(join(root, 'apps/server/package.json'));
    expect(readJson('desk/package.json')).toMatchObject({
      name: 'desk',
      dependencies: { '@waymark/server': `^${String(version)}` },
    });
    expect(readJson('desk/package.json')).not.toHaveProperty('overrides');
  });

  it('begins with the versions that this repository is built with', () => {
    const { devDependencies: ours } = readJson(join(root, 'package.json'));
    const { dependencies } = readJson(join(root, 'packages/client/package.json'));
    expect({ ...(ours as object), ...(dependencies as object) }).toMatchObject(devDependencies);
  });

  it('writes into the folder that a link leads to, and refuses a file', async () => {
    inFolder();
    mkdirSync('there');
    symlinkSync('there', 'desk');
    expect(await waymark('new', 'desk')).toMatchObject({ code: 0 });
    expect(readJson('there/package.json')).toMatchObject({ name: 'desk' });
    expect(await waymark('new', 'there/package.json')).toMatchObject({
      code: 2,
      err: expect.stringContaining('there/package.json is a file; name a folder') as string,
    });
    expect(await waymark('new', '/proc/none/desk')).toMatchObject({
      code: 1,
      err: expect.stringContaining('the folder /proc/none/desk cannot be made') as string,
    });
  });

  it('refuses a folder that holds something, and leaves it as it is', async () => {
    inFolder();
    mkdirSync('desk');
    writeFileSync('desk/notes.txt', 'mine');
    const { code, err } = await waymark('new', 'desk');
    expect(code).toBe(2);
    expect(err).toContain('desk is not empty');
    expect(readdirSync('desk')).toEqual(['notes.txt']);
    mkdirSync('empty');
    expect((await waymark('new', 'empty')).code).toBe(0);
  });

  it('leaves the folder alone where it stands when none is named', async () => {
    inFolder();
    writeFileSync('package.json', 'mine');
    const before = readdirSync('.');
    const { code, err } = await waymark('new', '');
    expect(code).toBe(2);
    expect(err).toContain('the name of the folder is empty');
    expect(readdirSync('.')).toEqual(before);
    expect(readFileSync('package.json', 'utf8')).toBe('mine');
  });

  it.each([
    [['_desk'], '"_desk" cannot be the name of a package'],
    [['node_modules'], '"node_modules" cannot be the name of a package'],
    [
      ['desk', '--template', 'minimum'],
      'unknown template "minimum"; did you mean "minimal"? there are: minimal',
    ],
    [['desk', '--template', 'vue'], 'unknown template "vue"; there are: minimal'],
    [['desk', '--source', 'nowhere'], 'nowhere cannot be read'],
    [['desk', '--source', '.'], 'there is no waymark-server-<version>.tgz in .'],
    [[], 'FOLDER'],
  ])('ends with 2 for %j, and writes nothing', async (argv, words) => {
    inFolder();
    const { code, err } = await waymark('new', ...argv);
    expect(code).toBe(2);
    expect(err).toContain(words);
    expect(readdirSync('.')).toEqual([]);
  });

  it('takes the packages from a folder of tarballs', async () => {
    const folder = inFolder({
      'waymark-server-0.1.0.tgz': '',
      'waymark-client-gen-0.1.0.tgz': '',
      'other.tgz': '',
    });
    await waymark('new', 'desk', '--source', '.');
    expect(readJson('desk/package.json')).toMatchObject({
      dependencies: { '@waymark/server': `file:${folder}/waymark-server-0.1.0.tgz` },
      overrides: { '@waymark/client-gen': `file:${folder}/waymark-client-gen-0.1.0.tgz` },
    });
  });

  it('makes a git repository where there is none and git is there', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'new-command-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    vi.stubEnv('GIT_CEILING_DIRECTORIES', folder);
    const { out } = await waymark('new', join(folder, 'desk'), '--json');
    expect(JSON.parse(out)).toMatchObject({ git: true, template: 'minimal' });
    expect(existsSync(join(folder, 'desk/.git'))).toBe(true);
    expect(JSON.parse((await waymark('new', join(folder, 'desk/inner'), '--json')).out)).toMatchObject({
      git: false,
    });
    vi.stubEnv('PATH', folder);
    expect(await waymark('new', join(folder, 'other'), '--json')).toMatchObject({ code: 0 });
    expect(existsSync(join(folder, 'other/.git'))).toBe(false);
    vi.unstubAllEnvs();
  });
});
