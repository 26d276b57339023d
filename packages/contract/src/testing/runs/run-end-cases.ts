import assert from 'node:assert/strict';
import type { StoreCase } from '../store-case.ts';
import { opRecord, runRecord } from './run-records.ts';
import { end, leaseMs, type StoresOfRuns, start, tree } from './stored-runs.ts';

/** How runs end in every run store, and what ends with them. */
export const runEndCases: readonly StoreCase<StoresOfRuns>[] = [
  {
    name: 'ends a root, withdraws what is pending below it and cancels what has not ended',
    async run({ runs }) {
      const fence = await tree(runs);
      const error = { code: 'provider', message: 'gone', status: 502, headers: { 'retry-after': '1' } };
      assert.equal(await runs.finish(fence, end('r1', { status: 'failed', output: [1], error })), 7);
      const { runs: ended, approvals } = await runs.load('r1');
      assert.deepEqual(
        ended.map(({ runId, status }) => [runId, status]),
        [
          ['r1', 'failed'],
          ['r1.1', 'cancelled'],
          ['r1.2', 'cancelled'],
        ],
      );
      assert.deepEqual([ended[0]?.output, ended[0]?.error], [[1], error]);
      assert.ok(ended.every(({ endedMs }) => endedMs !== null));
      assert.deepEqual(
        approvals.map(({ status, decidedOrd }) => [status, decidedOrd]),
        [
          ['withdrawn', 5],
          ['withdrawn', 6],
        ],
      );
      assert.equal(await runs.cancel('r1'), 'terminal');
      assert.equal(await runs.finish(fence, end('r1')), undefined);
    },
  },
  {
    name: 'ends a root that is alone, and lets what is large go',
    async run({ runs }) {
      const fence = await start(runs, runRecord('r1'));
      await runs.commit(fence, { ops: [opRecord('r1', 1, { value: 'x'.repeat(70_000) })] });
      assert.equal(await runs.finish(fence, end('r1', { alone: true })), 2);
      const { runs: ended, ops } = await runs.load('r1');
      assert.deepEqual([ended[0]?.status, ended[0]?.output], ['completed', 'done']);
      assert.deepEqual(ops[0]?.value, { type: 'string', bytes: 70_002 });
      assert.equal(await runs.finish(fence, end('r1', { alone: true })), undefined);
    },
  },
  {
    name: 'ends a child alone, with what is pending below it',
    async run({ runs }) {
      const fence = await tree(runs);
      assert.equal(await runs.finish(fence, end('r1.1', { output: 'out' })), 6);
      const { runs: all, approvals } = await runs.load('r1');
      assert.deepEqual(
        all.map(({ runId, status, output }) => [runId, status, output]),
        [
          ['r1', 'running', null],
          ['r1.1', 'completed', 'out'],
          ['r1.2', 'running', null],
        ],
      );
      assert.deepEqual(
        approvals.map(({ runId, status }) => [runId, status]),
        [
          ['r1.1', 'withdrawn'],
          ['r1.2', 'pending'],
        ],
      );
      assert.equal(await runs.finish({ ...fence, epoch: 9 }, end('r1.2')), undefined);
      assert.equal((await runs.load('r1')).runs[2]?.status, 'running');
      assert.equal(await runs.commit(fence, { ops: [opRecord('r1', 9)] }), 7);
    },
  },
  {
    name: 'cancels a root that works, is ready or waits, with all below it',
    async run({ runs }) {
      const fence = await tree(runs);
      assert.equal(await runs.cancel('r1.1'), 'unknown');
      assert.equal(await runs.cancel('r1'), 'cancelled');
      const { runs: all, approvals } = await runs.load('r1');
      assert.ok(all.every(({ status, endedMs }) => status === 'cancelled' && endedMs !== null));
      assert.deepEqual(
        approvals.map(({ status }) => status),
        ['withdrawn', 'withdrawn'],
      );
      assert.deepEqual(await runs.park(fence), { outcome: 'lost' });
      assert.equal(await runs.cancel('r1'), 'terminal');
      await runs.park(await start(runs, runRecord('r2')));
      await runs.release(await start(runs, runRecord('r3')));
      assert.equal(await runs.cancel('r2'), 'cancelled');
      assert.equal(await runs.cancel('r3'), 'cancelled');
      assert.deepEqual(await runs.take('q', 9, leaseMs), []);
    },
  },
];
