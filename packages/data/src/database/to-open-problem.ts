import { databaseProblem } from './database-problem.ts';
import { toSqlFault } from './sql-fault.ts';
import { toDbError } from './to-db-error.ts';

/** What stopped us, with what to do about it. */
export function toOpenProblem(error: unknown): unknown {
  const code = toSqlFault(error)?.code ?? '';
  if (code.startsWith('SQLITE_BUSY'))
    return databaseProblem('database-busy', 'another process keeps it locked', 'find and stop that process');
  if (code === 'NODE_TOO_OLD')
    return databaseProblem(
      'database-node',
      `Node ${process.versions.node} cannot open it`,
      'take Node 22.18 or newer',
    );
  if (code.startsWith('SQLITE_NOTADB'))
    return databaseProblem('database-not-a-database', 'the file holds something else', 'name another file');
  if (code.startsWith('SQLITE_CORRUPT'))
    return databaseProblem('database-damaged', 'the file is damaged', 'restore it from a backup');
  if (code === 'DESCRIPTORS')
    return databaseProblem(
      'database-descriptors',
      'no more files can be opened',
      'raise the limit of open files (ulimit -n)',
    );
  if (code.startsWith('SQLITE_READONLY') || code.startsWith('SQLITE_CANTOPEN'))
    return databaseProblem(
      'database-permission',
      'it cannot be written',
      'let this user write the file and its folder, and open enough files (ulimit -n)',
    );
  if (code === 'UNREACHABLE')
    return databaseProblem(
      'database-unreachable',
      'its server cannot be reached',
      'check the URL and the server',
    );
  if (code === 'UNAUTHORIZED')
    return databaseProblem(
      'database-unauthorized',
      'its server refuses the token',
      'set DATABASE_AUTH_TOKEN',
    );
  return toDbError(error);
}
