import type { Forked, Retried, RunStore } from '@waymark/contract/stores';
import type { SqlDatabase } from '../database/sql-database.ts';
import type { Statement } from '../database/sql-transaction.ts';
import { forkRoot } from './fork-root.ts';
import { hurryRoot, redoOps, retryRoot, selectGone, selectStanding } from './retry-root.ts';
import { affects, toNumber } from './sql-answers.ts';

/** The part of a run store that begins again with what was recorded. */
type RetriedRuns = Pick<RunStore, 'retry' | 'redo' | 'fork'>;

/** Stored runs that are retried, and forks of them. */
export function retriedRuns(database: SqlDatabase): RetriedRuns {
  /** Tries what a read has found to be possible. When it was not, how the root stands is asked in the same transaction. */
  const attempt = async (
    rootId: string,
    statements: readonly Statement[],
    outcome: Retried['outcome'],
    refused: { readonly status: string; readonly outcome: Retried['outcome'] },
  ): Promise<Retried> => {
    const standing = { sql: selectStanding, args: { run: rootId } };
    const results = await database.write([...statements, standing]);
    if (affects(results.slice(0, -1))) return { outcome };
    const [, status, isLive] = results.at(-1)?.rows[0] ?? [];
    if (status === undefined) return { outcome: 'unknown' };
    if (status === refused.status) return { outcome: refused.outcome };
    return { outcome: isLive === 1 ? 'runs' : 'ended' };
  };

  return {
    async retry(rootId, by): Promise<Retried> {
      const args = { run: rootId };
      const [standing, lost] = await database.read([
        { sql: selectStanding, args },
        { sql: selectGone, args },
      ]);
      const [isRoot, status, isLive] = standing?.rows[0] ?? [];
      if (status === undefined) return { outcome: 'unknown' };
      if (isRoot !== 1) return { outcome: 'child' };
      if (status === 'waiting')
        return attempt(rootId, hurryRoot(rootId, by), 'hurried', { status, outcome: 'waits' });
      if (status !== 'failed') return { outcome: isLive === 1 ? 'runs' : 'ended' };
      if (toNumber(lost) !== undefined) return { outcome: 'gone' };
      return attempt(rootId, retryRoot(rootId, by), 'retried', { status, outcome: 'session' });
    },
    async redo(fence, redo) {
      return toNumber((await database.write(redoOps(fence, redo)))[0]);
    },
    async fork(rootId, at, newId, by): Promise<Forked> {
      const args = { run: rootId };
      const [standing, lost] = await database.read([
        { sql: selectStanding, args },
        { sql: selectGone, args },
      ]);
      const [isRoot] = standing?.rows[0] ?? [];
      if (isRoot === undefined) return { outcome: 'unknown' };
      if (isRoot !== 1) return { outcome: 'child' };
      if (toNumber(lost) !== undefined) return { outcome: 'gone' };
      return {
        outcome: affects(await database.write(forkRoot(rootId, at, newId, by))) ? 'forked' : 'beyond',
      };
    },
  };
}
