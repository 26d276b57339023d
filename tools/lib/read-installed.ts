import { readFileSync } from 'node:fs';

/** The names in the lock file of npm in the current folder, but for those that only developers need. */
export function readInstalled(): ReadonlySet<string> {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>;
  };
  const folder = 'node_modules/';
  return new Set(
    Object.entries(lock.packages)
      .filter(([path, { dev }]) => path !== '' && !dev)
      .map(([path]) => path.slice(path.lastIndexOf(folder) + folder.length)),
  );
}
