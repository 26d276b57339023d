import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { promisify } from 'node:util';
import { repositoryRoot, type Workspace } from './workspace.ts';

/** What npm says of a tarball that it made. */
export interface Packed {
  readonly name: string;
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

const maxOutputBytes = 2 ** 28;

/** Packs what was built of workspaces into a folder, as a registry would get it. */
export async function packWorkspaces(
  workspaces: readonly Workspace[],
  folder: string,
): Promise<readonly Packed[]> {
  await mkdir(folder, { recursive: true });
  const names = workspaces.map(({ manifest }) => `--workspace=${manifest.name}`);
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder, ...names];
  const options = { cwd: repositoryRoot, maxBuffer: maxOutputBytes };
  const { stdout } = await promisify(execFile)('npm', args, options);
  return JSON.parse(stdout) as Packed[];
}
