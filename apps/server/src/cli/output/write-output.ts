import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from './failure.ts';
import { makeFolder } from './make-folder.ts';
import { UsageError } from './usage-error.ts';

/** Writes what `--out` names, and makes the folders it lies in. @throws {Failure} when that cannot be done, in one line */
export function writeOutput(file: string, text: string): void {
  try {
    makeFolder(dirname(file));
    writeFileSync(file, text);
  } catch (cause) {
    throw new Failure(`cannot write ${file}: ${reason(cause as NodeJS.ErrnoException)}`, { cause });
  }
}

/**
 * Leaves alone what somebody wrote: the application itself, maybe.
 *
 * @param own how what was written here before begins
 * @throws {UsageError} the file holds something else
 */
export function refuseOthers(file: string, own: RegExp, title: string): void {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return;
  const text = readFileSync(file, 'utf8');
  if (text.trim() !== '' && !own.test(text))
    throw new UsageError(`${file} holds something else than ${title}; name another file`);
}

function reason({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'EISDIR') return 'it is a folder; name a file in it';
  if (code === 'ENOTDIR' || code === 'EEXIST') return 'a part of the path is a file';
  if (code === 'ENOENT') return 'its folder cannot be made';
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return 'this user may not';
  if (code === 'ENOSPC') return 'there is no space left';
  return message;
}
