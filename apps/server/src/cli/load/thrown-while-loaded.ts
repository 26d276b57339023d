import { resolve, sep } from 'node:path';
import { ownPath } from '../own-package.ts';
import { ModuleError, toPlaceText } from './module-error.ts';
import { projectFolder } from './project-folder.ts';
import { framesOf } from './source-place.ts';

/** Calls that are named besides the place where it was thrown. */
const maxCallers = 4;

/** Causes that are told; one could be its own. */
const maxCauses = 5;

/**
 * Explains what the code of an application threw while it was loaded: its place, its words with those of its causes, and
 * the files of the application it came through. The rest of the stack is how node and this package load files.
 *
 * @param entry the file of the application
 * @returns undefined where no file of the application had a part in it
 */
export function thrownWhileLoaded(error: Error, entry: string): ModuleError | undefined {
  const home = projectFolder(entry) + sep;
  const own = framesOf(error.stack ?? '').filter(
    ({ file }) => resolve(file).startsWith(home) && !isForeign(resolve(file)),
  );
  const [at, ...callers] = own;
  if (at === undefined) return undefined;
  const through = [...new Set(callers.slice(0, maxCallers).map(toPlaceText))];
  const text = [
    `it throws while it is loaded: ${wordsOf(error)}`,
    ...(through.length > 0 ? [`called from ${through.join(', ')}`] : []),
  ].join('; ');
  return new ModuleError(text, undefined, at, error);
}

function isForeign(file: string): boolean {
  return (
    file.includes(`${sep}node_modules${sep}`) ||
    ['src', 'dist'].some((one) => file.startsWith(ownPath(one) + sep))
  );
}

function wordsOf(error: Error): string {
  const words: string[] = [];
  for (let one: unknown = error; one instanceof Error && words.length < maxCauses; one = one.cause)
    words.push(one.name === 'Error' ? one.message : `${one.name}: ${one.message}`);
  return words.join('; because of ');
}
