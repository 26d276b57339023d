import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CreateError } from './create-error.ts';

/**
 * Finds the packed packages of the product in a folder, by their names as npm needs them in a manifest: `@waymark/http` is in
 * `waymark-http-0.1.0.tgz`.
 *
 * @throws {CreateError} a folder without the server
 */
export function findTarballs(folder: string): Readonly<Record<string, string>> {
  const packed = /^(?:waymark-([a-z-]+)|(create-waymark))-\d+\.\d+\.\d+.*\.tgz$/;
  const found = Object.fromEntries(
    readFolder(folder).flatMap((file) => {
      const [, scoped, name = `@waymark/${scoped}`] = packed.exec(file) ?? [];
      return packed.test(file) ? [[name, `file:${join(resolve(folder), file)}`] as const] : [];
    }),
  );
  if (found['@waymark/server'] === undefined)
    throw new CreateError(`there is no waymark-server-<version>.tgz in ${folder}`);
  return found;
}

function readFolder(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch (cause) {
    throw new CreateError(`${folder} cannot be read`, { cause });
  }
}
