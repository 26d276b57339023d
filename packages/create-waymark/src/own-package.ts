import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Its own name leads there from the source, and from what is built of it. */
const manifest = createRequire(import.meta.url).resolve('create-waymark/package.json');

/** The version of this package, which all packages of a release have. */
export function ownVersion(): string {
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string }).version;
}

/** A folder of this package. */
export function ownFolder(name: string): string {
  return join(dirname(manifest), name);
}
