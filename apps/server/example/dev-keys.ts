import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseEnv } from 'node:util';
import { privateFolder } from './private-folder.ts';

/** The variables of the reference application's keys, and what each may do. */
export const keyRoles = {
  OPERATOR_KEY: 'everything, svc:admin included',
  DEVICE_KEY: 'sending frames and telemetry, nothing else',
  READER_KEY: 'reading, nothing else',
} as const;

/** Keys for development. */
export interface DevKeys {
  readonly keys: Readonly<Record<keyof typeof keyRoles, string>>;
  /** Whether they were made just now. */
  readonly made: boolean;
}

/**
 * Reads the keys of a file, or makes them once and writes it, readable by its owner alone (decision 10.6).
 *
 * @throws {Error} when the file exists and lacks a key: somebody edited it, and overwriting would lose their work
 */
export function devKeys(file: string): DevKeys {
  const stored = read(file);
  if (stored === undefined) return { keys: make(file), made: true };
  const values = parseEnv(stored);
  const [missing] = Object.keys(keyRoles).filter((name) => !values[name]);
  if (missing !== undefined)
    throw new Error(`${file} has no ${missing}: add it, or delete the file to have new keys made`);
  return { keys: values as DevKeys['keys'], made: false };
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function make(file: string): DevKeys['keys'] {
  const keys = Object.fromEntries(
    Object.keys(keyRoles).map((name) => [name, `wm_${randomBytes(32).toString('base64url')}`]),
  );
  const lines = Object.entries(keys).map(([name, key]) => `${name}=${key}`);
  privateFolder(dirname(file));
  writeFileSync(
    file,
    `# Keys for development, made once. Delete this file to have new ones made.\n${lines.join('\n')}\n`,
    {
      mode: 0o600,
      flag: 'wx',
    },
  );
  return keys as DevKeys['keys'];
}
