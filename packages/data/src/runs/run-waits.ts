import type { RunStore } from '@waymark/contract/stores';
import type { SqlDatabase } from '../database/sql-database.ts';
import { countPending, decideApproval, expireApproval, selectDue, selectStatus } from './decide-approvals.ts';
import { takeWoken } from './lease-roots.ts';
import { selectApproval, selectSome, toApprovals, toOneApproval } from './read-runs.ts';
import { toNumber, toTaken, toText, toTexts } from './sql-answers.ts';
import { countWaits, selectDueWaits, selectSomeWaits, toWaits, wakeRoot } from './wait-rows.ts';

/** The part of a run store that says what roots wait for: humans, and what is out of reach. */
type RunWaits = Pick<
  RunStore,
  'decide' | 'approval' | 'approvals' | 'expire' | 'countPending' | 'wake' | 'waits' | 'countWaits'
>;

/** Approvals that expire in one transaction. */
const expiredAtOnce = 200;

/** What stored runs wait for, and its end. */
export function runWaits(database: SqlDatabase): RunWaits {
  return {
    async decide(approvalId, decision, taker) {
      const [decided, , now, woken] = await database.write([
        ...decideApproval(approvalId, decision),
        { sql: selectStatus, args: [approvalId] },
        ...(taker ? [takeWoken(approvalId, taker.holder, taker.leaseMs)] : []),
      ]);
      const rootId = toText(decided);
      const [taken] = woken ? toTaken(woken) : [];
      if (rootId !== undefined) return { outcome: 'decided', rootId, ...(taken && { taken }) };
      const status = toText(now);
      if (status === undefined) return { outcome: 'unknown' };
      return { outcome: status === 'pending' || status === 'expired' ? 'expired' : 'already' };
    },
    async approval(approvalId) {
      return toOneApproval(await database.read(selectApproval(approvalId)));
    },
    async expire() {
      const roots = new Set<string>();
      for (;;) {
        const due = toTexts((await database.read([{ sql: selectDue, args: [expiredAtOnce] }]))[0]);
        if (due.length === 0) return [...roots];
        const results = await database.write(due.flatMap(expireApproval));
        for (const rootId of results.flatMap(toTexts)) roots.add(rootId);
      }
    },
    async wake() {
      const due = toTexts((await database.read([selectDueWaits]))[0]);
      return due.length === 0 ? [] : (await database.write(due.map(wakeRoot))).flatMap(toTexts);
    },
    async approvals(filter) {
      return toApprovals(await database.read([selectSome(filter)]));
    },
    async waits(filter) {
      return toWaits((await database.read([selectSomeWaits(filter)]))[0]);
    },
    async countWaits() {
      const [counted] = await database.read([{ sql: countWaits }]);
      return toNumber(counted) ?? 0;
    },
    async countPending() {
      const [counted] = await database.read([{ sql: countPending }]);
      return toNumber(counted) ?? 0;
    },
  };
}
