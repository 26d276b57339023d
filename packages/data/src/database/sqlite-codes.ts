/** SQLite's words for its results, by number. */
const words = [
  ...['OK', 'ERROR', 'INTERNAL', 'PERM', 'ABORT', 'BUSY', 'LOCKED', 'NOMEM', 'READONLY', 'INTERRUPT'],
  ...['IOERR', 'CORRUPT', 'NOTFOUND', 'FULL', 'CANTOPEN', 'PROTOCOL', 'EMPTY', 'SCHEMA', 'TOOBIG'],
  ...['CONSTRAINT', 'MISMATCH', 'MISUSE', 'NOLFS', 'AUTH', 'FORMAT', 'RANGE', 'NOTADB', 'NOTICE', 'WARNING'],
];

/** What it says more exactly, in the order of its numbers, from 1 on; a number without a word has none. */
const extended: Readonly<Record<string, readonly string[]>> = {
  ERROR: ['MISSING_COLLSEQ', 'RETRY', 'SNAPSHOT'],
  ABORT: ['', 'ROLLBACK'],
  BUSY: ['RECOVERY', 'SNAPSHOT', 'TIMEOUT'],
  LOCKED: ['SHAREDCACHE', 'VTAB'],
  READONLY: ['RECOVERY', 'CANTLOCK', 'ROLLBACK', 'DBMOVED', 'CANTINIT', 'DIRECTORY'],
  IOERR: [
    ...['READ', 'SHORT_READ', 'WRITE', 'FSYNC', 'DIR_FSYNC', 'TRUNCATE', 'FSTAT', 'UNLOCK', 'RDLOCK'],
    ...['DELETE', 'BLOCKED', 'NOMEM', 'ACCESS', 'CHECKRESERVEDLOCK', 'LOCK', 'CLOSE', 'DIR_CLOSE', 'SHMOPEN'],
    ...['SHMSIZE', 'SHMLOCK', 'SHMMAP', 'SEEK', 'DELETE_NOENT', 'MMAP', 'GETTEMPPATH', 'CONVPATH', 'VNODE'],
    ...['AUTH', 'BEGIN_ATOMIC', 'COMMIT_ATOMIC', 'ROLLBACK_ATOMIC', 'DATA', 'CORRUPTFS', 'IN_PAGE'],
  ],
  CORRUPT: ['VTAB', 'SEQUENCE', 'INDEX'],
  CANTOPEN: ['NOTEMPDIR', 'ISDIR', 'FULLPATH', 'CONVPATH', 'DIRTYWAL', 'SYMLINK'],
  CONSTRAINT: [
    ...[
      'CHECK',
      'COMMITHOOK',
      'FOREIGNKEY',
      'FUNCTION',
      'NOTNULL',
      'PRIMARYKEY',
      'TRIGGER',
      'UNIQUE',
      'VTAB',
    ],
    ...['ROWID', 'PINNED', 'DATATYPE'],
  ],
  AUTH: ['USER'],
};

/**
 * SQLite's name of a result, as exact as it is known: 1555 is `SQLITE_CONSTRAINT_PRIMARYKEY`. One of a later release has the
 * name of its kind, which is its lowest byte.
 */
export function sqliteCode(result: number): string {
  const word = words[result & 0xff] ?? 'ERROR';
  const more = extended[word]?.[(result >> 8) - 1];
  return more ? `SQLITE_${word}_${more}` : `SQLITE_${word}`;
}
