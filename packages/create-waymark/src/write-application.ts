import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { CreateError } from './create-error.ts';
import { findTarballs } from './find-tarballs.ts';
import { ownFolder } from './own-package.ts';
import type { TemplateName } from './templates.ts';
import { toManifest } from './to-manifest.ts';

/** What an application is written from. */
export interface WriteOptions {
  readonly template: TemplateName;
  /** A folder of packed packages, instead of the registry. */
  readonly source?: string | undefined;
}

/** Names that npm keeps for itself; in a folder of the first one node runs no TypeScript. */
const refusedNames: ReadonlySet<string> = new Set(['node_modules', 'favicon.ico']);

/** What the names in a template are replaced by. */
const placeholder = 'my-application';

/** What every application has. */
const common = 'common';

/**
 * Writes a new application into a folder that is empty or not there.
 *
 * @returns the files, relative to the folder
 * @throws {CreateError} no folder, one that holds something, a name that npm does not take
 */
export function writeApplication(folder: string, { template, source }: WriteOptions): readonly string[] {
  const name = toName(folder);
  const tarballs = source === undefined ? undefined : findTarballs(source);
  const manifest = `${JSON.stringify(toManifest(name, template, tarballs), null, 2)}\n`;
  const files = new Map([...readTemplate(template), ['package.json', manifest] as const]);
  try {
    makeFolder(resolve(folder));
    // The folder may be a link, which would be overwritten.
    const target = realpathSync(folder);
    for (const [file, text] of files) {
      makeFolder(dirname(join(target, file)));
      writeFileSync(join(target, file), text.replaceAll(placeholder, name));
    }
  } catch (cause) {
    throw new CreateError(`the folder ${folder} cannot be made`, { exitCode: 1, cause });
  }
  return [...files.keys()].toSorted();
}

/** The name of the package that a folder becomes. */
function toName(folder: string): string {
  // Empty is where one stands, and a variable that is not set.
  if (folder === '') throw new CreateError('the name of the folder is empty; name a folder');
  const name = basename(resolve(folder)).toLowerCase();
  if (!/^[a-z0-9][a-z0-9._-]{0,213}$/.test(name) || refusedNames.has(name))
    throw new CreateError(`"${name}" cannot be the name of a package`);
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found && !found.isDirectory()) throw new CreateError(`${folder} is a file; name a folder`);
  if (found && readdirSync(folder).length > 0)
    throw new CreateError(`${folder} is not empty; name another folder`);
  return name;
}

/**
 * Reads what is common to all templates, and what one has besides: a file of both is that of the template, followed by the
 * common one.
 */
function readTemplate(template: TemplateName): ReadonlyMap<string, string> {
  const files = new Map(readFiles(ownFolder(`templates/${template}`)));
  for (const [name, text] of readFiles(ownFolder(`templates/${common}`))) {
    const own = files.get(name);
    files.set(name, own === undefined ? text : `${own}\n${text}`);
  }
  return files;
}

/** npm leaves some files out of a package whose names begin with a dot: `_gitignore` is `.gitignore`. */
function readFiles(folder: string): readonly (readonly [name: string, text: string])[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  return files.map(({ parentPath, name }) => {
    const path = join(parentPath, name);
    const shown = relative(folder, path).split(/[\\/]/).map(withDot).join('/');
    return [shown, readFileSync(path, 'utf8')];
  });
}

function withDot(name: string): string {
  return name.replace(/^_/, '.');
}

/**
 * Makes a folder and those above it that are missing, one by one: all at once, node never returns where the system allows
 * none, as below /proc.
 */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder);
}
