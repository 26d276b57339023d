import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { isName } from './file-segments.ts';

/** What there is at a path. */
export type Found =
  | { readonly kind: 'file'; readonly handle: FileHandle; readonly stats: Stats }
  | { readonly kind: 'directory' }
  | { readonly kind: 'nothing' };

const nothing: Found = { kind: 'nothing' };

/** No way in through a link that came after the look, and no waiting for the other end of a pipe. */
const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Opens a file below a root. Whoever gets a handle closes it.
 *
 * Links are followed as long as they stay inside (decision 5.6): the real path is looked up, then that path is opened,
 * and looked up once more, so that nothing that was put in its way in between is read.
 *
 * @param root a real path
 * @throws {Error} what is no fault of the path: too many open files, an input error
 */
export async function openFile(root: string, segments: readonly string[]): Promise<Found> {
  let handle: FileHandle | undefined;
  try {
    const path = await realpath(join(root, ...segments));
    if (!isInside(root, path)) return nothing;
    handle = await open(path, flags);
    const [stats, again] = await Promise.all([handle.stat(), realpath(path)]);
    if (again === path && stats.isFile()) return { kind: 'file', handle, stats };
    await handle.close();
    return again === path && stats.isDirectory() ? { kind: 'directory' } : nothing;
  } catch (error) {
    await handle?.close();
    if (isAbsent(error)) return nothing;
    throw error;
  }
}

/** The name of a link says nothing of what it leads to: that must not be hidden either. */
function isInside(root: string, path: string): boolean {
  const below = relative(root, path);
  return below === '' || below.split(sep).every(isName);
}

/** Not there, not to be read by us, or no name of this system: all the same to whoever asks. */
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
