import { dirname, relative } from 'node:path';
import type { Upkeep } from '../../upkeep/upkeep.ts';
import { Failure } from '../output/failure.ts';

/** Path of the database of an application. @throws {Failure} it has none in a file @param what is to be done with it */
export async function databaseFile({ database }: Upkeep, what: string): Promise<string> {
  if (database === undefined)
    throw new Failure("the application has no database; write database: 'sqlite://app.db'");
  const { fileOf } = await import('@waymark/data/upkeep');
  const file = fileOf(database);
  if (file !== undefined) return file;
  if (database.includes(':memory:'))
    throw new Failure(`the database is in memory: there is nothing to ${what}`);
  throw new Failure(
    `the database is on a server, which has to ${what} it: of Turso turso db shell <name> .dump, or its points in time; of sqld the snapshots of its volume`,
  );
}

/** An error of a copy as a failure of its command; others stay as they are. */
export function failWith(error: unknown, toFailure: (message: string) => Failure): unknown {
  if (!(error instanceof Error)) return error;
  if (error.name === 'CopyError') return toFailure(error.message);
  const { code, syscall, path } = error as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined) return error;
  return toFailure(path === undefined ? error.message : refusedBySystem(code, dirname(path)));
}

/** Says what the system refused in a folder, and what helps. */
function refusedBySystem(code: string, folder: string): string {
  const below = relative(process.cwd(), folder);
  const shown = below === '' ? 'this folder' : below.startsWith('..') ? folder : below;
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return `this user may not write in ${shown}; let it, or name another place`;
    case 'EROFS':
      return `nobody may write in ${shown}; name another place`;
    case 'ENOTDIR':
      return `${shown} is no folder; name another place`;
    case 'ENOSPC':
    case 'EDQUOT':
      return `there is no room in ${shown}; make some, or name another place`;
    default:
      return `nothing can be made in ${shown} (${code}); name another place`;
  }
}
