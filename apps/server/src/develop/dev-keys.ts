import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { privateFolder } from './private-folder.ts';

/** Keys for development, by their variables. */
export interface DevKeys<Name extends string = string> {
  readonly file: string;
  readonly keys: Readonly<Record<Name, string>>;
  /** Those that were made just now. */
  readonly made: Readonly<Record<string, string>>;
}

const heading = '# Keys for development, made once. Delete this file to have new ones made.\n';

/**
 * Reads the keys of a file, which only its owner can read and git does not see; one that it lacks is made once and added
 * (decision 10.6). What somebody wrote into it stays as it is.
 *
 * @param names variables, such as `OPERATOR_KEY`
 */
export function devKeys<const Name extends string>(file: string, names: readonly Name[]): DevKeys<Name> {
  const stored = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  const values = parseEnv(stored ?? '');
  const made = Object.fromEntries(names.filter((name) => !values[name]).map((name) => [name, makeKey()]));
  const lines = Object.entries(made).map(([name, key]) => `${name}=${key}\n`);
  if (lines.length > 0 || stored === undefined) {
    privateFolder(dirname(file));
    hideFromGit(dirname(file));
  }
  if (stored === undefined) {
    // Another application of the project may begin at the same time.
    if (!isWritten(file, heading + lines.join(''))) return devKeys(file, names);
  } else if (lines.length > 0) {
    // Somebody else may have made it, for others to read.
    chmodSync(file, 0o600);
    appendFileSync(file, (/(?:^|\n)$/.test(stored) ? '' : '\n') + lines.join(''));
  }
  const keys = Object.fromEntries(names.map((name) => [name, values[name] || made[name]]));
  return { file, keys: keys as DevKeys<Name>['keys'], made };
}

/** Makes a secret that no one can guess. */
export function makeKey(): string {
  return `wm_${randomBytes(32).toString('base64url')}`;
}

/** Writes a whole file at once. @returns false where there is one already */
function isWritten(file: string, text: string): boolean {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  writeFileSync(draft, text, { mode: 0o600 });
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft);
  }
}

/** Whatever the project around it ignores. */
function hideFromGit(folder: string): void {
  const file = join(folder, '.gitignore');
  if (!existsSync(file)) writeFileSync(file, '*\n');
}
