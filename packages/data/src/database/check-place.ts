import { accessSync, constants, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { databaseProblem } from './database-problem.ts';

/**
 * Looks at where a database file lies, without opening it.
 *
 * @returns its size; undefined where there is no file yet
 * @throws {DeclarationError} no folder, no file, no permission
 */
export function checkPlace(path: string): number | undefined {
  const folder = dirname(path);
  if (!look(folder)?.isDirectory())
    throw databaseProblem(
      'database-folder',
      `the folder ${folder} does not exist`,
      `create it: mkdir -p ${folder}`,
    );
  const file = look(path);
  if (file && !file.isFile())
    throw databaseProblem('database-not-a-database', `${path} is not a file`, 'name a file');
  checkAccess(folder);
  if (file) checkAccess(path);
  return file?.size;
}

function look(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    throw noAccess(path);
  }
}

function checkAccess(path: string): void {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
  } catch {
    throw noAccess(path);
  }
}

function noAccess(path: string): Error {
  return databaseProblem(
    'database-permission',
    `${path} cannot be read and written`,
    'let this user do both',
  );
}
