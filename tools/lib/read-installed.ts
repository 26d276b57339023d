import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** What npm has installed, by its folder. */
export type Lock = Readonly<Record<string, { readonly dev?: boolean; readonly link?: boolean }>>;

/** Reads the lock file of npm in a folder. */
export function readLock(folder: string): Lock {
  const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
    readonly packages: Lock;
  };
  return lock.packages;
}

/**
 * The names of what is installed in the project of the current folder, one of several of the folder above it, but for those
 * that only developers need.
 */
export function readInstalled(): ReadonlySet<string> {
  const folder = 'node_modules/';
  const own = `${basename(process.cwd())}/${folder}`;
  return new Set(
    Object.entries(readLock('..'))
      .filter(([path, { dev }]) => path.startsWith(own) && !dev)
      .map(([path]) => path.slice(path.lastIndexOf(folder) + folder.length)),
  );
}
