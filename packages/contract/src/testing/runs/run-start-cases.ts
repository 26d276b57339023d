import assert from 'node:assert/strict';
import type { RunRecord } from '../../stores/run-store.ts';
import type { StoreCase } from '../store-case.ts';
import { approvalRecord, opRecord, runRecord } from './run-records.ts';
import { end, leaseMs, type StoresOfRuns, start } from './stored-runs.ts';

/** How every run store begins roots and children. */
export const runStartCases: readonly StoreCase<StoresOfRuns>[] = [
  {
    name: 'gives a run back as it was started',
    async run({ runs }) {
      const flow: RunRecord['spec'] = {
        ...runRecord('r1').spec,
        kind: 'flow',
        definition: [{ step: 'ä' }],
        session: { key: 'guard:desk:1', reset: false },
      };
      const principal = { ...runRecord('r1').principal, expiresAtMs: 5_000 };
      const run = runRecord('r1', { spec: flow, principal, idempotencyKey: 'k1' });
      await start(runs, run);
      assert.deepEqual(await runs.load('r1'), { runs: [run], ops: [], approvals: [], spend: [], waits: [] });
    },
  },
  {
    name: 'knows nothing of a root that was never started',
    async run({ runs }) {
      const nothing = { runs: [], ops: [], approvals: [], spend: [], waits: [] };
      assert.deepEqual(await runs.load('r1'), nothing);
      assert.equal(await runs.cancel('r1'), 'unknown');
      assert.equal(await runs.approval('a1'), undefined);
    },
  },
  {
    name: 'starts nothing new for the same idempotency key, principal and route',
    async run({ runs }) {
      const first = runRecord('r1', { idempotencyKey: 'k' });
      const fence = await start(runs, first);
      assert.deepEqual(await runs.start({ ...first, runId: 'r2', rootId: 'r2' }, 'p', leaseMs), {
        outcome: 'repeated',
        run: first,
      });
      await runs.finish(fence, end('r1', { output: 'nobody' }));
      const again = await runs.start({ ...first, runId: 'r2', rootId: 'r2' }, 'p', leaseMs);
      assert.ok(again.outcome === 'repeated' && again.run.output === 'nobody');
      assert.deepEqual((await runs.load('r2')).runs, []);
    },
  },
  {
    name: 'starts a run for another idempotency key, principal or route',
    async run({ runs }) {
      const first = runRecord('r1', { idempotencyKey: 'k' });
      const { principal, call } = first;
      await start(runs, first);
      await start(runs, runRecord('r2', { idempotencyKey: 'other' }));
      const byBot = { idempotencyKey: 'k', principal: { ...principal, rootId: 'bot' } };
      const ofPorter = { idempotencyKey: 'k', call: call && { ...call, route: 'porter' } };
      await start(runs, runRecord('r3', byBot));
      await start(runs, runRecord('r4', ofPorter));
      await start(runs, runRecord('r5'));
      await start(runs, runRecord('r6'));
      for (const [runId, fields] of [
        ['r1', { idempotencyKey: 'k' }],
        ['r3', byBot],
        ['r4', ofPorter],
      ] as const) {
        const again = await runs.start(runRecord('r7', fields), 'p', leaseMs);
        assert.ok(again.outcome === 'repeated' && again.run.runId === runId);
      }
    },
  },
  {
    name: 'lets one run of a session in at a time, working or waiting',
    async run({ runs }) {
      const turn = (id: string) =>
        runRecord(id, { spec: { ...runRecord(id).spec, session: { key: 's', reset: false } } });
      const fence = await start(runs, turn('r1'));
      const busy = await runs.start(turn('r2'), 'p', leaseMs);
      assert.ok(busy.outcome === 'busy' && busy.holder.runId === 'r1');
      assert.deepEqual(await runs.park(fence), { outcome: 'parked' });
      const waiting = await runs.start(turn('r2'), 'p', leaseMs);
      assert.ok(waiting.outcome === 'busy' && waiting.holder.status === 'waiting');
      assert.deepEqual((await runs.load('r2')).runs, []);
      await runs.cancel('r1');
      await runs.finish(await start(runs, turn('r2')), end('r2'));
      await start(runs, turn('r3'));
    },
  },
  {
    name: 'adds a child under the fence of its root',
    async run({ runs }) {
      const fence = await start(runs, runRecord('r1'));
      const child = runRecord('r1.3', { rootId: 'r1', parentId: 'r1' });
      assert.equal(await runs.startChild(fence, child), 1);
      assert.deepEqual((await runs.load('r1')).runs, [runRecord('r1'), child]);
      const other = runRecord('r1.4', { rootId: 'r1', parentId: 'r1' });
      assert.equal(await runs.startChild({ ...fence, epoch: 9 }, other), undefined);
      assert.equal((await runs.load('r1')).runs.length, 2);
    },
  },
  {
    name: 'loads one tree and nothing of roots with similar ids',
    async run({ runs }) {
      for (const id of ['r1', 'r10', 'r1-a']) {
        const fence = await start(runs, runRecord(id));
        await runs.startChild(fence, runRecord(`${id}.1`, { rootId: id, parentId: id }));
        const approvals = [approvalRecord(`a-${id}`, { runId: `${id}.1` })];
        await runs.commit(fence, { ops: [opRecord(`${id}.1`, 1), opRecord(id, 1)], approvals });
      }
      const tree = await runs.load('r1');
      assert.deepEqual(
        tree.runs.map(({ runId }) => runId),
        ['r1', 'r1.1'],
      );
      assert.deepEqual(
        tree.ops.map(({ runId }) => runId),
        ['r1', 'r1.1'],
      );
      assert.deepEqual(
        tree.approvals.map(({ runId }) => runId),
        ['r1.1'],
      );
    },
  },
];
