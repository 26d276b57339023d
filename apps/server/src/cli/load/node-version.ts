import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { withFoldersAbove } from './project-folder.ts';

/** Whether this Node runs TypeScript as it is. */
export function runsTypeScript(): boolean {
  return Boolean(process.features.typescript);
}

/** What to do where Node does not, for somebody in a folder: an application may bring a Node of its own. */
export function typeScriptAdvice(folder: string): string {
  const own = withFoldersAbove(folder).find((one) => existsSync(join(one, 'node_modules', 'node')));
  if (own === undefined) return 'take Node 22.18 or newer, or npm install --save-dev node@24';
  return existsSync(join(own, 'node_modules', 'node', 'bin', 'node'))
    ? 'npm run and npx take the Node that this application brings'
    : 'npm rebuild node brings the one of this application, whose install script did not run';
}
