import { writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from './failure.ts';
import { makeFolder } from './make-folder.ts';

/** Writes what `--out` names, and makes the folders it lies in. @throws {Failure} when that cannot be done, in one line */
export function writeOutput(file: string, text: string): void {
  try {
    makeFolder(dirname(file));
    writeFileSync(file, text);
  } catch (cause) {
    throw new Failure(`cannot write ${file}: ${reason(cause as NodeJS.ErrnoException)}`, { cause });
  }
}

function reason({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'EISDIR') return 'it is a folder; name a file in it';
  if (code === 'ENOTDIR' || code === 'EEXIST') return 'a part of the path is a file';
  if (code === 'ENOENT') return 'its folder cannot be made';
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return 'this user may not';
  if (code === 'ENOSPC') return 'there is no space left';
  return message;
}
