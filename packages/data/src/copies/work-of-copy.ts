import type { SqlResult } from '../database/sql-result.ts';
import { longestSessionMs, signOutAll } from '../stores/sql-ended-sessions.ts';

/** What of the service's own work goes on from a copy. */
export interface WorkOfCopy {
  /** Runs that had not ended: the next start goes on with them from there. */
  readonly runs: number;
  /** Questions that nobody had answered: they are asked again. */
  readonly approvals: number;
}

/** Runs one statement of a copy. */
type Run = (sql: string, values?: number[]) => Pick<SqlResult, 'rows'>;

/** Counts what goes on from a copy, and lets no session of a browser: who has signed out since, it does not know. */
export function settleWork(run: Run, atMs: number): WorkOfCopy {
  const has = (table: string): boolean =>
    run(`select 1 from sqlite_schema where type = 'table' and name = '${table}'`).rows.length > 0;
  const count = (table: string, where: string): number =>
    has(table) ? Number(run(`select count(*) from ${table} where ${where}`).rows[0]?.[0]) : 0;
  if (has('svc__ended_session')) run(signOutAll, [atMs, atMs + longestSessionMs]);
  return {
    runs: count('svc__run', 'parent_id is null and ended_ms is null'),
    approvals: count('svc__approval', `status = 'pending'`),
  };
}
