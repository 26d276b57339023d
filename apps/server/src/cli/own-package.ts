import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Its own name leads there from the source, and from what is built of it, wherever in that this stands. */
const manifest = createRequire(import.meta.url).resolve('@waymark/server/package.json');

/** The manifest of this package. */
export function ownPackage(): { readonly version: string } {
  return JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
}

/** A path in the folder of this package. */
export function ownPath(path: string): string {
  return join(dirname(manifest), path);
}
