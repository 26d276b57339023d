import { closeSync, constants, copyFileSync, fsyncSync, linkSync, openSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';

/** Gives a file a second name, which nobody has yet; a copy where the file system has no such names. @throws EEXIST */
export function addName(file: string, name: string): void {
  try {
    linkSync(file, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error;
    copyFileSync(file, name, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  }
}

/** Puts a file in the place of another one, or where there is none, at once and for good. */
export function putInPlace(file: string, place: string): void {
  renameSync(file, place);
  keepNames(dirname(place));
}

/** Takes the names in a folder to the disk. */
export function keepNames(folder: string): void {
  let open: number | undefined;
  try {
    open = openSync(folder, 'r');
    fsyncSync(open);
  } catch {
    // Some systems open no folders: there names are kept by themselves.
  } finally {
    if (open !== undefined) closeSync(open);
  }
}
