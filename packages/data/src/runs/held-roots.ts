import type { RunStore, TakenRoot } from '@waymark/contract/stores';
import type { SqlDatabase } from '../database/sql-database.ts';
import type { SqlResult } from '../database/sql-result.ts';
import type { Statement } from '../database/sql-transaction.ts';
import { HolderLocks } from './holder-locks.ts';
import { writeInputOfParked, writeInputOfReleased } from './kept/write-input.ts';
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
} from './lease-roots.ts';
import { toNumber, toTaken, toTexts } from './sql-answers.ts';
import { enterHolder } from './starts/order-of-starts.ts';

/** The part of a run store that says who executes which root. */
type HeldRoots = Pick<
  RunStore,
  'take' | 'takeSuspect' | 'due' | 'enter' | 'endLeases' | 'renew' | 'park' | 'release'
>;

/** Writes what says who holds a root, and whether it waits: no holder outlasts the power, and what is lost of it is found out again. */
export function hold(database: SqlDatabase, statements: readonly Statement[]): Promise<readonly SqlResult[]> {
  return database.write(statements, undefined, 'normal');
}

/** Leases of roots in the database, and whether their holders live. */
export function heldRoots(database: SqlDatabase): HeldRoots {
  const locks = database.file === undefined ? undefined : new HolderLocks(database.file);

  const find = async (statement: Statement): Promise<readonly string[]> =>
    toTexts((await database.read([statement]))[0]);

  const findSome = async (limit: number, taker: Taker, leaseMs: number): Promise<readonly string[]> => {
    const [found, ahead] = await database.read([findRoots(limit, taker), { sql: selectAhead }]);
    if (toNumber(ahead) !== undefined) await hold(database, [cutLeases(leaseMs)]);
    return toTexts(found);
  };

  /** Others may be faster: what they took is not among the roots. */
  const take = async (
    ids: readonly string[],
    taker: Taker,
    leaseMs: number,
  ): Promise<readonly TakenRoot[]> => {
    if (ids.length === 0) return [];
    return (
      await hold(
        database,
        ids.flatMap((id) => takeRoot(id, taker, leaseMs)),
      )
    ).flatMap(toTaken);
  };

  return {
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
    async enter(holder, boot = holder) {
      await database.write(enterHolder(holder, boot));
      const leave = await locks?.enter(holder);
      if (locks) await sweep(database, locks);
      return leave ?? (() => {});
    },
    async endLeases() {
      if (!locks) return 0;
      let gone = 0;
      for (const holder of await find(selectHolders)) if (await bury(database, locks, holder)) gone++;
      return gone;
    },
    async renew(holder, leaseMs, running) {
      const taker = { holder, running: JSON.stringify(running) };
      return toTexts((await hold(database, [renewRoots(taker, leaseMs)]))[0]);
    },
    async park(fence, values) {
      const written =
        values === undefined
          ? await hold(database, parkRoot(fence))
          : await database.write([...writeInputOfParked(fence, values), ...parkRoot(fence)]);
      const [parked, wakes] = written.slice(-2);
      if (parked?.affected === 1) return { outcome: 'parked' };
      const come = toNumber(wakes);
      return come === undefined
        ? { outcome: 'lost' }
        : { outcome: 'woken', fence: { ...fence, wakes: come } };
    },
    async release(fence, why, values) {
      const release = releaseRoot(fence, why);
      if (values === undefined) await hold(database, [release]);
      else await database.write([...writeInputOfReleased(fence, values), release]);
    },
  };
}

function bury(database: SqlDatabase, locks: HolderLocks, holder: string): Promise<boolean> {
  return locks.bury(holder, async () => void (await hold(database, [endLeasesOf(holder)])));
}

/** Takes away the files of processes that were killed while they held nothing: nobody else asks about them. */
async function sweep(database: SqlDatabase, locks: HolderLocks): Promise<void> {
  try {
    const left = locks.list();
    if (left.length === 0) return;
    // Those are for `endLeases`, which says how many there were.
    const holding = new Set(toTexts((await database.read([selectHolders]))[0]));
    // One that cannot be looked at keeps none of the others.
    for (const holder of left)
      if (!holding.has(holder)) await bury(database, locks, holder).catch(() => false);
  } catch {
    // Files that stay harm nobody, and the next start finds them again.
  }
}
