import { readlinkSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { isServedBelow } from './is-served-below.ts';

/** Files of the host that are no files of a site: `createPages` takes them. */
export interface HostFiles {
  /** What they are, in a sentence: `the database`. */
  readonly what: string;
  /** A file or folder, be it there or not, relative to the working directory. */
  readonly path: string;
  /** What stands behind its name in the names of files beside it: `-wal`; default: there are none. */
  readonly ends?: readonly string[];
}

/** What of the host a directory may hold by mistake. */
export interface HostSide {
  /**
   * Files that the host keeps for itself, such as its database: a directory of static files that would serve one is a problem,
   * and none is served under another name. None by default.
   */
  readonly keeps: readonly HostFiles[];
  /** Files and folders of the program: a finding where static files serve one. None by default. */
  readonly program: readonly HostFiles[];
}

/** What a directory would hand out of the host: `site/app.db, the database`; undefined where it would hand out nothing. */
export function findHostFile(root: string, files: readonly HostFiles[]): string | undefined {
  for (const one of files) {
    const found = pathsOf(one).find((path) => isServedBelow(root, path));
    if (found !== undefined) return `${shown(found)}, ${one.what}`;
  }
  return undefined;
}

/** Whether an open file is one of the host's, by another name: a second link to it, whenever that was made. */
export function isHostFile({ dev, ino, nlink }: Stats, files: readonly HostFiles[]): boolean {
  // Under its one name it is where the start looked: nearly every file ends here.
  if (nlink < 2) return false;
  return files.flatMap(pathsOf).some((path) => {
    const kept = statSync(path, { throwIfNoEntry: false });
    return kept?.dev === dev && kept.ino === ino;
  });
}

/** SQLite, too, puts what is beside a file where the links to that lead. */
function pathsOf({ path, ends = [] }: HostFiles): readonly string[] {
  const real = toRealPath(resolve(path), maxLinks);
  return ['', ...ends].map((end) => real + end);
}

/** Links that lead nowhere yet, one to the next; more are a circle for every system. */
const maxLinks = 40;

/** Where a path leads, though nothing may be there yet: a database is made by the first start. */
function toRealPath(path: string, links: number): string {
  try {
    return realpathSync.native(path);
  } catch {
    const folder = dirname(path);
    if (folder === path) return path;
    const place = join(toRealPath(folder, links), basename(path));
    const target = links > 0 ? targetOf(place) : undefined;
    return target === undefined ? place : toRealPath(resolve(dirname(place), target), links - 1);
  }
}

/** Undefined for what is no link. */
function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

function shown(path: string): string {
  const below = relative(process.cwd(), path);
  return below === '' ? 'the working directory' : below.split(sep)[0] === '..' ? path : below;
}
