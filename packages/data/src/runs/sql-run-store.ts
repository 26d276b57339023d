import type { Forked, OpCommit, Retried, RunStart, RunStore, TakenRoot } from '@waymark/contract';
import type { SqlDatabase } from '../database/sql-database.ts';
import type { SqlResult } from '../database/sql-result.ts';
import { SqlTransaction, type Statement } from '../database/sql-transaction.ts';
import { beginCall } from './begun-calls.ts';
import { commitOps } from './commit-ops.ts';
import { countPending, decideApproval, expireApproval, selectDue, selectStatus } from './decide-approvals.ts';
import { cancelRoot, finishRun } from './end-run.ts';
import { forkRoot } from './fork-root.ts';
import { HolderLocks } from './holder-locks.ts';
import {
  cutLeases,
  endLeasesOf,
  findDue,
  findRoots,
  findSuspect,
  parkRoot,
  releaseRoot,
  renewRoots,
  selectAhead,
  selectHolders,
  type Taker,
  takeRoot,
  takeWoken,
} from './lease-roots.ts';
import { deleteRoots, findPrunable, toPrunable } from './prune-runs.ts';
import { selectPage, toPage } from './read-page.ts';
import {
  selectApproval,
  selectRoots,
  selectRun,
  selectSome,
  selectTree,
  toApprovals,
  toOneApproval,
  toOneRun,
  toRoots,
  toTree,
} from './read-runs.ts';
import { hurryRoot, redoOps, retryRoot, selectGone, selectStanding } from './retry-root.ts';
import type { SqlSessionOptions } from './session-turns.ts';
import { selectInTheWay, startChild, startRoot } from './start-run.ts';
import { countWaits, selectDueWaits, selectSomeWaits, toWaits, wakeRoot } from './wait-rows.ts';

/** How much a `sqlRunStore` keeps beside the runs. */
export interface SqlRunOptions {
  readonly sessions?: SqlSessionOptions;
  /** As of `sqlUsageStore`: rows of the ledger, 1 or more, and by up to 1 % more for a while; 100,000. */
  readonly keepSpend?: number;
  /** As of `sqlOutbox`: deliveries that wait, 1 or more; 10,000. */
  readonly keepDeliveries?: number;
}

/** Approvals that expire in one transaction. */
const expiredAtOnce = 200;

/**
 * The journal in the database, which `openDatabase` gave the tables. All processes on one database share it.
 *
 * Each method is one write of statements that all ask whether what they stand on still holds, so it goes out in one
 * transaction with the writes of the same turn of the event loop. Ids of roots must have no dot, and those of children
 * must be `<parent>.<seq>`. Approvals last as long as they were given, from the moment the database saw them.
 *
 * In a file, everything that was told to anybody outlasts the power. Only leases and parking do not: after a power cut the
 * root is taken, or parks, once more.
 */
export function sqlRunStore(database: SqlDatabase, options: SqlRunOptions = {}): RunStore {
  const { sessions = {}, keepSpend = 100_000, keepDeliveries = 10_000 } = options;
  const limits = { keepSpend, keepDeliveries };
  // Counting the ledger with each row would cost as much as the row.
  const trimEvery = Math.max(1, Math.floor(keepSpend / 100));
  const locks = database.file === undefined ? undefined : new HolderLocks(database.file);
  let calls = 0;
  const isTrimmed = ({ spend = [] }: OpCommit): boolean => spend.length > 0 && calls++ % trimEvery === 0;

  /** Numbers are what the only row of a statement begins with. */
  const write = async (statements: readonly Statement[], answer: number): Promise<number | undefined> =>
    toNumber((await database.write(statements)).at(answer));

  /** Who holds a root, and whether it waits: no holder outlasts the power, and what is lost of it is found out again. */
  const hold = (statements: readonly Statement[]): Promise<readonly SqlResult[]> =>
    database.write(statements, undefined, 'normal');

  const start: RunStore['start'] = async (run, holder, leaseMs): Promise<RunStart> => {
    const [inserted] = await database.write(startRoot(run, holder, leaseMs, sessions));
    if (inserted?.affected === 1)
      return { outcome: 'started', fence: { rootId: run.runId, epoch: 1, wakes: 0 } };
    const [repeated, holding, known] = (await database.read(selectInTheWay(run))).map(toText);
    if (known !== undefined) throw new Error(`a run ${run.runId} exists already`);
    const id = repeated ?? holding;
    const found = id === undefined ? undefined : toOneRun(await database.read(selectRun(id)));
    // It has ended meanwhile, or was deleted, and is no longer in the way.
    if (!found) return start(run, holder, leaseMs);
    return repeated === undefined ? { outcome: 'busy', holder: found } : { outcome: 'repeated', run: found };
  };

  const find = async (statement: Statement): Promise<readonly string[]> =>
    toTexts((await database.read([statement]))[0]);

  const findSome = async (limit: number, taker: Taker, leaseMs: number): Promise<readonly string[]> => {
    const [found, ahead] = await database.read([findRoots(limit, taker), { sql: selectAhead }]);
    if (toNumber(ahead) !== undefined) await hold([cutLeases(leaseMs)]);
    return toTexts(found);
  };

  /** Others may be faster: what they took is not among the roots. */
  const take = async (
    ids: readonly string[],
    taker: Taker,
    leaseMs: number,
  ): Promise<readonly TakenRoot[]> => {
    if (ids.length === 0) return [];
    return (await hold(ids.flatMap((id) => takeRoot(id, taker, leaseMs)))).flatMap(toTaken);
  };

  return {
    start,
    startChild: (fence, run) => write(startChild(fence, run), 0),
    async take(holder, limit, leaseMs, rootId, running = []) {
      if (limit < 1) return [];
      const taker = { holder, running: JSON.stringify(running) };
      return take(rootId === undefined ? await findSome(limit, taker, leaseMs) : [rootId], taker, leaseMs);
    },
    async takeSuspect(holder, leaseMs, running = []) {
      const taker = { holder, running: JSON.stringify(running) };
      const [taken] = await take(await find(findSuspect(taker)), taker, leaseMs);
      return taken;
    },
    async due(holder) {
      const [found] = await database.read([findDue(holder)]);
      const [roots, approvals, waits] = found?.rows[0] ?? [];
      return { roots: roots === 1, approvals: approvals === 1, waits: waits === 1 };
    },
    enter: async (holder) => (await locks?.enter(holder)) ?? (() => {}),
    async endLeases() {
      if (!locks) return 0;
      let gone = 0;
      for (const holder of await find(selectHolders)) {
        const remove = await locks.gone(holder);
        if (!remove) continue;
        await hold([endLeasesOf(holder)]);
        remove();
        gone++;
      }
      return gone;
    },
    async renew(holder, leaseMs, running) {
      const taker = { holder, running: JSON.stringify(running) };
      return toTexts((await hold([renewRoots(taker, leaseMs)]))[0]);
    },
    async load(rootId) {
      return toTree(await database.read(selectTree(rootId)));
    },
    async page(rootId, afterOrd, count) {
      return toPage(await database.read(selectPage(rootId, afterOrd, count)));
    },
    async commit(fence, commit, transaction) {
      const statements = commitOps(fence, commit, isTrimmed(commit) ? limits : { keepDeliveries });
      return transaction ? runInside(SqlTransaction.of(transaction), statements) : write(statements, 0);
    },
    async begin(fence, call) {
      await hold([beginCall(fence, call)]);
    },
    async park(fence) {
      const [parked, wakes] = await hold(parkRoot(fence));
      if (parked?.affected === 1) return { outcome: 'parked' };
      const come = toNumber(wakes);
      return come === undefined
        ? { outcome: 'lost' }
        : { outcome: 'woken', fence: { ...fence, wakes: come } };
    },
    async release(fence, disturbed = false) {
      await hold([releaseRoot(fence, disturbed)]);
    },
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
      const due = await find(selectDueWaits);
      return due.length === 0 ? [] : (await database.write(due.map(wakeRoot))).flatMap(toTexts);
    },
    finish: (fence, finish) => write(finishRun(fence, finish), finish.runId === fence.rootId ? -1 : -2),
    async cancel(rootId) {
      const [cancelled, known] = (await database.write(cancelRoot(rootId))).slice(-2);
      if (cancelled?.affected === 1) return 'cancelled';
      return toText(known) === undefined ? 'unknown' : 'terminal';
    },
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
    redo: (fence, redo) => write(redoOps(fence, redo), 0),
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
    async list(filter) {
      return toRoots(await database.read([selectRoots(filter)]));
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
    async prune(keepMs, keepRuns) {
      const ids = toPrunable(await database.read(findPrunable(keepMs)), keepRuns);
      if (ids.length === 0) return 0;
      return (await database.write(deleteRoots(ids))).at(-1)?.affected ?? 0;
    },
  };
}

/** One after another in the transaction of an effect: there is no way to send them together. */
async function runInside(
  transaction: SqlTransaction,
  [first, ...others]: readonly Statement[],
): Promise<number | undefined> {
  const last = first && toNumber(await transaction.run(first.sql, first.args));
  if (last === undefined) return undefined;
  for (const { sql, args } of others) await transaction.run(sql, args);
  return last;
}

function toTaken({ rows }: SqlResult): readonly TakenRoot[] {
  return rows.map(([id, epoch, wakes, attempts, retryOrd]) => ({
    fence: {
      ...{ rootId: String(id), epoch: Number(epoch), wakes: Number(wakes) },
      ...(Number(retryOrd) > 0 && { retryOrd: Number(retryOrd) }),
    },
    attempts: Number(attempts),
  }));
}

/** Whether the last statement answered a row. */
function affects(results: readonly SqlResult[]): boolean {
  return (results.at(-1)?.rows.length ?? 0) > 0;
}

function toNumber(result: SqlResult | undefined): number | undefined {
  const value = result?.rows[0]?.[0];
  return typeof value === 'number' ? value : undefined;
}

function toText(result: SqlResult | undefined): string | undefined {
  const value = result?.rows[0]?.[0];
  return typeof value === 'string' ? value : undefined;
}

function toTexts(result: SqlResult | undefined): readonly string[] {
  return result?.rows.map(([value]) => String(value)) ?? [];
}
