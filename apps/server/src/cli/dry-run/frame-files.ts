import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { UsageError } from '../output/usage-error.ts';

/** What the files of pictures in a folder are called; a file that is named itself may be called anything. */
const pictureNames = new Set(['.png', '.jpg', '.jpeg', '.gif', '.webp']);

/** `2.jpg` comes before `10.jpg`. */
const byName = new Intl.Collator('en', { numeric: true });

/** The files of the pictures that were named, in that order; a folder stands for the pictures in it, by name. */
export function findFrames(given: readonly string[]): readonly string[] {
  return given.flatMap((name) => {
    const found = statSync(name, { throwIfNoEntry: false });
    if (!found) throw new UsageError(`there is no file ${name}`);
    return found.isDirectory() ? picturesIn(name) : [name];
  });
}

/** @throws {UsageError} it cannot be read */
export function readFile(name: string): Uint8Array<ArrayBuffer> {
  try {
    return readFileSync(name);
  } catch (error) {
    throw new UsageError(`cannot read ${name}: ${(error as Error).message}`);
  }
}

function picturesIn(folder: string): readonly string[] {
  const found = readdirSync(folder, { withFileTypes: true })
    .filter((one) => !one.isDirectory() && pictureNames.has(extname(one.name).toLowerCase()))
    .map(({ name }) => name)
    .sort(byName.compare);
  if (found.length === 0)
    throw new UsageError(`there is no picture in ${folder}: none of ${[...pictureNames].join(', ')}`);
  return found.map((name) => join(folder, name));
}
