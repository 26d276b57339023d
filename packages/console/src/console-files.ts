import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

/** A script, style or picture of the console. */
export interface ConsoleFile {
  readonly bytes: Uint8Array;
  readonly mediaType: string;
}

/** What the console is made of. */
export interface ConsoleFiles {
  /** Another one as soon as any of them is another, so that browsers may keep what is below it for good. */
  readonly version: string;
  readonly byName: ReadonlyMap<string, ConsoleFile>;
}

/** What `npm run console` writes, by its endings. */
const mediaTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain',
};

/** Reads them from beside the sources, or beside what is compiled of those. */
export function readConsoleFiles(): ConsoleFiles {
  const folder = join(import.meta.dirname, '../assets');
  const hash = createHash('sha256');
  const byName = new Map<string, ConsoleFile>();
  for (const name of readdirSync(folder).sort()) {
    const bytes = readFileSync(join(folder, name));
    const type = mediaTypes[extname(name)];
    if (type === undefined) continue;
    hash.update(`${name} ${bytes.length}\n`).update(bytes);
    byName.set(name, { bytes, mediaType: `${type}; charset=utf-8` });
  }
  return { version: hash.digest('hex').slice(0, 16), byName };
}
