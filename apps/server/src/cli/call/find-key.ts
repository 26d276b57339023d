import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { devKeysFile } from '../dev/stand-ins.ts';
import { findApplication } from '../load/load-application.ts';
import { projectFolder } from '../load/project-folder.ts';
import { readVariables } from '../load/read-variables.ts';
import { UsageError } from '../output/usage-error.ts';

/** Where the keys of development are: here, or in the folder of the package that this one belongs to (decision 10.6). */
function devKeyFiles(file: string | undefined): readonly string[] {
  return [resolve(), projectFolder(findApplication(file) ?? 'any')].map((one) => join(one, devKeysFile));
}

/** Shorter ones no server takes (decision 3.1). */
const leastBytes = 16;

/** Advice for a caller that is not let in. */
export const howToShowKey = `name a key with --as: reader is in READER_KEY, of the environment, .env or ${devKeysFile}; or give the key itself`;

/** The variable of a key's id: `cam-1` is in `CAM_1_KEY`. */
export function toVariable(id: string): string {
  return `${id.replace(/\W/g, '_').toUpperCase()}_KEY`;
}

/** Whether a text can be the name of a variable. */
export function isVariable(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name);
}

/**
 * Finds the credential of somebody and gives the header that shows it: `reader` is in the variable `READER_KEY`, of the
 * environment or of `.waymark/dev.env`; so is `READER_KEY` itself. What is in neither is the credential. It is never
 * part of a message.
 *
 * @throws {UsageError} a name without a key
 */
export function findKey(as: string | undefined, file?: string): Readonly<Record<string, string>> {
  if (as === undefined) return {};
  const kept = devKeyFiles(file).find((one) => existsSync(one));
  const variables = { ...(kept !== undefined && readVariables(kept)), ...process.env };
  const found = variables[toVariable(as)] || (/^[A-Z_][A-Z0-9_]*$/.test(as) && variables[as]);
  if (!found && Buffer.byteLength(as) < leastBytes)
    throw new UsageError(`there is no key of "${as}": set ${toVariable(as)}, or give the key itself`);
  const key = found || as;
  return isToken(key) ? { authorization: `Bearer ${key}` } : { 'x-api-key': key };
}

/** A JSON Web Token. */
function isToken(key: string): boolean {
  return /^eyJ[\w-]*\.[\w-]+\.[\w-]+$/.test(key);
}
