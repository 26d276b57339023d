import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bringUp } from '../lib/bring-up.ts';
import { repositoryRoot } from '../lib/workspace.ts';

/** A repository of two packages, `door` and `bell`, and what is said while they are built. */
function plant(): {
  readonly root: string;
  write(file: string, text: string): void;
  up(): Promise<string[]>;
} {
  const root = mkdtempSync(join(tmpdir(), 'waymark-bring-up-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const write = (file: string, text: string): void => {
    mkdirSync(join(root, file, '..'), { recursive: true });
    writeFileSync(join(root, file), text);
  };
  write('package.json', JSON.stringify({ workspaces: ['packages/*'] }));
  for (const name of ['door', 'bell']) {
    const entry = { '@waymark/source': './src/index.ts', default: './dist/index.js' };
    const manifest = { name, type: 'module', exports: { '.': entry }, devDependencies: { ulid: '3.0.2' } };
    write(`packages/${name}/package.json`, JSON.stringify(manifest));
    write(`packages/${name}/src/index.ts`, `export const name: string = '${name}';\n`);
  }
  mkdirSync(join(root, 'node_modules'));
  symlinkSync(join(repositoryRoot, 'node_modules/ulid'), join(root, 'node_modules/ulid'));
  const up = async (): Promise<string[]> => {
    const said: string[] = [];
    await bringUp(root, (line) => said.push(line));
    return said;
  };
  return { root, write, up };
}

describe('bringUp', () => {
  it('builds all at first, then only what has changed, and says so in a line', async () => {
    verifies('start.built');
    const { root, write, up } = plant();
    expect(await up()).toEqual(['building 2 packages …']);
    expect(await up()).toEqual([]);
    write('packages/bell/src/index.ts', "export const name = 'a louder bell';\n");
    expect(await up()).toEqual(['building packages/bell …']);
    const built = pathToFileURL(join(root, 'packages/bell/dist/index.js')).href;
    expect(await import(built)).toMatchObject({ name: 'a louder bell' });
  });

  it('builds what somebody has taken away', async () => {
    const { root, up } = plant();
    await up();
    rmSync(join(root, 'packages/door/dist'), { recursive: true });
    expect(await up()).toEqual(['building packages/door …']);
    expect(existsSync(join(root, 'packages/door/dist/index.js'))).toBe(true);
  });

  it('names the package and the file that cannot be read, and tries it again', async () => {
    const { write, up } = plant();
    write('packages/bell/src/index.ts', "export { name } from './name.ts';\n");
    write('packages/bell/src/name.ts', 'export const name = ;\n');
    await expect(up()).rejects.toThrow(/^packages\/bell: [\s\S]*src\/name\.ts:1:21/);
    await expect(up()).rejects.toThrow(/^packages\/bell: /);
    write('packages/bell/src/name.ts', "export const name = 'bell';\n");
    expect(await up()).toEqual(['building packages/bell …']);
  });

  it('takes in what development needs, with its licence, and leaves no file of before', async () => {
    const { root, write, up } = plant();
    write('packages/bell/src/index.ts', "export { ulid } from 'ulid';\n");
    write('packages/bell/dist/old.js', '');
    await up();
    expect(readFileSync(join(root, 'packages/bell/dist/LICENSES.txt'), 'utf8')).toMatch(
      /^ulid@3\.0\.2\n\n.*MIT/,
    );
    expect(readFileSync(join(root, 'packages/bell/dist/index.js'), 'utf8')).not.toContain("from 'ulid'");
    expect(existsSync(join(root, 'packages/bell/dist/old.js'))).toBe(false);
    expect(existsSync(join(root, 'packages/door/dist/LICENSES.txt'))).toBe(false);
  });
});
