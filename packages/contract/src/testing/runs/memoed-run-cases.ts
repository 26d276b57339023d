import assert from 'node:assert/strict';
import type { Json } from '../../engine/json.ts';
import type { MemoedRun } from '../../runs/run.ts';
import type { RunRecord, RunStore } from '../../stores/run-store.ts';
import type { StoreCase } from '../store-case.ts';
import { opRecord, runRecord } from './run-records.ts';
import { approve, asked, end, leaseMs, type StoresOfRuns, start } from './stored-runs.ts';

/** A root whose caller said what it wants to find again. */
function memoed(runId: string, memo: Json = { tick: runId }, fields: Partial<RunRecord> = {}): RunRecord {
  const { call, ...record } = runRecord(runId, fields);
  return { ...record, call: call && { ...call, memo } };
}

async function memosOf(runs: RunStore, limit = 9): Promise<readonly MemoedRun[]> {
  return runs.memos({ limit });
}

const found = (rootId: string): MemoedRun => ({
  rootId,
  route: 'guard',
  principal: 'desk',
  memo: { tick: rootId },
  status: 'running',
  waitsFor: null,
  acknowledged: null,
  createdMs: 1_000,
});

/** How every run store finds the roots that were started with a memo. */
export const memoedRunCases: readonly StoreCase<StoresOfRuns>[] = [
  {
    name: 'finds roots with a memo, oldest first, and no others',
    async run({ runs }) {
      for (const id of ['r2', 'r1', 'r3']) await start(runs, memoed(id));
      await start(runs, runRecord('r4'));
      assert.deepEqual(await memosOf(runs), [found('r1'), found('r2'), found('r3')]);
      assert.deepEqual(await memosOf(runs, 1), [found('r1')]);
      assert.deepEqual(await runs.memos({ limit: 9, after: 'r1' }), [found('r2'), found('r3')]);
      assert.deepEqual((await runs.load('r1')).runs, [memoed('r1')]);
    },
  },
  {
    name: 'gives any memo back as it was, null too',
    async run({ runs }) {
      const memos: readonly Json[] = [null, false, 0, '', 'ä"', [], { at: [1, { a: null }] }];
      for (const [i, memo] of memos.entries()) await start(runs, memoed(`r${i}`, memo));
      assert.deepEqual(
        (await memosOf(runs)).map(({ memo }) => memo),
        memos,
      );
    },
  },
  {
    name: 'finds the roots with a memo of one principal',
    async run({ runs }) {
      const yard = { ...runRecord('r2').principal, id: 'watcher:yard', rootId: 'watcher:yard' };
      await start(runs, memoed('r1'));
      await start(runs, memoed('r2', 1, { principal: yard }));
      const [one, ...others] = await runs.memos({ principal: 'watcher:yard', limit: 9 });
      assert.deepEqual([one?.rootId, one?.principal, others], ['r2', 'watcher:yard', []]);
      assert.deepEqual(await runs.memos({ principal: 'watcher', limit: 9 }), []);
    },
  },
  {
    name: 'finds the root with a memo that a principal started last, seen to or not',
    async run({ runs }) {
      const yard = { ...runRecord('r2').principal, id: 'watcher:yard', rootId: 'watcher:yard' };
      assert.equal(await runs.newestMemo('watcher:yard'), undefined);
      await runs.finish(await start(runs, memoed('r2', 1, { principal: yard })), end('r2'));
      await start(runs, memoed('r1', 2, { principal: yard }));
      await start(runs, memoed('r3'));
      await start(runs, runRecord('r4', { principal: yard }));
      await runs.acknowledge('r2', 'completed');
      const newest = await runs.newestMemo('watcher:yard');
      assert.deepEqual(newest, {
        ...found('r2'),
        ...{ principal: 'watcher:yard', memo: 1, status: 'completed', acknowledged: 'completed' },
      });
      await runs.prune(0, 0);
      assert.equal((await runs.newestMemo('watcher:yard'))?.rootId, 'r1');
    },
  },
  {
    name: 'says of a root with a memo how it stands, and keeps it until its end is acknowledged',
    async run({ runs }) {
      const fence = await asked(runs, {}, 'r1', memoed('r1'));
      const standing = async () => {
        const [one] = await memosOf(runs);
        return one && [one.status, one.waitsFor, one.acknowledged];
      };
      assert.deepEqual(await standing(), ['running', null, null]);
      await runs.park(fence);
      assert.deepEqual(await standing(), ['waiting', 'awaiting_approval', null]);
      await runs.acknowledge('r1', 'awaiting_approval');
      assert.deepEqual(await standing(), ['waiting', 'awaiting_approval', 'awaiting_approval']);
      await runs.decide('a1', approve);
      assert.deepEqual(await standing(), ['ready', null, 'awaiting_approval']);
      const [taken] = await runs.take('q', 1, leaseMs);
      assert.ok(taken);
      await runs.finish(taken.fence, end('r1'));
      assert.deepEqual(await standing(), ['completed', null, 'awaiting_approval']);
      await runs.acknowledge('r1', 'completed');
      assert.deepEqual(await memosOf(runs), []);
    },
  },
  {
    name: 'takes no word about a status that a root has no more, or has not yet',
    async run({ runs }) {
      const fence = await start(runs, memoed('r1'));
      await runs.acknowledge('r1', 'completed');
      assert.equal((await memosOf(runs))[0]?.acknowledged, null);
      await runs.finish(fence, end('r1'));
      await runs.acknowledge('r1', 'failed');
      assert.equal((await memosOf(runs))[0]?.acknowledged, null);
      await runs.acknowledge('r1', 'completed');
      await runs.acknowledge('r1', 'awaiting_approval');
      await runs.acknowledge('unknown', 'completed');
      assert.deepEqual(await memosOf(runs), []);
    },
  },
  {
    name: 'finds a root with a memo again when it is retried, and when it fails once more',
    async run({ runs }) {
      await runs.finish(await start(runs, memoed('r1')), end('r1', { status: 'failed' }));
      await runs.acknowledge('r1', 'failed');
      assert.deepEqual(await memosOf(runs), []);
      await runs.retry('r1', 'ops');
      assert.deepEqual(await memosOf(runs), [{ ...found('r1'), status: 'ready' }]);
      const [taken] = await runs.take('q', 1, leaseMs);
      assert.ok(taken);
      await runs.finish(taken.fence, end('r1', { status: 'failed' }));
      assert.deepEqual(await memosOf(runs), [{ ...found('r1'), status: 'failed' }]);
    },
  },
  {
    name: 'forgets memos with their roots, and gives forks none',
    async run({ runs }) {
      const fence = await start(runs, memoed('r1'));
      await runs.commit(fence, { ops: [opRecord('r1', 1)] });
      assert.deepEqual(await runs.fork('r1', 1, 'r2', 'ops'), { outcome: 'forked' });
      assert.deepEqual(await memosOf(runs), [found('r1')]);
      await runs.cancel('r1');
      assert.deepEqual(await memosOf(runs), [{ ...found('r1'), status: 'cancelled' }]);
      await runs.prune(0, 0);
      assert.deepEqual(await memosOf(runs), []);
    },
  },
];
