import assert from 'node:assert/strict';
import type { Json } from '../../engine/json.ts';
import type { RunRecord, RunStore, StoredCall } from '../../stores/run-store.ts';
import type { StoreCase } from '../store-case.ts';
import { runRecord } from './run-records.ts';
import { approve, asked, end, leaseMs, noTime, type StoresOfRuns, start } from './stored-runs.ts';

const image = { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' };
const values: Json = { input: 'x'.repeat(70_000), images: [image] };
const call: StoredCall = { route: 'guard', values, via: 'watcher', transient: true };
const unwritten: StoredCall = { ...call, values: null };
const written: StoredCall = { route: 'guard', values, via: 'watcher' };

const transient = (runId: string, fields: Partial<RunRecord> = {}): RunRecord =>
  runRecord(runId, { call, ...fields });

async function callOf(runs: RunStore, rootId = 'r1'): Promise<RunRecord['call'] | undefined> {
  return (await runs.load(rootId)).runs[0]?.call;
}

/** How every run store keeps roots whose input is written late, or never. */
export const transientRunCases: readonly StoreCase<StoresOfRuns>[] = [
  {
    name: 'writes nothing of the input of a transient root while it runs, nor when it ends',
    async run({ runs }) {
      const fence = await start(runs, transient('r1'));
      assert.deepEqual(await callOf(runs), unwritten);
      assert.deepEqual((await runs.page('r1', 0, 1))?.root.call, unwritten);
      await runs.finish(fence, end('r1'));
      assert.deepEqual(await callOf(runs), unwritten);
      assert.deepEqual((await runs.list({ limit: 1 }))[0]?.call, unwritten);
    },
  },
  {
    name: 'writes the input of a transient root when it parks',
    async run({ runs }) {
      const fence = await start(runs, transient('r1'));
      assert.deepEqual(await runs.park(fence, values), { outcome: 'parked' });
      assert.deepEqual(await callOf(runs), written);
    },
  },
  {
    name: 'writes the input of a transient root when it is given back, for whatever reason',
    async run({ runs }) {
      for (const [runId, why] of [
        ['r1', undefined],
        ['r2', 'disturbed'],
        ['r3', 'attempted'],
      ] as const) {
        await runs.release(await start(runs, transient(runId)), why, values);
        assert.deepEqual(await callOf(runs, runId), written);
      }
    },
  },
  {
    name: 'leaves the input of a transient root where it is when a decision has come',
    async run({ runs }) {
      const fence = await asked(runs, {}, 'r1', transient('r1'));
      await runs.decide('a1', approve);
      const woken = await runs.park(fence, values);
      assert.ok(woken.outcome === 'woken');
      assert.deepEqual(await callOf(runs), unwritten);
      assert.deepEqual(await runs.park(woken.fence, values), { outcome: 'parked' });
      assert.deepEqual(await callOf(runs), written);
    },
  },
  {
    name: 'takes no input from a leg that lost its transient root',
    async run({ runs }) {
      const fence = await start(runs, transient('r1'), noTime);
      const [taken] = await runs.take('q', 1, leaseMs);
      assert.equal(taken?.fence.epoch, fence.epoch + 1);
      assert.deepEqual(await runs.park(fence, values), { outcome: 'lost' });
      await runs.release(fence, undefined, values);
      assert.deepEqual(await callOf(runs), unwritten);
    },
  },
  {
    name: 'neither retries nor forks a root whose input was never written',
    async run({ runs }) {
      const error = { code: 'interrupted', message: 'gone', status: 500 };
      await runs.finish(await start(runs, transient('r1')), end('r1', { status: 'failed', error }));
      assert.deepEqual(await runs.retry('r1', 'ops'), { outcome: 'gone' });
      assert.deepEqual(await runs.fork('r1', 1, 'r2', 'ops'), { outcome: 'gone' });
    },
  },
  {
    name: 'retries a transient root that has waited once',
    async run({ runs }) {
      await runs.park(await asked(runs, {}, 'r1', transient('r1')), values);
      await runs.decide('a1', approve);
      const [taken] = await runs.take('q', 1, leaseMs);
      assert.ok(taken);
      await runs.finish(taken.fence, end('r1', { status: 'failed' }));
      assert.deepEqual(await runs.retry('r1', 'ops'), { outcome: 'retried' });
      assert.deepEqual(await callOf(runs), written);
    },
  },
  {
    name: 'knows a transient root by its idempotency key',
    async run({ runs }) {
      await start(runs, transient('r1', { idempotencyKey: 'k' }));
      const again = await runs.start(transient('r2', { idempotencyKey: 'k' }), 'p', leaseMs);
      assert.ok(again.outcome === 'repeated' && again.run.runId === 'r1');
    },
  },
];
