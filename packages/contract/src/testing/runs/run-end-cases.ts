import assert from 'node:assert/strict';
import type { Delivery } from '../../stores/delivery.ts';
import type { Outbox } from '../../stores/outbox.ts';
import type { StoreCase } from '../store-case.ts';
import { opRecord, runRecord } from './run-records.ts';
import { begunCall, end, leaseMs, notice, type StoresOfRuns, start, tree, waiting } from './stored-runs.ts';

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
  {
    name: 'says of calls that had begun below a cancelled root that their outcome is not known',
    async run({ runs }) {
      const fence = await tree(runs);
      const begun = { state: 'started', value: null, endedMs: null } as const;
      // As a process says it whose clock is ahead.
      const ahead = Date.UTC(2100, 0);
      const ops = [
        opRecord('r1.1', 2, { ...begun, startedMs: ahead }),
        opRecord('r1', 3, begun),
        opRecord('r1', 4),
        opRecord('r1', 5, waiting),
      ];
      assert.equal(await runs.commit(fence, { ops }), 5);
      await runs.begin(fence, begunCall('r1', 6));
      const other = await start(runs, runRecord('r10'));
      await runs.commit(other, { ops: [opRecord('r10', 1, begun)] });
      assert.equal(await runs.cancel('r1'), 'cancelled');
      const { ops: cut, approvals } = await runs.load('r1');
      const ended = cut.filter(({ ord }) => ord !== null).sort((a, b) => (a.ord ?? 0) - (b.ord ?? 0));
      assert.deepEqual(
        ended.map(({ runId, seq, state, ord }) => [runId, seq, state, ord]),
        [
          ['r1', 4, 'done', 5],
          ['r1', 3, 'done', 6],
          ['r1.1', 2, 'done', 7],
        ],
      );
      assert.deepEqual(ended[1]?.value, {
        ok: false,
        status: 502,
        message: 'the run was cancelled while open_door was running; it may or may not have happened',
        code: 'outcome_unknown',
      });
      assert.deepEqual(ended[1]?.input, { door: 'front' });
      assert.ok((ended[1]?.endedMs ?? 0) > 2_000);
      assert.equal(ended[2]?.endedMs, ahead);
      assert.deepEqual(
        approvals.map(({ decidedOrd }) => decidedOrd),
        [8, 9],
      );
      const page = await runs.page('r1', 5, 100);
      assert.equal(page?.lastOrd, 10);
      assert.deepEqual(
        page?.ops.map(({ ord }) => ord),
        [6, 7],
      );
      // Once: what has ended is not touched again, nor are others.
      assert.equal(await runs.cancel('r1'), 'terminal');
      assert.equal((await runs.page('r1', 0, 0))?.lastOrd, 10);
      assert.equal(await runs.commit(fence, { ops: [opRecord('r1', 3)] }), undefined);
      assert.deepEqual((await runs.load('r1')).ops, cut);
      assert.equal((await runs.load('r10')).ops[0]?.state, 'started');
    },
  },
  {
    name: 'puts notices into the outbox together with the end of a root',
    async run({ runs, outbox }) {
      for (const [runId, fields] of [
        ['r1', {}],
        ['r2', { alone: true }],
        ['r3', { status: 'failed' }],
      ] as const)
        await runs.finish(
          await start(runs, runRecord(runId)),
          end(runId, { ...fields, notices: [of(runId)] }),
        );
      await start(runs, runRecord('r4'));
      assert.equal(await runs.cancel('r4', [of('r4'), of('r4b')]), 'cancelled');
      const told = ['r1', 'r2', 'r3', 'r4', 'r4b'].map(of);
      assert.deepEqual(await toldBy(outbox), told);
      // Of what did not happen there is nothing to tell.
      assert.equal(await runs.cancel('r4', [of('r5')]), 'terminal');
      assert.equal(await runs.cancel('r5', [of('r5')]), 'unknown');
      assert.deepEqual(await toldBy(outbox), told);
    },
  },
];

/** Of the end of a run. */
const of = (id: string) => ({ ...notice, id });

/** What waits for an endpoint, oldest first. */
async function toldBy(outbox: Outbox): Promise<readonly Delivery[]> {
  const kept = await outbox.kept(notice.endpoint, 9);
  return kept.map(({ id, endpoint, body }) => ({ id, endpoint, body })).reverse();
}
