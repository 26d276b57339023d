import assert from 'node:assert/strict';
import type { AskedWait, Fence, ListedRun, OpCommit, RunRecord, RunStore } from '../../stores/run-store.ts';
import type { StoreCase } from '../store-case.ts';
import { approvalRecord, opRecord, runRecord, spendRecord } from './run-records.ts';
import type { StoresOfRuns } from './stored-runs.ts';

/** Long enough for any test. */
const leaseMs = 600_000;
const hourMs = 3_600_000;

/** What every run store does with steps that are tried again later. */
export const runWaitCases: readonly StoreCase<StoresOfRuns>[] = [
  {
    name: 'keeps a step that is tried again, since when, until when and why',
    async run({ runs }) {
      const fence = await start(runs, runRecord('r1'));
      assert.equal(await runs.commit(fence, postponed('r1', 2, { inMs: 5_000 })), 0);
      const { ops, waits } = await runs.load('r1');
      assert.deepEqual(ops[0], { ...opRecord('r1', 2, waiting), ord: null });
      const [wait] = waits;
      assert.ok(wait);
      const { sinceMs, dueMs, giveUpMs, forMs, inMs, ...rest } = wait;
      assert.deepEqual(rest, {
        ...{ runId: 'r1', rootId: 'r1', seq: 2, kind: 'provider', agent: 'guard', attempts: 1 },
        ...{ provider: 'cloud', model: 'small', reason: 'unavailable', message: 'it is out of reach' },
      });
      assert.deepEqual([dueMs - sinceMs, giveUpMs - sinceMs], [5_000, hourMs]);
      assert.ok(forMs < 5_000 && inMs <= 5_000 && inMs > 0, `${forMs} ${inMs}`);
      assert.deepEqual(await runs.waits({ limit: 9 }), [{ ...rest, sinceMs, dueMs, giveUpMs }]);
      assert.equal(await runs.countWaits(), 1);
    },
  },
  {
    name: 'goes on with a wait: it keeps its beginning, and what all tries cost is kept and charged once',
    async run({ runs, usage }) {
      const fence = await start(runs, runRecord('r1'));
      const calls = async () => (await usage.totals('caller'))[0]?.calls ?? 0;
      await runs.commit(fence, { ...postponed('r1', 1), spend: [spendRecord] });
      const second = {
        ...postponed('r1', 1, { attempts: 2, forMs: 7_000 }),
        spend: [spendRecord, spendRecord],
      };
      await runs.commit(fence, second);
      // What was written and not heard of is written again.
      await runs.commit(fence, second);
      await runs.commit(fence, { ...postponed('r1', 1, { attempts: 3 }) });
      const waits = await runs.waits({ limit: 9 });
      assert.deepEqual(
        waits.map(({ attempts }) => attempts),
        [3],
      );
      assert.equal((await runs.load('r1')).spend.length, 3);
      assert.equal(await calls(), 3);
      await runs.commit(fence, { ops: [opRecord('r1', 1)], spend: [spendRecord] });
      const tree = await runs.load('r1');
      assert.deepEqual([tree.spend.length, await calls(), tree.waits], [4, 4, []]);
    },
  },
  {
    name: 'forgets a wait with its step, with the end of its run and of those above, and with a cancelled root',
    async run({ runs }) {
      const fence = await start(runs, runRecord('r1'));
      for (const id of ['r1.1', 'r1.2']) {
        await runs.startChild(fence, runRecord(id, { rootId: 'r1', parentId: 'r1' }));
        await runs.commit(fence, postponed(id, 4));
      }
      await runs.commit(fence, postponed('r1', 3));
      const left = async () => (await runs.waits({ limit: 9 })).map(({ runId, seq }) => `${runId}.${seq}`);
      assert.deepEqual(await left(), ['r1.1.4', 'r1.2.4', 'r1.3']);
      await runs.commit(fence, { ops: [opRecord('r1', 3, { state: 'failed' })] });
      assert.deepEqual(await left(), ['r1.1.4', 'r1.2.4']);
      await runs.finish(fence, { runId: 'r1.1', status: 'failed', output: null, error: null });
      assert.deepEqual(await left(), ['r1.2.4']);
      await runs.finish(fence, { runId: 'r1', status: 'completed', output: null, error: null });
      assert.deepEqual([await left(), await runs.countWaits()], [[], 0]);
      await runs.commit(await start(runs, runRecord('r2')), postponed('r2', 1));
      await runs.commit(await start(runs, runRecord('r20')), postponed('r20', 1));
      await runs.cancel('r2');
      assert.deepEqual(await left(), ['r20.1']);
    },
  },
  {
    name: 'writes no wait for a leg that lost its root',
    async run({ runs, usage }) {
      const fence = await start(runs, runRecord('r1'));
      await runs.park(fence);
      assert.equal(await runs.commit(fence, { ...postponed('r1', 1), spend: [spendRecord] }), undefined);
      assert.deepEqual([await runs.countWaits(), await usage.totals('caller')], [0, []]);
    },
  },
  {
    name: 'wakes roots that wait and have a step that is due, and no others',
    async run({ runs }) {
      const parked = async (id: string, times: Partial<AskedWait>): Promise<void> => {
        const fence = await start(runs, runRecord(id));
        await runs.commit(fence, postponed(id, 1, times));
        await runs.park(fence);
      };
      await parked('due', { inMs: 0 });
      await parked('later', { inMs: 60_000 });
      // From before the clock was set back: no wait is this long.
      await parked('ahead', { inMs: hourMs });
      await runs.commit(await start(runs, runRecord('works')), postponed('works', 1, { inMs: 0 }));
      await runs.park(await start(runs, runRecord('asks')));
      assert.equal((await runs.due('p')).waits, true);
      assert.deepEqual([...(await runs.wake())].sort(), ['ahead', 'due']);
      assert.deepEqual(await runs.wake(), []);
      assert.equal((await runs.due('p')).waits, false);
      const taken = await runs.take('q', 9, leaseMs);
      assert.deepEqual(taken.map(({ fence }) => `${fence.rootId} ${fence.wakes}`).sort(), [
        'ahead 1',
        'due 1',
      ]);
      const [ahead] = (await runs.load('ahead')).waits;
      assert.equal(ahead?.inMs, 0);
    },
  },
  {
    name: 'says what a root waits for: humans first',
    async run({ runs }) {
      const parked = async (id: string, ...commits: readonly OpCommit[]): Promise<void> => {
        const fence = await start(runs, runRecord(id));
        await runs.startChild(fence, runRecord(`${id}.1`, { rootId: id, parentId: id }));
        for (const commit of commits) await runs.commit(fence, commit);
        await runs.park(fence);
      };
      const asks = (id: string): OpCommit => ({
        ops: [opRecord(`${id}.1`, 2, waiting)],
        approvals: [approvalRecord(`a-${id}`, { runId: `${id}.1`, seq: 2 })],
      });
      await parked('r1', asks('r1'));
      await parked('r2', postponed('r2.1', 1));
      await parked('r3', postponed('r3.1', 1), asks('r3'));
      await start(runs, runRecord('r4'));
      const listed: readonly ListedRun[] = await runs.list({ limit: 9 });
      assert.deepEqual(
        listed.map(({ runId, status, waitsFor }) => [runId, status, waitsFor]),
        [
          ['r4', 'running', null],
          ['r3', 'waiting', 'awaiting_approval'],
          ['r2', 'waiting', 'waiting_provider'],
          ['r1', 'waiting', 'awaiting_approval'],
        ],
      );
      const ids = async (filter: Parameters<RunStore['list']>[0]) =>
        (await runs.list(filter)).map(({ runId }) => runId);
      assert.deepEqual(await ids({ waitsFor: 'awaiting_approval', limit: 9 }), ['r3', 'r1']);
      assert.deepEqual(await ids({ waitsFor: 'awaiting_approval', after: 'r3', limit: 9 }), ['r1']);
      assert.deepEqual(await ids({ waitsFor: 'waiting_provider', limit: 1 }), ['r2']);
    },
  },
  {
    name: 'lists waits in pages',
    async run({ runs }) {
      for (const id of ['r1', 'r2', 'r3'])
        await runs.commit(await start(runs, runRecord(id)), postponed(id, 1));
      const page = async (after?: string) =>
        (await runs.waits({ limit: 2, ...(after !== undefined && { after }) })).map(({ runId }) => runId);
      assert.deepEqual([await page(), await page('r2.1')], [['r1', 'r2'], ['r3']]);
    },
  },
];

const waiting = { state: 'waiting', value: null, endedMs: null } as const;

async function start(runs: RunStore, run: RunRecord): Promise<Fence> {
  const started = await runs.start(run, 'p', leaseMs);
  assert.ok(started.outcome === 'started', started.outcome);
  return started.fence;
}

/** A step whose first try failed just now. */
function postponed(runId: string, seq: number, fields: Partial<AskedWait> = {}): OpCommit {
  const wait: AskedWait = {
    ...{ runId, seq, kind: 'provider', agent: 'guard', provider: 'cloud', model: 'small' },
    ...{ reason: 'unavailable', message: 'it is out of reach', attempts: 1 },
    ...{ forMs: 0, inMs: 1_000, giveUpInMs: hourMs },
    ...fields,
  };
  return { ops: [opRecord(runId, seq, waiting)], wait };
}
