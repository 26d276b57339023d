import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { expect, it, onTestFinished } from 'vitest';
import { machineNode, newcomer, sh } from './newcomer.ts';

const root = join(import.meta.dirname, '..', '..');
const folders = ['packages', 'apps'];

it('npx waymark runs from the sources of a clone that was not built', async () => {
  verifies('getting.clone');
  const folder = mkdtempSync(join(tmpdir(), 'clone-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  // What git has, or will have, and nothing that was built.
  const list = ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate'];
  const files = execFileSync('git', [...list, 'package.json', ...folders], { cwd: root, maxBuffer: 2 ** 26 });
  execFileSync('tar', ['-cf', join(folder, 'clone.tar'), '--ignore-failed-read', '-T', '-'], {
    cwd: root,
    input: files,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  execFileSync('tar', ['-xf', 'clone.tar'], { cwd: folder });
  install(folder);
  const env = newcomer(machineNode());
  await sh('npx waymark new desk --template data', folder, env);
  expect(readFileSync(join(folder, 'desk/application.ts'), 'utf8')).toContain("createApplication('desk'");
  expect(await sh('npx waymark check desk/application.ts --dev', folder, env)).toBe(
    '0 problems, 0 warnings\n',
  );
});

/** As npm would, with links: the workspaces of this clone, and the libraries of the other one. */
function install(clone: string): void {
  const from = join(root, 'node_modules');
  const to = join(clone, 'node_modules');
  mkdirSync(join(to, '@waymark'), { recursive: true });
  mkdirSync(join(to, '.bin'));
  for (const name of readdirSync(from))
    if (!/^(?:\.|@waymark$|create-waymark$)/.test(name)) symlinkSync(join(from, name), join(to, name));
  for (const dir of folders.flatMap((one) => readdirSync(join(clone, one)).map((name) => join(one, name)))) {
    const { name } = JSON.parse(readFileSync(join(clone, dir, 'package.json'), 'utf8')) as { name: string };
    symlinkSync(join(clone, dir), join(to, name));
  }
  symlinkSync(join(from, '.bin/node'), join(to, '.bin/node'));
  symlinkSync('../@waymark/server/bin/waymark.js', join(to, '.bin/waymark'));
}
