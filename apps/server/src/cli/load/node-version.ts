import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Failure } from '../output/failure.ts';
import { withFoldersAbove } from './project-folder.ts';
import { shown } from './source-place.ts';

/** Refuses an application that this Node does not run: no import of it, and no change to it, would help. @throws {Failure} */
export function refuseOldNode(file: string): void {
  if (!/\.[cm]?ts$/.test(file) || process.features.typescript) return;
  const path = resolve(file);
  throw new Failure(`${oldNodeText(path)}; ${oldNodeAdvice(dirname(path))}`);
}

/** That this Node does not run a file. */
export function oldNodeText(file: string): string {
  return `Node ${process.versions.node} does not run TypeScript, which ${shown(file)} is`;
}

/** What to do where Node does not, for somebody in a folder: an application may bring a Node of its own. */
export function oldNodeAdvice(folder: string): string {
  const own = withFoldersAbove(folder).find((one) => existsSync(join(one, 'node_modules', 'node')));
  if (own === undefined) return 'take Node 22.18 or newer, or npm install --save-dev node@24';
  return existsSync(join(own, 'node_modules', 'node', 'bin', 'node'))
    ? 'npm run and npx take the Node that this application brings'
    : 'npm rebuild node brings the one of this application, whose install script did not run';
}
