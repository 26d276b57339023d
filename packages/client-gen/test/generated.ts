import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ClientFile } from '../src/index.ts';

/** The root of the repository, whose compiler, formatter and `ky` the tests use. */
export const repositoryRoot = join(import.meta.dirname, '../../..');

/** A folder outside the repository in which a generated client lives as in somebody's project. */
export interface Project {
  readonly folder: string;
  write(name: string, text: string): Promise<void>;
  load(name: string): Promise<unknown>;
  remove(): Promise<void>;
}

/** Makes a project; `client.ts` is the generated source, or the first of the generated files. */
export async function makeProject(source: string | readonly ClientFile[]): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), 'waymark-client-'));
  await symlink(join(repositoryRoot, 'node_modules'), join(folder, 'node_modules'));
  const write = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);
  await write('package.json', JSON.stringify({ type: 'module', dependencies: { ky: '2.1.0' } }));
  for (const file of typeof source === 'string' ? [{ name: 'client.ts', source }] : source)
    await write(file.name, file.source);
  return {
    folder,
    write,
    load: (name) => import(pathToFileURL(join(folder, name)).href),
    remove: () => rm(folder, { recursive: true }),
  };
}
