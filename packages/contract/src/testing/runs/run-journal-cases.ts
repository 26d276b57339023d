import assert from 'node:assert/strict';
import type { Fence } from '../../stores/run-store.ts';
import type { StoreCase } from '../store-case.ts';
import { approvalRecord, opRecord, runRecord, spendRecord } from './run-records.ts';
import { approve, end, leaseMs, noTime, notice, type StoresOfRuns, start, waiting } from './stored-runs.ts';

/** How every run store keeps what is recorded, in its order, for the leg that owns the root. */
export const runJournalCases: readonly StoreCase<StoresOfRuns>[] = [
  {
    name: 'gives ops back as they were committed, with their numbers',
    async run({ runs }) {
      const fence = await start(runs, runRecord('r1'));
      const done = opRecord('r1', 1, { input: [1, null, 'ä\0'], treeTokens: 7 });
      const failed = opRecord('r1', 2, { state: 'failed', value: { message: 'no' } });
      const started = opRecord('r1', 3, { state: 'started', value: null, endedMs: null });
      assert.equal(await runs.commit(fence, { ops: [done, started, failed] }), 2);
      assert.deepEqual((await runs.load('r1')).ops, [
        { ...done, ord: 1 },
        { ...failed, ord: 2 },
        { ...started, ord: null },
      ]);
    },
  },
  {
    name: 'tells whose a step is after a handoff',
    async run({ runs }) {
      const fence = await start(runs, runRecord('r1'));
      const handoff = { ...opRecord('r1', 2), kind: 'handoff', name: 'biller' } as const;
      for (const op of [opRecord('r1', 1), handoff, opRecord('r1', 3)])
        await runs.commit(fence, { ops: [op] });
      const page = await runs.page('r1', 0, 100);
      assert.deepEqual(
        page?.ops.map(({ agent }) => agent),
        ['guard', 'guard', 'biller'],
      );
    },
  },
  {
    name: 'tells how far roots have come, those that are named and those that have not ended',
    async run({ runs }) {
      const fences = [
        await start(runs, runRecord('r1')),
        await start(runs, runRecord('r2', { createdMs: 2_000 })),
      ];
      for (const fence of fences) await runs.commit(fence, { ops: [opRecord(fence.rootId, 1)] });
      const [first] = fences;
      if (first) await runs.finish(first, { runId: 'r1', status: 'completed', output: null, error: null });
      const r1 = { rootId: 'r1', lastOrd: 2, retryOrd: 0, ended: true };
      const r2 = { rootId: 'r2', lastOrd: 1, retryOrd: 0, ended: false };
      assert.deepEqual(await runs.heads({ roots: ['r1', 'r9', "'"], open: 0 }), [r1]);
      assert.deepEqual(await runs.heads({ roots: [], open: 5 }), [r2]);
      assert.deepEqual(await runs.heads({ roots: [], open: 0 }), []);
    },
  },
  {
    name: 'reads a tree page by page in the order of its numbers, and nothing of roots with similar ids',
    async run({ runs }) {
      for (const id of ['r1', 'r10']) {
        const fence = await start(runs, runRecord(id));
        const spec = { ...runRecord(id).spec, name: 'porter' };
        await runs.startChild(fence, runRecord(`${id}.1`, { rootId: id, parentId: id, spec }));
        const approvals = [approvalRecord(`a-${id}`, { runId: `${id}.1`, seq: 9 })];
        await runs.commit(fence, { ops: [opRecord(id, 5), opRecord(`${id}.1`, 9, waiting)], approvals });
        await runs.commit(fence, { ops: [opRecord(`${id}.1`, 1)], spend: [spendRecord] });
        await runs.decide(`a-${id}`, approve);
      }
      const [all, first, later, none] = await Promise.all([
        runs.page('r1', 0, 100),
        runs.page('r1', 0, 3),
        runs.page('r1', 3, 2),
        runs.page('r1', 5, 100),
      ]);
      const seen = [all, first, later, none].map((page) => ({
        ops: page?.ops.map(({ runId, ord, agent, spend }) => [runId, ord, agent, spend.length]),
        approvals: page?.approvals.map(({ requestedOrd, decidedOrd }) => [requestedOrd, decidedOrd]),
      }));
      const own = ['r1', 2, 'guard', 0];
      const below = ['r1.1', 4, 'porter', 1];
      assert.deepEqual(seen, [
        { ops: [own, below], approvals: [[3, 5]] },
        { ops: [own], approvals: [[3, 5]] },
        { ops: [below], approvals: [[3, 5]] },
        { ops: [], approvals: [] },
      ]);
      assert.deepEqual([all?.root.runId, all?.root.call, all?.lastOrd], ['r1', runRecord('r1').call, 5]);
      assert.deepEqual(all?.ops[1]?.spend, [spendRecord]);
      assert.equal(await runs.page('r1.1', 0, 9), undefined);
      assert.equal(await runs.page('r2', 0, 9), undefined);
    },
  },
  {
    name: 'numbers what is done and failed first, then approvals, over the whole tree',
    async run({ runs }) {
      const fence = await start(runs, runRecord('r1'));
      assert.equal(await runs.commit(fence, { ops: [opRecord('r1', 1, waiting)] }), 0);
      const ops = [opRecord('r1', 2), opRecord('r1', 3, waiting), opRecord('r1', 4)];
      const approvals = [
        approvalRecord('a1', { runId: 'r1' }),
        approvalRecord('a2', { runId: 'r1', seq: 3 }),
      ];
      assert.equal(await runs.commit(fence, { ops, approvals }), 4);
      assert.equal(await runs.commit(fence, { ops: [opRecord('r1', 1)] }), 5);
      const tree = await runs.load('r1');
      assert.deepEqual(
        tree.ops.map(({ ord }) => ord),
        [5, 1, null, 2],
      );
      assert.deepEqual(
        tree.approvals.map(({ requestedOrd }) => requestedOrd),
        [3, 4],
      );
    },
  },
  {
    name: 'leaves an op that is done or failed as it was, and charges nothing twice',
    async run({ runs, usage }) {
      const fence = await start(runs, runRecord('r1'));
      await runs.commit(fence, { ops: [opRecord('r1', 1, waiting)] });
      await runs.commit(fence, { ops: [opRecord('r1', 1)], spend: [spendRecord] });
      const other = opRecord('r1', 1, { state: 'failed', value: 'other' });
      assert.equal(await runs.commit(fence, { ops: [other], spend: [spendRecord, spendRecord] }), 2);
      const { ops, spend } = await runs.load('r1');
      assert.deepEqual(ops, [{ ...opRecord('r1', 1), ord: 1 }]);
      assert.equal(spend.length, 1);
      assert.equal((await usage.totals('caller'))[0]?.calls, 1);
    },
  },
  {
    name: 'keeps what the last op of a commit cost with it, and in the ledger of its root principal',
    async run({ runs, usage }) {
      const principal = { ...runRecord('r1').principal, id: 'key-1' };
      const fence = await start(runs, runRecord('r1', { principal }));
      const priceless = { ...spendRecord, costMicros: null, estimated: true };
      await runs.commit(fence, {
        ops: [opRecord('r1', 1), opRecord('r1', 2)],
        spend: [spendRecord, priceless],
      });
      assert.deepEqual((await runs.load('r1')).spend, [
        { ...spendRecord, runId: 'r1', seq: 2 },
        { ...priceless, runId: 'r1', seq: 2 },
      ]);
      const [total] = await usage.totals('caller');
      assert.deepEqual(
        { key: total?.key, calls: total?.calls, input: total?.inputTokens, cost: total?.costMicros },
        { key: 'desk', calls: 2, input: 200, cost: null },
      );
    },
  },
  {
    name: 'puts notices into the outbox together with their approvals',
    async run({ runs, outbox }) {
      const other = { ...notice, id: 'n2' };
      const fence = await start(runs, runRecord('r1'));
      await runs.commit(fence, {
        ops: [opRecord('r1', 1, waiting)],
        approvals: [approvalRecord('a1', { runId: 'r1' })],
        notices: [notice, other],
      });
      const kept = (await outbox.kept(notice.endpoint, 10)).toReversed();
      assert.deepEqual(
        kept.map(({ id, endpoint, body }) => ({ id, endpoint, body })),
        [notice, other],
      );
      assert.ok(kept.every(({ state }) => state === 'waiting'));
    },
  },
  {
    name: 'writes nothing at all for a leg that lost its root',
    async run({ runs, usage, outbox }) {
      const fence = await start(runs, runRecord('r1'), noTime);
      const [taken] = await runs.take('q', 1, leaseMs, 'r1');
      assert.ok(taken);
      await assertWritesNothing({ runs, usage, outbox }, fence);
      assert.equal(await runs.commit(taken.fence, { ops: [] }), 0);
    },
  },
  {
    name: 'writes nothing at all for a leg whose root was cancelled, parked or has ended',
    async run({ runs, usage, outbox }) {
      const fence = await start(runs, runRecord('r1'));
      await runs.park(fence);
      await assertWritesNothing({ runs, usage, outbox }, fence);
      await runs.cancel('r1');
      await assertWritesNothing({ runs, usage, outbox }, fence);
      const ended = await start(runs, runRecord('r2'));
      await runs.finish(ended, end('r2'));
      await assertWritesNothing({ runs, usage, outbox }, ended);
    },
  },
];

async function assertWritesNothing({ runs, usage, outbox }: StoresOfRuns, fence: Fence): Promise<void> {
  const { rootId } = fence;
  const before = [await runs.load(rootId), await usage.totals('caller'), await outbox.lines()];
  const committed = await runs.commit(fence, {
    ops: [opRecord(rootId, 7), opRecord(rootId, 8)],
    spend: [spendRecord],
    approvals: [approvalRecord('late', { runId: rootId })],
    notices: [notice],
  });
  assert.equal(committed, undefined);
  const child = runRecord(`${rootId}.8`, { rootId, parentId: rootId });
  assert.equal(await runs.startChild(fence, child), undefined);
  assert.equal(await runs.finish(fence, end(rootId, { notices: [notice] })), undefined);
  assert.deepEqual(await runs.park(fence), { outcome: 'lost' });
  await runs.release(fence);
  const after = [await runs.load(rootId), await usage.totals('caller'), await outbox.lines()];
  assert.deepEqual(after, before);
}
