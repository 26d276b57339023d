import { constants, open as openCallback, readlinkSync, realpath as realpathCallback } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { toFileFailure } from './file-failure.ts';
import { isServedBelow } from './is-served-below.ts';
import { OpenedFile } from './opened-file.ts';

/** What there is at a path. */
export type Found =
  | { readonly kind: 'file'; readonly file: OpenedFile }
  | { readonly kind: 'directory' }
  | { readonly kind: 'nothing' };

const nothing: Found = { kind: 'nothing' };

/** No way in through a link that came after the look, and no waiting for the other end of a pipe. */
const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** A file that is replaced the very moment it is opened is looked for again, so that an update is never a 404. */
const attempts = 5;

const realpath = promisify(realpathCallback.native);
const open = promisify(openCallback);

/**
 * Opens a file below a root. Whoever gets one closes it.
 *
 * Links are followed as long as they stay inside (decision 5.6): the real path is looked up, then that path is opened,
 * and what was opened must be there, so that nothing that was put in its way in between is read.
 *
 * @param root a real path
 * @throws {HTTPError} 503 while no more files can be opened, or the disk refuses · {Error} what is no fault of the path
 */
export async function openFile(root: string, segments: readonly string[]): Promise<Found> {
  try {
    for (let i = 0; i < attempts; i++) {
      const path = await realpath(join(root, ...segments));
      if (!isServedBelow(root, path)) return nothing;
      const fd = await open(path, flags);
      const file = new OpenedFile(fd);
      const isThere = await isAt(path, fd);
      if (isThere && file.stats.isFile()) return { kind: 'file', file };
      file.close();
      if (isThere) return file.stats.isDirectory() ? { kind: 'directory' } : nothing;
    }
    return nothing;
  } catch (error) {
    if (isAbsent(error)) return nothing;
    throw toFileFailure(error);
  }
}

/**
 * Whether an open file is at a path. Linux says of the file itself where it is, from memory, however links were swapped
 * meanwhile; elsewhere the path is looked up once more.
 */
async function isAt(path: string, fd: number): Promise<boolean> {
  try {
    if (process.platform === 'linux') return readlinkSync(`/proc/self/fd/${fd}`) === path;
  } catch {
    // A container may have no /proc.
  }
  return realpath(path).then(
    (again) => again === path,
    () => false,
  );
}

/** Tells whether a file is absent for callers: missing, not readable, or of an invalid name. */
function isAbsent(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code !== undefined && absentCodes.has(code);
}

const absentCodes = new Set([
  'EACCES',
  'EINVAL',
  'EISDIR',
  'ELOOP',
  'ENAMETOOLONG',
  'ENOENT',
  'ENOTDIR',
  'ENXIO',
  'EPERM',
]);
