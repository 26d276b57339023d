import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readJson, readWorkspaces } from './workspace.ts';

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version?: string; readonly dev?: boolean }>>;
}

/**
 * What runs in production, as `name@version`: what is installed there, and what was taken into the files of our packages,
 * which is for development to npm. Those are the ones whose licences go along, so the packages have to be built.
 */
export function readRunning(root: string): ReadonlySet<string> {
  const folder = 'node_modules/';
  const { packages } = readJson<Lock>(join(root, 'package-lock.json'));
  const installed = Object.entries(packages)
    .filter(([path, { dev }]) => path.includes(folder) && !dev)
    .map(([path, { version }]) => `${path.slice(path.lastIndexOf(folder) + folder.length)}@${version}`);
  const takenIn = readWorkspaces(root).flatMap(({ dir }) => {
    const file = join(root, dir, 'dist/LICENSES.txt');
    if (!existsSync(file)) return [];
    return readFileSync(file, 'utf8').match(/^(?:@[\w.-]+\/)?[\w.-]+@\d+\.\d+\.\d+\S*$/gm) ?? [];
  });
  return new Set([...installed, ...takenIn]);
}
