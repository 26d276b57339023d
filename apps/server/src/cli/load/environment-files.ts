import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/**
 * Where the `.env` of an application is looked for, the first there is being the one that is read: beside its file, then in
 * the folders above it, up to that of the package it belongs to, or to the working directory where there is no package.
 * What lies further up may be of another project.
 *
 * @param file of the application; undefined for what would be in the working directory
 */
export function environmentFiles(file: string | undefined): readonly string[] {
  const own = file === undefined ? resolve() : dirname(resolve(file));
  const folders = [own, ...above(own)];
  const isPackage = (folder: string): boolean => existsSync(join(folder, 'package.json'));
  const last = folders.find(isPackage) ?? folders.find((one) => relative(one, resolve()) === '') ?? own;
  return folders.slice(0, folders.indexOf(last) + 1).map((folder) => join(folder, '.env'));
}

function above(folder: string): readonly string[] {
  const parent = dirname(folder);
  return parent === folder ? [] : [parent, ...above(parent)];
}
