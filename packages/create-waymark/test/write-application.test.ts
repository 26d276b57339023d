import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { CreateError, type TemplateName, templateNames, writeApplication } from '../src/index.ts';
import { devDependencies } from '../src/to-manifest.ts';
import { inFolder } from './in-folder.ts';

const root = join(import.meta.dirname, '..', '..', '..');

const common = [
  ...['.dockerignore', '.gitignore', '.vscode/extensions.json', '.vscode/launch.json'],
  ...['.vscode/settings.json', 'AGENTS.md', 'Dockerfile', 'README.md', 'application.test.ts'],
  ...['application.ts', 'package.json', 'tsconfig.json'],
];
const own: Readonly<Record<TemplateName, readonly string[]>> = {
  minimal: [],
  agent: ['simulator.ts'],
  camera: ['simulated-camera.ts', 'simulator.ts'],
  data: ['templates/notes.hbs'],
};

function readJson(path: string): Record<string, unknown> {
  return JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
}

describe('writeApplication', () => {
  it.each(templateNames)('writes the files of %s, under the name of its folder', (template) => {
    verifies('getting.templates');
    inFolder();
    const files = writeApplication('my desk/Support', { template });
    expect(files).toEqual([...common, ...own[template]].toSorted());
    expect(readdirSync('my desk/Support', { recursive: true })).toEqual(expect.arrayContaining([...files]));
    const all = files.map((file) => readFileSync(join('my desk/Support', file), 'utf8'));
    expect(all.join('\n')).not.toContain('my-application');
    expect(readFileSync('my desk/Support/application.ts', 'utf8')).toContain(`createApplication('support'`);
    // What one has, and behind it what all have.
    expect(readFileSync('my desk/Support/README.md', 'utf8')).toMatch(/^# support\n[\s\S]+\n## Commands\n/);
    expect(readFileSync('my desk/Support/AGENTS.md', 'utf8')).toMatch(/^# support\n[\s\S]+\n## Rules\n/);
  });

  it('hides what must not be told from git and from Docker', () => {
    verifies('getting.secrets');
    inFolder();
    writeApplication('desk', { template: 'data' });
    const ignored = readFileSync('desk/.gitignore', 'utf8').split('\n');
    expect(ignored).toEqual(expect.arrayContaining(['.env', '.waymark', 'node_modules', '*.db']));
    // `.env` and `.waymark` are among them.
    expect(readFileSync('desk/.dockerignore', 'utf8')).toMatch(/^\.\*\nnode_modules\n\*\.db$/m);
  });

  it('depends on the version that wrote it, and on the simulator where models are asked', () => {
    inFolder();
    const { version } = readJson(join(root, 'apps/server/package.json'));
    const ours = `^${String(version)}`;
    for (const template of templateNames) {
      writeApplication(template, { template });
      const manifest = readJson(`${template}/package.json`);
      expect(manifest).toMatchObject({ name: template, dependencies: { '@waymark/server': ours } });
      expect(manifest).not.toHaveProperty('overrides');
      const asksModels = template === 'agent' || template === 'camera';
      expect(manifest['devDependencies']).toEqual({
        ...devDependencies,
        ...(asksModels && { '@waymark/model-simulator': ours }),
      });
    }
  });

  it('begins with the versions that this repository is built with, and brings its Node', () => {
    verifies('getting.own-node');
    const { devDependencies: ours, allowScripts } = readJson(join(root, 'package.json'));
    const { dependencies } = readJson(join(root, 'packages/client/package.json'));
    expect({ ...(ours as object), ...(dependencies as object) }).toMatchObject(devDependencies);
    inFolder();
    writeApplication('desk', { template: 'minimal' });
    expect(allowScripts).toMatchObject({ node: true });
    expect(readJson('desk/package.json')).toMatchObject({ allowScripts: { node: true } });
    expect(readFileSync('desk/Dockerfile', 'utf8')).toContain(`FROM node:${devDependencies.node}-`);
  });

  it('runs node in the image as the image of the reference application does', () => {
    inFolder();
    writeApplication('desk', { template: 'minimal' });
    const settings = (file: string): readonly string[] =>
      readFileSync(file, 'utf8').match(/"--[^"]+"|(?:LD_PRELOAD|MALLOC_CONF)=\S+/g) ?? [];
    expect(settings('desk/Dockerfile').length).toBeGreaterThan(4);
    expect(settings('desk/Dockerfile')).toEqual(settings(join(root, 'Dockerfile')));
  });

  it('begins npm test with what fails on a Node that would find no tests', () => {
    verifies('getting.old-node');
    inFolder();
    writeApplication('desk', { template: 'minimal' });
    expect(readJson('desk/package.json')).toMatchObject({
      scripts: { pretest: 'waymark check --dev', test: 'node --test' },
    });
  });

  it('writes into the folder that a link leads to, and refuses a file', () => {
    inFolder();
    mkdirSync('there');
    symlinkSync('there', 'desk');
    writeApplication('desk', { template: 'minimal' });
    expect(readJson('there/package.json')).toMatchObject({ name: 'desk' });
    expect(() => writeApplication('there/package.json', { template: 'minimal' })).toThrow(
      'there/package.json is a file; name a folder',
    );
  });

  it('says of a folder that cannot be made that it is the fault of the machine', () => {
    const write = (): unknown => writeApplication('/proc/none/desk', { template: 'minimal' });
    expect(write).toThrow(
      new CreateError('the folder /proc/none/desk cannot be made', { exitCode: 1, cause: expect.anything() }),
    );
    expect(write).toThrow(expect.objectContaining({ exitCode: 1 }));
  });

  it('refuses a folder that holds something, and leaves it as it is', () => {
    inFolder({ 'desk/notes.txt': 'mine', 'empty/none': '' });
    expect(() => writeApplication('desk', { template: 'minimal' })).toThrow('desk is not empty');
    expect(readdirSync('desk')).toEqual(['notes.txt']);
    mkdirSync('free');
    expect(writeApplication('free', { template: 'minimal' })).toContain('application.ts');
  });

  it.each([
    ['', 'the name of the folder is empty'],
    ['_desk', '"_desk" cannot be the name of a package'],
    ['node_modules', '"node_modules" cannot be the name of a package'],
  ])('refuses the folder %j, and writes nothing', (folder, words) => {
    inFolder();
    writeFileSync('package.json', 'mine');
    expect(() => writeApplication(folder, { template: 'minimal' })).toThrow(words);
    expect(readdirSync('.')).toEqual(['package.json']);
    expect(readFileSync('package.json', 'utf8')).toBe('mine');
  });

  it('takes the packages from a folder of tarballs', () => {
    const folder = inFolder({
      'waymark-server-0.1.0.tgz': '',
      'waymark-client-gen-0.1.0.tgz': '',
      'waymark-model-simulator-0.1.0.tgz': '',
      'create-waymark-0.1.0.tgz': '',
      'other.tgz': '',
    });
    writeApplication('desk', { template: 'agent', source: '.' });
    const tarball = (name: string): string => `file:${folder}/${name}-0.1.0.tgz`;
    expect(readJson('desk/package.json')).toMatchObject({
      dependencies: { '@waymark/server': tarball('waymark-server') },
      devDependencies: { '@waymark/model-simulator': tarball('waymark-model-simulator') },
    });
    expect(readJson('desk/package.json')['overrides']).toEqual({
      '@waymark/client-gen': tarball('waymark-client-gen'),
      'create-waymark': tarball('create-waymark'),
    });
  });

  it.each([
    ['nowhere', 'nowhere cannot be read'],
    ['.', 'there is no waymark-server-<version>.tgz in .'],
  ])('refuses the tarballs of %s, and writes nothing', (source, words) => {
    inFolder();
    expect(() => writeApplication('desk', { template: 'minimal', source })).toThrow(words);
    expect(readdirSync('.')).toEqual([]);
  });
});
