import { relative, sep } from 'node:path';
import { isName } from './file-segments.ts';

/** Whether what is at a real path is served of a root: the name of a link says nothing of what it leads to, which must not be hidden either. */
export function isServedBelow(root: string, path: string): boolean {
  const below = relative(root, path);
  return below === '' || below.split(sep).every(isName);
}
