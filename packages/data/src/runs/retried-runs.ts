import type { Forked, Retried, RunStore } from '@waymark/contract/stores';
import type { SqlDatabase } from '../database/sql-database.ts';
import { forkRoot } from './fork-root.ts';
import { hurryRoot, redoOps, retryRoot, selectGone, selectStanding } from './retry-root.ts';
import { affects, toNumber } from './sql-answers.ts';

/** The part of a run store that begins again with what was recorded. */
type RetriedRuns = Pick<RunStore, 'retry' | 'redo' | 'fork'>;

/** Stored runs that are retried, and forks of them. */
export function retriedRuns(database: SqlDatabase): RetriedRuns {
  return {
    async retry(rootId): Promise<Retried> {
      const args = { run: rootId };
      const [standing, lost] = await database.read([
        { sql: selectStanding, args },
        { sql: selectGone, args },
      ]);
      const [isRoot, status, isLive] = standing?.rows[0] ?? [];
      if (status === undefined) return { outcome: 'unknown' };
      if (isRoot !== 1) return { outcome: 'child' };
      if (status === 'waiting')
        return { outcome: affects(await database.write(hurryRoot(rootId))) ? 'hurried' : 'waits' };
      if (status !== 'failed') return { outcome: isLive === 1 ? 'runs' : 'ended' };
      if (toNumber(lost) !== undefined) return { outcome: 'gone' };
      return { outcome: affects(await database.write(retryRoot(rootId))) ? 'retried' : 'session' };
    },
    async redo(fence, redo) {
      return toNumber((await database.write(redoOps(fence, redo)))[0]);
    },
    async fork(rootId, at, newId): Promise<Forked> {
      const args = { run: rootId };
      const [standing, lost] = await database.read([
        { sql: selectStanding, args },
        { sql: selectGone, args },
      ]);
      const [isRoot] = standing?.rows[0] ?? [];
      if (isRoot === undefined) return { outcome: 'unknown' };
      if (isRoot !== 1) return { outcome: 'child' };
      if (toNumber(lost) !== undefined) return { outcome: 'gone' };
      return { outcome: affects(await database.write(forkRoot(rootId, at, newId))) ? 'forked' : 'beyond' };
    },
  };
}
