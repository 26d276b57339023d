import { readFileSync } from 'node:fs';

/** The manifest of this package, two folders above both the source and what is built of it. */
export function ownPackage(): { readonly version: string } {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return JSON.parse(text) as { version: string };
}
