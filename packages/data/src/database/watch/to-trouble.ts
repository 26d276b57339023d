import { accessSync, constants, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Trouble } from '@waymark/contract/engine';
import { isFailedRead, type SqlFault } from '../sql-fault.ts';

/** What keeps a database from being used, each with what helps. Codes that stay: health shows them. */
const troubles = {
  'database-damaged': 'Pages of the database are damaged: restore it from a backup and restart the service.',
  'disk-full': 'The disk of the database is full: nothing can be stored until there is room.',
  'database-locked': 'Another process keeps the database locked: find that process and stop it.',
  'database-read-only': 'The database cannot be written: its disk, or its file, is read-only.',
  'database-failing': 'The database cannot be written or read (I/O errors): look at its disk.',
  'database-stuck': 'The server of the database leaves writes without an answer: restart that server.',
  'database-unreachable': 'The server of the database cannot be reached: check the server and the network.',
  'database-unauthorized': 'The server of the database refuses the token: set DATABASE_AUTH_TOKEN.',
} as const;

/** A trouble by its code. */
export function troubleOf(code: keyof typeof troubles): Trouble {
  return { code, message: troubles[code] };
}

/**
 * What a fault says of the database itself; undefined when it is about a statement only.
 *
 * @param file of a local one: a disk that is full or read-only is often just an error of reading or writing to SQLite
 */
export function toTrouble({ code }: SqlFault, file: string | undefined): Trouble | undefined {
  // Whether there is damage, looking through tells.
  if (isFailedRead(code)) return troubleOf('database-failing');
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return troubleOf('database-damaged');
  if (code === 'SQLITE_FULL') return troubleOf('disk-full');
  if (code.startsWith('SQLITE_BUSY')) return troubleOf('database-locked');
  if (code === 'UNREACHABLE') return troubleOf('database-unreachable');
  if (code === 'UNAUTHORIZED') return troubleOf('database-unauthorized');
  // Reading statements that write are refused with this word, too: a mistake of the program.
  if (code.startsWith('SQLITE_READONLY'))
    return isReadOnly(file) ? troubleOf('database-read-only') : undefined;
  if (!/^(SQLITE_(IOERR|CANTOPEN|NOMEM|LOCKED|PROTOCOL)|THREAD_ENDED)/.test(code)) return undefined;
  if (isReadOnly(file)) return troubleOf('database-read-only');
  return troubleOf(hasRoom(file) ? 'database-failing' : 'disk-full');
}

function isReadOnly(file: string | undefined): boolean {
  if (file === undefined) return false;
  try {
    accessSync(file, constants.W_OK);
    return false;
  } catch (error) {
    return ['EROFS', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '');
  }
}

function hasRoom(file: string | undefined): boolean {
  try {
    return file === undefined || statfsSync(dirname(file)).bavail > 0;
  } catch {
    // What cannot be asked says nothing.
    return true;
  }
}
