import { randomBytes } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
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
  if (stored === undefined) {
    privateFolder(dirname(file));
    hideFromGit(dirname(file));
    writeFileSync(file, heading + lines.join(''), { mode: 0o600, flag: 'wx' });
  } else if (lines.length > 0) appendFileSync(file, (/(?:^|\n)$/.test(stored) ? '' : '\n') + lines.join(''));
  const keys = Object.fromEntries(names.map((name) => [name, values[name] || made[name]]));
  return { file, keys: keys as DevKeys<Name>['keys'], made };
}

/** Makes a secret that no one can guess. */
export function makeKey(): string {
  return `wm_${randomBytes(32).toString('base64url')}`;
}

/** Whatever the project around it ignores. */
function hideFromGit(folder: string): void {
  const file = join(folder, '.gitignore');
  if (!existsSync(file)) writeFileSync(file, '*\n');
}
