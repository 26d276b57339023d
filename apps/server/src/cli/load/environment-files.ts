import { dirname, join, resolve } from 'node:path';
import { isPackage, withFoldersAbove } from './project-folder.ts';

/**
 * Where the `.env` of an application is looked for, the first there is being the one that is read: beside its file, then in
 * the folders above it, up to that of the package it belongs to, or to the working directory where that is further up: the
 * root of many packages. What lies above both may be of another project.
 *
 * @param file of the application; undefined for what would be in the working directory
 */
export function environmentFiles(file: string | undefined): readonly string[] {
  const own = file === undefined ? resolve() : dirname(resolve(file));
  const folders = withFoldersAbove(own);
  const last = Math.max(0, folders.findIndex(isPackage), folders.indexOf(resolve()));
  return folders.slice(0, last + 1).map((folder) => join(folder, '.env'));
}
