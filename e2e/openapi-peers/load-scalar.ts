import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installFolder } from '../../tools/lib/install.ts';

/** The script of Scalar's viewer, as browsers load it. Installs it unless it is there. */
export function loadScalar(): Buffer {
  installFolder(import.meta.dirname);
  return readFileSync(
    join(import.meta.dirname, 'node_modules/@scalar/api-reference/dist/browser/standalone.js'),
  );
}
