import assert from 'node:assert/strict';
import type { Fence, RunRecord, RunStore } from '../../stores/run-store.ts';
import type { StoreCase } from '../store-case.ts';
import { approvalRecord, opRecord, runRecord, spendRecord } from './run-records.ts';
import type { StoresOfRuns } from './stored-runs.ts';

/** Long enough for any test. */
const leaseMs = 600_000;
/** Of no row. */
const large = 'x'.repeat(100_000);

/** What every run store does with roots that are retried or forked. */
export const runRetryCases: readonly StoreCase<StoresOfRuns>[] = [
  {
    name: 'makes a root that failed ready again, under another epoch and with its last number',
    async run({ runs }) {
      const fence = await start(runs, runRecord('r1'));
      await runs.commit(fence, { ops: [opRecord('r1', 1)] });
      await fail(runs, fence);
      assert.deepEqual(await runs.retry('r1', 'ops'), { outcome: 'retried' });
      const [root] = (await runs.load('r1')).runs;
      assert.deepEqual([root?.status, root?.error, root?.endedMs], ['ready', null, null]);
      const [taken] = await runs.take('q', 1, leaseMs);
      assert.equal(taken?.fence.retryOrd, 2);
      assert.ok((taken?.fence.epoch ?? 0) > fence.epoch + 1);
      assert.equal(taken?.attempts, 0);
      assert.equal(await runs.commit(fence, { ops: [opRecord('r1', 2)] }), undefined);
    },
  },
  {
    name: 'retries no root that did not fail',
    async run({ runs }) {
      const outcome = async (id: string) => (await runs.retry(id, 'ops')).outcome;
      const fence = await start(runs, runRecord('r1'));
      await runs.startChild(fence, runRecord('r1.1', { rootId: 'r1', parentId: 'r1' }));
      assert.deepEqual(
        [await outcome('r1'), await outcome('r1.1'), await outcome('r9')],
        ['runs', 'child', 'unknown'],
      );
      await runs.park(fence);
      assert.equal(await outcome('r1'), 'waits');
      await runs.cancel('r1');
      assert.equal(await outcome('r1'), 'ended');
      await runs.finish(await start(runs, runRecord('r2')), { ...failure('r2'), status: 'completed' });
      assert.equal(await outcome('r2'), 'ended');
    },
  },
  {
    name: 'hurries a root that waits for something outside',
    async run({ runs }) {
      const fence = await start(runs, runRecord('r1'));
      await runs.commit(fence, {
        ops: [opRecord('r1', 1, { state: 'waiting', value: null, endedMs: null })],
        wait: {
          ...{ runId: 'r1', seq: 1, kind: 'provider', agent: 'guard', provider: 'cloud', model: 'small' },
          ...{ reason: 'quota', message: 'no', attempts: 1, forMs: 0, inMs: 60_000, giveUpInMs: 90_000 },
        },
      });
      await runs.park(fence);
      assert.deepEqual(await runs.retry('r1', 'ops'), { outcome: 'hurried' });
      const { runs: rows, waits } = await runs.load('r1');
      assert.deepEqual([rows[0]?.status, waits[0]?.inMs], ['ready', 0]);
      const [taken] = await runs.take('q', 1, leaseMs);
      assert.ok(taken);
      await runs.commit(taken.fence, { ops: [], approvals: [approvalRecord('a1', { runId: 'r1', seq: 2 })] });
      assert.deepEqual((await runs.approval('a1'))?.movers, ['ops']);
    },
  },
  {
    name: 'is retried or hurried by one of many at once: to the others it runs',
    async run({ runs }) {
      const outcomes = async (id: string) =>
        (await Promise.all(Array.from({ length: 8 }, () => runs.retry(id, 'ops')))).map(
          ({ outcome }) => outcome,
        );
      const others = Array.from({ length: 7 }, () => 'runs');
      await fail(runs, await start(runs, runRecord('r1')));
      assert.deepEqual((await outcomes('r1')).sort(), ['retried', ...others]);
      const fence = await start(runs, runRecord('r2'));
      await runs.commit(fence, {
        ops: [opRecord('r2', 1, { state: 'waiting', value: null, endedMs: null })],
        wait: {
          ...{ runId: 'r2', seq: 1, kind: 'provider', agent: 'guard', provider: 'cloud', model: 'small' },
          ...{ reason: 'quota', message: 'no', attempts: 1, forMs: 0, inMs: 60_000, giveUpInMs: 90_000 },
        },
      });
      await runs.park(fence);
      assert.deepEqual((await outcomes('r2')).sort(), ['hurried', ...others]);
    },
  },
  {
    name: 'runs again what the end of a root cut off, and nothing that had ended by itself',
    async run({ runs }) {
      const fence = await start(runs, runRecord('r1'));
      const below = (id: string, parentId: string) => runRecord(id, { rootId: 'r1', parentId });
      for (const [id, parent] of [
        ['r1.1', 'r1'],
        ['r1.2', 'r1'],
        ['r1.1.1', 'r1.1'],
      ] as const)
        await runs.startChild(fence, below(id, parent));
      await runs.finish(fence, { ...failure('r1.2'), status: 'completed' });
      await runs.commit(fence, { ops: [opRecord('r1', 2)] });
      await fail(runs, fence);
      await runs.retry('r1', 'ops');
      const rows = (await runs.load('r1')).runs.map(({ runId, status }) => `${runId} ${status}`);
      assert.deepEqual(rows, ['r1 ready', 'r1.1 running', 'r1.2 completed', 'r1.1.1 running']);
    },
  },
  {
    name: 'undoes failures with the ends of the runs below them, and keeps what they cost',
    async run({ runs, usage }) {
      const fence = await start(runs, runRecord('r1'));
      await runs.startChild(fence, runRecord('r1.2', { rootId: 'r1', parentId: 'r1' }));
      await runs.finish(fence, failure('r1.2'));
      const failed = opRecord('r1', 2, { state: 'failed', value: { message: 'no' } });
      await runs.commit(fence, { ops: [opRecord('r1', 1), failed], spend: [spendRecord] });
      await fail(runs, fence);
      await runs.retry('r1', 'ops');
      const [taken] = await runs.take('q', 1, leaseMs);
      assert.ok(taken);
      const redo = { runId: 'r1', ops: [{ seq: 2, state: 'waiting', value: { redone: true } }] } as const;
      assert.equal(await runs.redo(fence, redo), undefined);
      assert.ok((await runs.redo(taken.fence, redo)) !== undefined);
      const { ops, runs: rows } = await runs.load('r1');
      assert.deepEqual(
        ops.map(({ state, ord }) => [state, ord === null]),
        [
          ['done', false],
          ['waiting', true],
        ],
      );
      assert.equal(rows[1]?.status, 'running');
      await runs.commit(taken.fence, { ops: [opRecord('r1', 2)], spend: [spendRecord] });
      assert.equal((await runs.load('r1')).spend.length, 2);
      assert.equal((await usage.totals('caller'))[0]?.calls, 2);
    },
  },
  {
    name: 'takes the session of a root that is retried, where it is free',
    async run({ runs }) {
      const turn = (id: string) =>
        runRecord(id, { spec: { ...runRecord(id).spec, session: { key: 's', reset: false } } });
      await fail(runs, await start(runs, turn('r1')));
      const other = await start(runs, turn('r2'));
      assert.equal((await runs.retry('r1', 'ops')).outcome, 'session');
      await runs.finish(other, { ...failure('r2'), status: 'completed' });
      assert.equal((await runs.retry('r1', 'ops')).outcome, 'retried');
      const busy = await runs.start(turn('r3'), 'p', leaseMs);
      assert.ok(busy.outcome === 'busy' && busy.holder.runId === 'r1');
    },
  },
  {
    name: 'keeps large values of a root that failed until it is deleted, and says when they are gone',
    async run({ runs }) {
      const fence = await start(runs, runRecord('r1'));
      await runs.commit(fence, { ops: [opRecord('r1', 1, { value: large })] });
      await fail(runs, fence);
      assert.equal((await runs.load('r1')).ops[0]?.value, large);
      assert.equal((await runs.retry('r1', 'ops')).outcome, 'retried');
      const cancelled = await start(runs, runRecord('r2'));
      await runs.commit(cancelled, { ops: [opRecord('r2', 1, { value: large })] });
      await runs.cancel('r2');
      assert.deepEqual((await runs.load('r2')).ops[0]?.value, { type: 'string', bytes: 100_002 });
      assert.equal((await runs.fork('r2', 1, 'f1', 'ops')).outcome, 'gone');
    },
  },
  {
    name: 'forks a root before a number: what was recorded, the runs it is in, and what was decided of it',
    async run({ runs, usage }) {
      const fence = await start(runs, runRecord('r1', { idempotencyKey: 'k' }));
      await runs.startChild(fence, runRecord('r1.2', { rootId: 'r1', parentId: 'r1' })); // 1
      await runs.startChild(fence, runRecord('r1.3', { rootId: 'r1', parentId: 'r1' })); // 2
      await runs.commit(fence, { ops: [opRecord('r1', 1, { value: large })], spend: [spendRecord] }); // 3
      const waiting = { state: 'waiting', value: null, endedMs: null } as const;
      const approvals = [
        approvalRecord('a1', { runId: 'r1.2' }),
        approvalRecord('a2', { runId: 'r1.2', seq: 2 }),
      ];
      await runs.commit(fence, {
        ops: [opRecord('r1.2', 1, waiting), opRecord('r1.2', 2, waiting)],
        approvals, // 4, 5
      });
      const yes = { status: 'approved', note: 'fine', by: 'ops' } as const;
      await runs.decide('a1', yes); // 6
      await runs.decide('a2', yes); // 7
      await runs.commit(fence, { ops: [opRecord('r1.2', 1)] }); // 8
      await runs.commit(fence, { ops: [opRecord('r1.2', 2)] }); // 9
      await runs.finish(fence, { ...failure('r1.2'), status: 'completed' }); // 10
      await runs.commit(fence, { ops: [opRecord('r1', 2)] }); // 11
      assert.equal((await runs.fork('r1', 9, '01ARZ3NDEKTSV4RRFFQ69G5FAV', 'ops')).outcome, 'forked');
      const forkId = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
      const fork = await runs.load(forkId);
      assert.deepEqual(
        fork.runs.map(({ runId, rootId, parentId, status }) => [runId, rootId, parentId, status]),
        [
          [forkId, forkId, null, 'ready'],
          [`${forkId}.2`, forkId, forkId, 'running'],
        ],
      );
      assert.deepEqual([fork.runs[0]?.idempotencyKey, fork.runs[0]?.call], [null, runRecord('r1').call]);
      assert.deepEqual(
        fork.ops.map(({ runId, seq, ord }) => [runId, seq, ord]),
        [
          [forkId, 1, 3],
          [`${forkId}.2`, 1, 8],
        ],
      );
      assert.equal(fork.ops[0]?.value, large);
      assert.deepEqual(
        fork.approvals.map(({ runId, rootId, seq, status, decidedBy }) => [
          runId,
          rootId,
          seq,
          status,
          decidedBy,
        ]),
        [[`${forkId}.2`, forkId, 1, 'approved', 'ops']],
      );
      assert.equal(fork.spend.length, 1);
      assert.equal((await usage.totals('caller'))[0]?.calls, 1);
      const [taken] = await runs.take('q', 1, leaseMs, forkId);
      assert.ok(taken);
      assert.equal(await runs.commit(taken.fence, { ops: [opRecord(`${forkId}.2`, 2)] }), 9);
      assert.equal((await runs.load('r1')).ops.length, 4);
    },
  },
  {
    name: 'knows of an approval who forked or retried its run, or one that it is a fork of, each once',
    async run({ runs }) {
      let n = 0;
      const asks = async (fence: Fence | undefined, approvalId: string, runId: string) => {
        assert.ok(fence);
        await runs.commit(fence, { ops: [], approvals: [approvalRecord(approvalId, { runId, n: ++n })] });
        return [...((await runs.approval(approvalId))?.movers ?? [])].sort();
      };
      const taken = async (id: string) => (await runs.take('q', 1, leaseMs, id))[0]?.fence;
      const fence = await start(runs, runRecord('r1'));
      await runs.commit(fence, { ops: [opRecord('r1', 1)] });
      assert.deepEqual(await asks(fence, 'a1', 'r1'), []);
      await runs.fork('r1', 2, 'f1', 'bo');
      await runs.fork('f1', 1, 'f2', 'cy');
      const second = await taken('f2');
      assert.ok(second);
      await runs.startChild(second, runRecord('f2.9', { rootId: 'f2', parentId: 'f2' }));
      assert.deepEqual(await asks(second, 'a2', 'f2.9'), ['bo', 'cy']);
      await fail(runs, fence);
      for (const by of ['di', `o'"]`, 'di']) {
        await runs.retry('r1', by);
        assert.deepEqual((await runs.retry('r1', 'late')).outcome, 'runs');
        const again = await taken('r1');
        assert.ok(again);
        await fail(runs, again);
      }
      await runs.retry('r1', 'di');
      assert.deepEqual(await asks(await taken('r1'), 'a3', 'r1'), ['di', `o'"]`]);
      await runs.fork('r1', 1, 'f4', 'eve');
      assert.deepEqual(await asks(await taken('f4'), 'a4', 'f4'), ['di', 'eve', `o'"]`]);
      // What came before is as it was.
      assert.deepEqual(await asks(await taken('f1'), 'a5', 'f1'), ['bo']);
    },
  },
  {
    name: 'forks from the first number to the last, a run that has ended as it did, and nothing else',
    async run({ runs }) {
      const fence = await start(runs, runRecord('r1'));
      await runs.startChild(fence, runRecord('r1.1', { rootId: 'r1', parentId: 'r1' })); // 1
      await runs.commit(fence, { ops: [opRecord('r1.1', 1)] }); // 2
      await runs.finish(fence, { ...failure('r1.1'), status: 'halted', output: 'stop' }); // 3
      await runs.commit(fence, { ops: [opRecord('r1', 1), opRecord('r1', 2)] }); // 4, 5
      const outcome = async (id: string, at: number, to: string) =>
        (await runs.fork(id, at, to, 'ops')).outcome;
      assert.deepEqual(
        [await outcome('r1', 0, 'f0'), await outcome('r1', 6, 'f6'), await outcome('r1.1', 1, 'f7')],
        ['beyond', 'beyond', 'child'],
      );
      assert.equal(await outcome('r9', 1, 'f8'), 'unknown');
      assert.equal(await outcome('r1', 1, 'f1'), 'forked');
      assert.equal((await runs.load('f1')).runs.length, 1);
      assert.equal(await outcome('r1', 5, 'f5'), 'forked');
      const [, child] = (await runs.load('f5')).runs;
      assert.deepEqual([child?.runId, child?.status, child?.output], ['f5.1', 'halted', 'stop']);
    },
  },
];

async function start(runs: RunStore, run: RunRecord): Promise<Fence> {
  const started = await runs.start(run, 'p', leaseMs);
  assert.ok(started.outcome === 'started', started.outcome);
  return started.fence;
}

function failure(runId: string) {
  return { runId, status: 'failed', output: null, error: { code: 'x', message: 'no', status: 502 } } as const;
}

async function fail(runs: RunStore, fence: Fence): Promise<void> {
  await runs.finish(fence, failure(fence.rootId));
}
