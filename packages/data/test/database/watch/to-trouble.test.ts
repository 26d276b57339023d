import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { SqlFault } from '../../../src/database/sql-fault.ts';
import { toTrouble } from '../../../src/database/watch/to-trouble.ts';

describe('toTrouble', () => {
  it.each([
    ['SQLITE_CORRUPT', 'database-failing'],
    ['SQLITE_IOERR_READ', 'database-failing'],
    ['SQLITE_CORRUPT_VTAB', 'database-damaged'],
    ['SQLITE_NOTADB', 'database-damaged'],
    ['SQLITE_FULL', 'disk-full'],
    ['SQLITE_BUSY', 'database-locked'],
    ['SQLITE_BUSY_SNAPSHOT', 'database-locked'],
    ['SQLITE_IOERR_WRITE', 'database-failing'],
    ['SQLITE_CANTOPEN', 'database-failing'],
    ['SQLITE_NOMEM', 'database-failing'],
    ['UNREACHABLE', 'database-unreachable'],
    ['UNAUTHORIZED', 'database-unauthorized'],
  ])('takes %s for %s', (fault, code) => {
    verifies('sql.troubles');
    expect(toTrouble(new SqlFault(fault), undefined)?.code).toBe(code);
  });

  it.each([
    'SQLITE_CONSTRAINT_UNIQUE',
    'SQLITE_ERROR',
    'SQLITE_ERROR_VALUE',
    'SQLITE_TOOBIG',
    'SQLITE_READONLY',
  ])('takes %s for a matter of the statement', (fault) => {
    expect(toTrouble(new SqlFault(fault), import.meta.filename)).toBeUndefined();
  });

  it('asks the system what an error of writing comes from', ({ skip }) => {
    // A file of the kernel that its process may write, on a file system that has no room.
    if (process.platform !== 'linux') return skip();
    expect(toTrouble(new SqlFault('SQLITE_IOERR_WRITE'), '/proc/self/comm')?.code).toBe('disk-full');
    expect(toTrouble(new SqlFault('SQLITE_IOERR_WRITE'), import.meta.filename)?.code).toBe(
      'database-failing',
    );
  });
});
