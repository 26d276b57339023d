import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { UsageError } from '../output/usage-error.ts';

/**
 * Finds the packed packages of the product in a folder, by their names as npm needs them in a manifest:
 * `@waymark/http` is in `waymark-http-0.1.0.tgz`.
 *
 * @throws {UsageError} a folder without the server
 */
export function findTarballs(folder: string): Readonly<Record<string, string>> {
  const packed = /^waymark-([a-z-]+)-\d+\.\d+\.\d+.*\.tgz$/;
  const found = Object.fromEntries(
    readdir(folder).flatMap((file) => {
      const [, name] = packed.exec(file) ?? [];
      return name === undefined ? [] : [[`@waymark/${name}`, `file:${join(resolve(folder), file)}`]];
    }),
  ) as Record<string, string>;
  if (found['@waymark/server'] === undefined)
    throw new UsageError(`there is no waymark-server-<version>.tgz in ${folder}`);
  return found;
}

function readdir(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch (cause) {
    throw new UsageError(`${folder} cannot be read`, { cause });
  }
}
