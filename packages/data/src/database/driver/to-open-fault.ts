import { closeSync, openSync } from 'node:fs';
import { SqlFault, toSqlFault } from '../sql-fault.ts';

/** What kept a file from being opened: SQLite does not tell want of descriptors from want of permission. */
export function toOpenFault(error: unknown): unknown {
  return toSqlFault(error)?.code.startsWith('SQLITE_CANTOPEN') && !hasDescriptors()
    ? new SqlFault('DESCRIPTORS')
    : error;
}

/** Tried with another file: closing the one of the database would drop the locks that this process has on it. */
function hasDescriptors(): boolean {
  try {
    closeSync(openSync(process.execPath, 'r'));
    return true;
  } catch (error) {
    return !['EMFILE', 'ENFILE'].includes((error as NodeJS.ErrnoException).code ?? '');
  }
}
