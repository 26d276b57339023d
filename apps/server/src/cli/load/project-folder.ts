import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** A folder, and those above it, the nearest first. */
export function withFoldersAbove(folder: string): readonly string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...withFoldersAbove(parent)];
}

/** Whether a folder is that of a package. */
export function isPackage(folder: string): boolean {
  return existsSync(join(folder, 'package.json'));
}

/** The folder of the package that a file belongs to, else the one it lies in. */
export function projectFolder(file: string): string {
  const own = dirname(resolve(file));
  return withFoldersAbove(own).find(isPackage) ?? own;
}
