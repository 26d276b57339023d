import assert from 'node:assert/strict';
import type { RunStore } from '../../stores/run-store.ts';
import type { StoreCase } from '../store-case.ts';
import { approvalRecord, opRecord, runRecord, spendRecord } from './run-records.ts';
import { approve, end, leaseMs, noTime, type StoresOfRuns, start, tree } from './stored-runs.ts';

/** What every run store lists, and how long it keeps it. */
export const keptRunCases: readonly StoreCase<StoresOfRuns>[] = [
  {
    name: 'lists roots, newest first, by status and in pages',
    async run({ runs }) {
      for (const id of ['r1', 'r2', 'r3', 'r4']) {
        const fence = await start(runs, runRecord(id));
        await runs.startChild(fence, runRecord(`${id}.1`, { rootId: id, parentId: id }));
        if (id !== 'r2') await runs.park(fence);
      }
      const ids = async (filter: Parameters<RunStore['list']>[0]) =>
        (await runs.list(filter)).map(({ runId }) => runId);
      assert.deepEqual(await ids({ limit: 9 }), ['r4', 'r3', 'r2', 'r1']);
      assert.deepEqual(await ids({ statuses: ['waiting'], limit: 2 }), ['r4', 'r3']);
      assert.deepEqual(await ids({ statuses: ['waiting'], after: 'r3', limit: 2 }), ['r1']);
      assert.deepEqual(await ids({ statuses: ['running'], limit: 9 }), ['r2']);
      assert.deepEqual(await ids({ statuses: ['running', 'waiting'], limit: 3 }), ['r4', 'r3', 'r2']);
    },
  },
  {
    name: 'lists roots by what they cost, in pages that follow each other while others begin',
    async run({ runs }) {
      for (const [id, costMicros] of Object.entries({ r1: 5, r2: 9, r3: 5, r4: 0, r5: 9 })) {
        const { spec, ...rest } = runRecord(id);
        const fence = await start(runs, {
          ...rest,
          spec: { ...spec, name: id === 'r3' ? 'other' : spec.name },
        });
        const spend = [{ ...spendRecord, costMicros }];
        await runs.commit(fence, { ops: [opRecord(id, 1, { kind: 'model' })], spend });
      }
      const ids = async (filter: {
        readonly after?: string;
        readonly limit: number;
        readonly name?: string;
      }) => (await runs.list({ ...filter, dearest: true })).map(({ runId }) => runId);
      assert.deepEqual(await ids({ limit: 9 }), ['r5', 'r2', 'r3', 'r1', 'r4']);
      assert.deepEqual(await ids({ limit: 2 }), ['r5', 'r2']);
      await start(runs, runRecord('r6'));
      assert.deepEqual(await ids({ limit: 2, after: 'r2' }), ['r3', 'r1']);
      assert.deepEqual(await ids({ limit: 2, after: 'r1' }), ['r6', 'r4']);
      assert.deepEqual(await ids({ limit: 2, after: 'r4' }), []);
      assert.deepEqual(await ids({ limit: 9, after: 'r3', name: 'guard' }), ['r1', 'r6', 'r4']);
      assert.deepEqual(await ids({ limit: 9, after: 'gone' }), []);
    },
  },
  {
    name: 'lists approvals, oldest first, by status and in pages',
    async run({ runs }) {
      const fence = await start(runs, runRecord('r1'));
      const approvals = [1, 2, 3, 4].map((seq) => approvalRecord(`a${seq}`, { runId: 'r1', seq }));
      await runs.commit(fence, { ops: [], approvals });
      await runs.decide('a2', approve);
      const ids = async (filter: Parameters<RunStore['approvals']>[0]) =>
        (await runs.approvals(filter)).map(({ approvalId }) => approvalId);
      assert.deepEqual(await ids({ limit: 9 }), ['a1', 'a2', 'a3', 'a4']);
      assert.deepEqual(await ids({ status: 'pending', limit: 2 }), ['a1', 'a3']);
      assert.deepEqual(await ids({ status: 'pending', after: 'a3', limit: 2 }), ['a4']);
    },
  },
  {
    name: 'keeps images and large values until the root has ended, and what it answered after that',
    async run({ runs }) {
      const image = { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' };
      const text = 'ä'.repeat(40_000);
      const call = { route: 'guard', values: { images: [image], input: text }, via: 'http' } as const;
      const run = runRecord('r1', { call });
      const fence = await start(runs, run);
      const op = opRecord('r1', 1, { input: [text], value: { ok: true, value: [image, 1], text } });
      const approval = approvalRecord('a1', { runId: 'r1', arguments: { text } });
      await runs.commit(fence, { ops: [op], approvals: [approval] });
      const live = await runs.load('r1');
      assert.deepEqual([live.runs, live.ops], [[run], [{ ...op, ord: 1 }]]);
      assert.deepEqual((await runs.approval('a1'))?.arguments, { text });
      assert.deepEqual(live.approvals[0]?.arguments, { text });
      const output = { said: text, seen: image };
      await runs.finish(fence, end('r1', { output }));
      const ended = await runs.load('r1');
      assert.deepEqual(ended.runs[0]?.output, output);
      assert.deepEqual(ended.ops[0]?.input, { type: 'array', bytes: 80_004 });
      assert.deepEqual((await runs.approval('a1'))?.arguments, { type: 'object', bytes: 80_011 });
      const small = await start(runs, runRecord('r2'));
      await runs.commit(small, { ops: [opRecord('r2', 1, { value: [image] })] });
      await runs.cancel('r2');
      assert.deepEqual((await runs.load('r2')).ops[0]?.value, [{ ...image, data: '', bytes: 8 }]);
    },
  },
  {
    name: 'deletes roots that ended long ago, whole, and none that waits',
    async run({ runs }) {
      await tree(runs);
      await runs.cancel('r1');
      await runs.park(await start(runs, runRecord('r2')));
      await start(runs, runRecord('r3'));
      assert.equal(await runs.prune(leaseMs, 9), 0);
      assert.equal(await runs.prune(noTime, 9), 1);
      assert.deepEqual(await runs.load('r1'), { runs: [], ops: [], approvals: [], spend: [], waits: [] });
      assert.equal(await runs.approval('a1'), undefined);
      assert.equal((await runs.list({ limit: 9 })).length, 2);
      assert.equal(await runs.prune(noTime, 0), 0);
    },
  },
  {
    name: 'keeps a number of roots that have ended, the newest',
    async run({ runs }) {
      for (const id of ['r1', 'r2', 'r3', 'r4']) await runs.finish(await start(runs, runRecord(id)), end(id));
      assert.equal(await runs.prune(leaseMs, 4), 0);
      assert.equal(await runs.prune(leaseMs, 3), 1);
      assert.equal(await runs.prune(leaseMs, 1), 2);
      assert.equal((await runs.list({ limit: 9 })).length, 1);
    },
  },
];
