import {
  cpSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { Failure } from '../output/failure.ts';
import { makeFolder } from '../output/make-folder.ts';
import { UsageError } from '../output/usage-error.ts';
import { ownPackage, ownPath } from '../own-package.ts';
import { findTarballs } from './tarballs.ts';

const templates = ownPath('templates');

/** The templates there are. */
export function templateNames(): readonly string[] {
  return readdirSync(templates);
}

/** Names that npm keeps for itself; in a folder of the first one node runs no TypeScript. */
const refusedNames: ReadonlySet<string> = new Set(['node_modules', 'favicon.ico']);

/** What the names in a template are replaced by. */
const placeholder = 'my-application';

/** The versions that a new application begins with; a test holds them to those that this one is built with. */
export const devDependencies = { '@types/node': '^24.0.0', ky: '2.1.0', typescript: '7.0.2' } as const;

/**
 * Writes a new application into a folder that is empty or not there.
 *
 * @param source a folder of packed packages, instead of the registry
 * @returns the files
 * @throws {UsageError} no folder, one that holds something, a name that npm does not take
 */
export function writeApplication(
  folder: string,
  { template, source }: { readonly template: string; readonly source?: string | undefined },
): readonly string[] {
  // Empty is where one stands, and a variable that is not set.
  if (folder === '') throw new UsageError('the name of the folder is empty; name a folder');
  const name = basename(resolve(folder)).toLowerCase();
  if (!/^[a-z0-9][a-z0-9._-]{0,213}$/.test(name) || refusedNames.has(name))
    throw new UsageError(`"${name}" cannot be the name of a package`);
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found && !found.isDirectory()) throw new UsageError(`${folder} is a file; name a folder`);
  if (found && readdirSync(folder).length > 0)
    throw new UsageError(`${folder} is not empty; name another folder`);
  const tarballs = source === undefined ? undefined : findTarballs(source);
  try {
    makeFolder(resolve(folder));
  } catch (cause) {
    throw new Failure(`the folder ${folder} cannot be made`, { cause });
  }
  // The folder may be a link, which would be overwritten.
  cpSync(join(templates, template), realpathSync(folder), { recursive: true });
  // npm leaves a file of that name out of a package.
  renameSync(join(folder, 'gitignore'), join(folder, '.gitignore'));
  for (const file of ['application.ts', 'README.md']) {
    const path = join(folder, file);
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(placeholder, name));
  }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(toManifest(name, tarballs), null, 2)}\n`);
  return readdirSync(folder);
}

function toManifest(name: string, tarballs: Readonly<Record<string, string>> | undefined): object {
  const { '@waymark/server': server = `^${ownPackage().version}`, ...others } = tarballs ?? {};
  return {
    ...{ name, version: '0.1.0', private: true, type: 'module' },
    // Older ones do not run TypeScript as it is.
    engines: { node: '>=22.18' },
    scripts: {
      dev: 'waymark dev',
      start: 'waymark start',
      test: 'node --test',
      check: 'tsc && waymark check',
      client: 'waymark typegen --out client.ts',
    },
    dependencies: { '@waymark/server': server },
    devDependencies,
    ...(tarballs && { overrides: others }),
  };
}
