import type { SqlDatabase } from '@waymark/data';

/** How much of a file the rows of runs take, and the audit log, which keeps its events for a time of its own. */
export interface DiskBytes {
  readonly runs: number;
  readonly audit: number;
}

/** Asks SQLite for the pages of each table and index. */
export async function diskBytes(database: SqlDatabase): Promise<DiskBytes> {
  const rows = await database.many(
    `select name like 'svc\\_\\_audit%' escape '\\' as audit, sum(pgsize) as bytes from dbstat group by audit`,
  );
  const bytesOf = (audit: number): number =>
    Number(rows.find((row) => row['audit'] === audit)?.['bytes'] ?? 0);
  return { runs: bytesOf(0), audit: bytesOf(1) };
}
