import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import type { ClientFile } from '../src/index.ts';
import { makeProject, repositoryRoot } from './generated.ts';

/** Compiles a client in somebody's project, for Node.js and for browsers, and holds it to the rules of this repository. */
export async function expectClean(
  source: string | readonly ClientFile[],
  more = "export * from './client.ts';\n",
): Promise<void> {
  const project = await makeProject(source);
  const names = typeof source === 'string' ? ['client.ts'] : source.map(({ name }) => name);
  try {
    await project.write('usage.ts', more);
    const node = { extends: join(repositoryRoot, 'tsconfig.base.json'), include: ['*.ts'] };
    const browser = { ...node, compilerOptions: { lib: ['es2023', 'dom', 'dom.iterable'], types: [] } };
    await project.write('tsconfig.json', JSON.stringify(node));
    await project.write('tsconfig.browser.json', JSON.stringify(browser));
    const rules = JSON.parse(await readFile(join(repositoryRoot, 'biome.json'), 'utf8')) as object;
    await project.write('biome.json', JSON.stringify({ ...rules, vcs: { enabled: false } }));
    const run = (program: string, ...given: readonly string[]) =>
      promisify(execFile)(join(repositoryRoot, 'node_modules/.bin', program), given, { cwd: project.folder });
    await expect(run('tsc', '-p', 'tsconfig.json')).resolves.toMatchObject({ stdout: '' });
    await expect(run('tsc', '-p', 'tsconfig.browser.json')).resolves.toMatchObject({ stdout: '' });
    await expect(
      run('biome', 'check', '--error-on-warnings', '--colors=off', ...names),
    ).resolves.toMatchObject({ stderr: '' });
  } finally {
    await project.remove();
  }
}
