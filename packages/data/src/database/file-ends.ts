/**
 * What stands behind the name of a database file in the names of those that SQLite makes beside it, and that belong to it: put
 * in front of another file one would be taken for a part of that.
 */
export const fileEnds: readonly string[] = ['-wal', '-shm', '-journal'];
