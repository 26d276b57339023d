import assert from 'node:assert/strict';
import type { Fence } from '../../stores/run-store.ts';
import type { StoreCase } from '../store-case.ts';
import { opRecord, runRecord, spendRecord } from './run-records.ts';
import { begunCall, end, leaseMs, noTime, type StoresOfRuns, start } from './stored-runs.ts';

/** What every run store does with calls of a model that were under way. */
export const begunCallCases: readonly StoreCase<StoresOfRuns>[] = [
  {
    name: 'counts a call that was under way as spent, once, when somebody else takes its root',
    async run({ runs, usage }) {
      const fence = await start(runs, runRecord('r1'), noTime);
      await runs.startChild(fence, runRecord('r1.0', { rootId: 'r1', parentId: 'r1' }));
      await runs.begin(fence, begunCall('r1.0', 0));
      await runs.begin(fence, begunCall('r1', 1));
      assert.deepEqual(await usage.totals('model'), []);
      await runs.take('q', 1, noTime, 'r1');
      const { spend, ops } = await runs.load('r1');
      assert.deepEqual(
        spend.map(({ runId, seq, inputTokens, estimated }) => [runId, seq, inputTokens, estimated]),
        [
          ['r1', 1, 100, true],
          ['r1.0', 0, 100, true],
        ],
      );
      assert.deepEqual(
        ops.map(({ state, ord }) => [state, ord]),
        [
          ['started', null],
          ['started', null],
        ],
      );
      // Each death after that counts what was begun anew.
      const [taken] = await runs.take('q', 1, noTime, 'r1');
      assert.equal((await usage.totals('model'))[0]?.calls, 2);
      assert.ok(taken);
      await runs.begin(taken.fence, begunCall('r1', 1));
      await runs.take('q', 1, leaseMs, 'r1');
      assert.equal((await usage.totals('caller'))[0]?.calls, 3);
      assert.equal((await runs.load('r1')).spend.length, 3);
    },
  },
  {
    name: 'adds what a step cost to what was begun for it before, and counts no call that came to its end',
    async run({ runs, usage }) {
      const fence = await start(runs, runRecord('r1'), noTime);
      await runs.begin(fence, begunCall('r1', 0));
      const [taken] = await runs.take('q', 9, noTime);
      assert.ok(taken);
      await runs.begin(taken.fence, begunCall('r1', 0));
      const done = opRecord('r1', 0, { kind: 'model', name: 'fast', input: null, fingerprint: 'm' });
      await runs.commit(taken.fence, { ops: [done], spend: [spendRecord] });
      // Too late: it is what came of it.
      await runs.begin(taken.fence, begunCall('r1', 0));
      await runs.take('q', 9, leaseMs);
      const { spend, ops } = await runs.load('r1');
      assert.deepEqual(
        spend.map(({ estimated }) => estimated),
        [true, false],
      );
      assert.deepEqual(ops, [{ ...done, ord: 1 }]);
      assert.equal((await usage.totals('model'))[0]?.calls, 2);
    },
  },
  {
    name: 'lets another step take the place of a call that was cut off',
    async run({ runs }) {
      const fence = await start(runs, runRecord('r1'), noTime);
      await runs.begin(fence, begunCall('r1', 0));
      const [taken] = await runs.take('q', 9, leaseMs);
      assert.ok(taken);
      const other = opRecord('r1', 0);
      await runs.commit(taken.fence, { ops: [other] });
      assert.deepEqual((await runs.load('r1')).ops, [{ ...other, ord: 1 }]);
    },
  },
  {
    name: 'counts a call under way when its root ends, or is cancelled, and leaves those of others alone',
    async run({ runs, usage }) {
      for (const id of ['ended', 'failed', 'cancelled', 'other'])
        await runs.begin(await start(runs, runRecord(id)), begunCall(id, 0));
      const fenceOf = (rootId: string): Fence => ({ rootId, epoch: 1, wakes: 0 });
      await runs.finish(fenceOf('ended'), end('ended'));
      await runs.finish(fenceOf('failed'), end('failed', { status: 'failed' }));
      await runs.cancel('cancelled');
      assert.equal((await usage.totals('model'))[0]?.calls, 3);
      await runs.cancel('cancelled');
      await runs.finish(fenceOf('ended'), end('ended'));
      assert.equal((await usage.totals('model'))[0]?.calls, 3);
      // A stale owner notes nothing, and counts nothing.
      const [taken] = [await runs.release(fenceOf('other')), ...(await runs.take('q', 9, leaseMs))].slice(1);
      assert.ok(taken);
      await runs.begin(fenceOf('other'), begunCall('other', 1));
      await runs.finish(fenceOf('other'), end('other'));
      assert.equal((await usage.totals('model'))[0]?.calls, 4);
      assert.equal((await runs.load('other')).ops.length, 1);
    },
  },
  {
    name: 'takes a call that was begun for no step forward',
    async run({ runs }) {
      const fence = await start(runs, runRecord('r1'), noTime);
      await runs.commit(fence, { ops: [opRecord('r1', 0)] });
      for (const attempts of [1, 2, 3]) {
        const [taken] = await runs.take('q', 1, noTime, 'r1');
        assert.equal(taken?.attempts, attempts);
        if (taken) await runs.begin(taken.fence, begunCall('r1', 1));
      }
      const { ops } = await runs.load('r1');
      assert.deepEqual(
        ops.map(({ ord }) => ord),
        [1, null],
      );
    },
  },
];
