import type { FullLimit, OpCommit, RunStart, RunStore } from '@waymark/contract/stores';
import type { SqlDatabase } from '../database/sql-database.ts';
import { SqlTransaction, type Statement } from '../database/sql-transaction.ts';
import { beginCall } from './begun-calls.ts';
import { commitOps } from './commit-ops.ts';
import { cancelRoot, finishRun } from './end-run.ts';
import { heldRoots, hold } from './held-roots.ts';
import { findHeavy, toGivenUp } from './kept/kept-bytes.ts';
import { memoedRoots } from './kept/memoed-roots.ts';
import { deleteRoots, findPrunable, toPrunable } from './kept/prune-runs.ts';
import { selectHeads, selectPage, toHeads, toPage } from './read-page.ts';
import {
  selectCounts,
  selectRoots,
  selectRun,
  selectTree,
  toCounts,
  toOneRun,
  toRoots,
  toTree,
} from './read-runs.ts';
import { retriedRuns } from './retried-runs.ts';
import { runWaits } from './run-waits.ts';
import { type SqlSessionOptions, toSessionLimits } from './session-turns.ts';
import { toNumber, toText } from './sql-answers.ts';
import { type StartLimits, selectInTheWay, startChild, startRoot } from './start-run.ts';
import { leftRoots } from './starts/left-roots.ts';

/** Limits of what a `sqlRunStore` keeps beside the runs. */
export interface SqlRunOptions {
  readonly sessions?: SqlSessionOptions;
  /**
   * Bytes of the runs of one principal, 1 or more, but of those that are executed at the moment: while they hold more, none
   * is started, and `prune` gives up the oldest that have ended. Default: 268,435,456 (256 MiB).
   */
  readonly keepBytesPerCaller?: number;
  /** Rows of the spend ledger, 1 or more; up to 1 % more are kept for a while. Default: 100,000. */
  readonly keepSpend?: number;
  /** Deliveries that wait in the outbox, 1 or more; default: 10,000. */
  readonly keepDeliveries?: number;
}

/**
 * Makes the run store over a database that `openDatabase` opened. All processes on one database share its journal.
 *
 * Each method is one write whose statements check their own preconditions, so it shares a transaction with the other
 * writes of the same turn of the event loop. Ids of roots must have no dot, and those of children must be
 * `<parent>.<seq>`. The deadline of an approval counts from the moment it was stored.
 *
 * In a file, everything that a caller was told survives a power cut. Only leases, parking and acknowledgements may be lost:
 * then the root is taken, parks, or is found by its memo once more. Not the parking that writes an input: nothing else has it.
 */
export function sqlRunStore(database: SqlDatabase, options: SqlRunOptions = {}): RunStore {
  const { keepBytesPerCaller = 256 * 1024 * 1024, keepSpend = 100_000, keepDeliveries = 10_000 } = options;
  const startLimits: StartLimits = { sessions: toSessionLimits(options.sessions), keepBytesPerCaller };
  const limits = { keepSpend, keepDeliveries };
  // Counting the ledger with each row would cost as much as the row.
  const trimEvery = Math.max(1, Math.floor(keepSpend / 100));
  let calls = 0;
  const isTrimmed = ({ spend = [] }: OpCommit): boolean => spend.length > 0 && calls++ % trimEvery === 0;

  /** Numbers are what the only row of a statement begins with. */
  const write = async (statements: readonly Statement[], answer: number): Promise<number | undefined> =>
    toNumber((await database.write(statements)).at(answer));

  const start: RunStore['start'] = async (run, holder, leaseMs): Promise<RunStart> => {
    const [inserted] = await database.write(startRoot(run, holder, leaseMs, startLimits));
    if (inserted?.affected === 1)
      return { outcome: 'started', fence: { rootId: run.runId, epoch: 1, wakes: 0 } };
    const found = (await database.read(selectInTheWay(run, startLimits))).map(toText);
    const [repeated, holding, known, full] = found;
    if (known !== undefined) throw new Error(`a run ${run.runId} exists already`);
    const id = repeated ?? holding;
    if (id === undefined && isFullLimit(full)) return { outcome: 'full', limit: full };
    const other = id === undefined ? undefined : toOneRun(await database.read(selectRun(id)));
    // It has ended meanwhile, or was deleted, and is no longer in the way; or there is room again.
    if (!other) return start(run, holder, leaseMs);
    return repeated === undefined ? { outcome: 'busy', holder: other } : { outcome: 'repeated', run: other };
  };

  return {
    ...heldRoots(database),
    ...leftRoots(database),
    ...runWaits(database),
    ...retriedRuns(database),
    ...memoedRoots(database),
    start,
    startChild: (fence, run) => write(startChild(fence, run), 0),
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
      await hold(database, [beginCall(fence, call)]);
    },
    finish: (fence, finish) =>
      write(finishRun(fence, finish, limits), finish.runId === fence.rootId ? -1 : -2),
    async cancel(rootId, notices = []) {
      const [cancelled, known] = (await database.write(cancelRoot(rootId, notices, limits))).slice(-2);
      if (cancelled?.affected === 1) return 'cancelled';
      return toText(known) === undefined ? 'unknown' : 'terminal';
    },
    async list(filter) {
      return toRoots(await database.read([selectRoots(filter)]));
    },
    async countRoots(endedSinceMs) {
      return toCounts(await database.read([selectCounts(endedSinceMs)]));
    },
    async heads(filter) {
      return toHeads(await database.read([selectHeads(filter)]));
    },
    async prune(keepMs, keepRuns) {
      const due = toPrunable(await database.read(findPrunable(keepMs)), keepRuns);
      const ids = due.length > 0 ? due : toGivenUp(await database.read(findHeavy(keepBytesPerCaller)));
      if (ids.length === 0) return 0;
      return (await database.write(deleteRoots(ids))).at(-1)?.affected ?? 0;
    },
  };
}

const fullLimits: Readonly<Record<FullLimit, true>> = {
  ...{ own_sessions: true, sessions: true, session: true, bytes: true },
};

function isFullLimit(text: string | undefined): text is FullLimit {
  return text !== undefined && Object.hasOwn(fullLimits, text);
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
