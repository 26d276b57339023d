import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import type { Approval, BegunCall, Fence, RunFinish, RunRecord, RunStore } from '../run-store.ts';
import type { Outbox, UsageStore } from '../stores.ts';
import { approvalRecord, opRecord, runRecord, spendRecord } from './run-records.ts';
import type { StoreCase } from './store-case.ts';

/** A run store, and the stores of the same database that its commits reach. */
export interface StoresOfRuns {
  readonly runs: RunStore;
  readonly usage: UsageStore;
  readonly outbox: Outbox;
}

/** A call of a model under way. */
function begunCall(runId: string, seq: number): BegunCall {
  const spend = [{ ...spendRecord, estimated: true }];
  return { runId, seq, kind: 'model', name: 'fast', startedMs: 2_000, spend };
}

/** Long enough for any test. */
const leaseMs = 600_000;
/** Over at once. */
const noTime = 0;
const hourMs = 3_600_000;

/** What every run store does. */
export const runStoreCases: readonly StoreCase<StoresOfRuns>[] = [
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
    name: 'puts a notice into the outbox together with its approvals',
    async run({ runs, outbox }) {
      const fence = await start(runs, runRecord('r1'));
      await runs.commit(fence, {
        ops: [opRecord('r1', 1, waiting)],
        approvals: [approvalRecord('a1', { runId: 'r1' })],
        notice,
      });
      assert.deepEqual(await outbox.due(Number.MAX_SAFE_INTEGER, 10), [{ ...notice, attempts: 0 }]);
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
  {
    name: 'takes roots that are ready or whose lease is over, no others and no more than the limit',
    async run({ runs }) {
      await start(runs, runRecord('working'));
      await runs.park(await start(runs, runRecord('waiting')));
      await runs.finish(await start(runs, runRecord('ended')), end('ended'));
      await runs.release(await start(runs, runRecord('ready')));
      await start(runs, runRecord('dead'), noTime);
      const [first] = await runs.take('q', 1, leaseMs);
      const [second] = await runs.take('q', 9, leaseMs);
      assert.deepEqual(first, { fence: { rootId: 'ready', epoch: 2, wakes: 0 }, attempts: 0 });
      assert.deepEqual(second, { fence: { rootId: 'dead', epoch: 2, wakes: 0 }, attempts: 1 });
      assert.deepEqual(await runs.take('q', 9, leaseMs), []);
    },
  },
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
  {
    name: 'takes the one root it is told to, when it can be taken',
    async run({ runs }) {
      await runs.release(await start(runs, runRecord('r1')));
      await runs.release(await start(runs, runRecord('r2')));
      await start(runs, runRecord('r3'));
      const [taken] = await runs.take('q', 1, leaseMs, 'r2');
      assert.equal(taken?.fence.rootId, 'r2');
      for (const id of ['r2', 'r3', 'unknown']) assert.deepEqual(await runs.take('q', 1, leaseMs, id), []);
      assert.equal((await runs.take('q', 9, leaseMs))[0]?.fence.rootId, 'r1');
    },
  },
  {
    name: 'leaves a holder what it executes, whatever the clock was set to, and others take it',
    async run({ runs }) {
      await start(runs, runRecord('r1'), noTime);
      await start(runs, runRecord('r2'), noTime);
      assert.deepEqual(await runs.take('p', 9, leaseMs, undefined, ['r1', 'r2']), []);
      assert.deepEqual(await runs.take('p', 1, leaseMs, 'r1', ['r1']), []);
      assert.equal((await runs.take('p', 9, leaseMs, undefined, ['r1']))[0]?.fence.rootId, 'r2');
      assert.equal((await runs.take('q', 9, leaseMs, undefined, ['r1']))[0]?.fence.rootId, 'r1');
    },
  },
  {
    name: 'lets a lease from before the clock was set back end as any other, unless its holder renews it',
    async run({ runs }) {
      await start(runs, runRecord('dead'), hourMs);
      await runs.start(runRecord('working'), 'q', hourMs);
      assert.deepEqual(await runs.take('z', 9, noTime), []);
      assert.deepEqual(await runs.renew('q', leaseMs, ['working']), ['working']);
      const taken = await runs.take('z', 9, leaseMs);
      assert.deepEqual(
        taken.map(({ fence }) => fence.rootId),
        ['dead'],
      );
    },
  },
  {
    name: 'says in one look whether there is anything to look after',
    async run({ runs }) {
      const nothing = { roots: false, approvals: false, waits: false };
      assert.deepEqual(await runs.due('p'), nothing);
      await runs.park(await asked(runs));
      const fence = await asked(runs, { expiresMs: 0 }, 'r2');
      assert.deepEqual(await runs.due('p'), { ...nothing, approvals: true });
      await runs.park(fence);
      await runs.expire();
      assert.deepEqual(await runs.due('p'), { ...nothing, roots: true });
      const [taken] = await runs.take('p', 9, leaseMs);
      assert.deepEqual(await runs.due('p'), nothing);
      // Whoever holds it may be gone.
      assert.deepEqual(await runs.due('q'), { ...nothing, roots: true });
      if (taken) await runs.release(taken.fence, true);
      assert.deepEqual(await runs.due('q'), nothing);
      await start(runs, runRecord('r3'), noTime);
      assert.deepEqual(await runs.due('p'), { ...nothing, roots: true });
      await runs.cancel('r3');
      await runs.start(runRecord('r4'), 'p', hourMs);
      assert.deepEqual(await runs.due('p'), { ...nothing, roots: true });
    },
  },
  {
    name: 'counts the legs that died without a commit',
    async run({ runs }) {
      await start(runs, runRecord('r1'), noTime);
      for (const attempts of [1, 2, 3])
        assert.equal((await runs.take('q', 1, noTime, 'r1'))[0]?.attempts, attempts);
      const fourth = await runs.takeSuspect('q', noTime);
      assert.ok(fourth?.attempts === 4);
      await runs.commit(fourth.fence, { ops: [opRecord('r1', 1)] });
      assert.equal((await runs.take('q', 1, noTime))[0]?.attempts, 1);
    },
  },
  {
    name: 'takes suspects one at a time, those of the fewest attempts first, and never with the others',
    async run({ runs }) {
      for (const id of ['r1', 'r2', 'r3']) await start(runs, runRecord(id), noTime);
      // Ready again after two processes died: a suspect all the same.
      for (let died = 0; died < 2; died++) await runs.take('p', 1, noTime, 'r1');
      const [seen] = await runs.take('p', 1, noTime, 'r1');
      assert.equal(seen?.attempts, 3);
      if (seen) await runs.release(seen.fence);
      await runs.take('p', 1, noTime, 'r2');
      assert.deepEqual(
        (await runs.take('q', 9, leaseMs)).map(({ fence }) => fence.rootId),
        ['r3'],
      );
      const suspects = [await runs.takeSuspect('q', leaseMs), await runs.takeSuspect('q', leaseMs)];
      assert.deepEqual(
        suspects.map((one) => [one?.fence.rootId, one?.attempts]),
        [
          ['r2', 2],
          ['r1', 3],
        ],
      );
      assert.equal(await runs.takeSuspect('q', leaseMs), undefined);
    },
  },
  {
    name: 'leaves a root alone for a second after it was disturbed',
    async run({ runs }) {
      await runs.release(await start(runs, runRecord('r1')), true);
      assert.deepEqual(await runs.take('q', 9, leaseMs), []);
      assert.deepEqual(await runs.take('q', 1, leaseMs, 'r1'), []);
      assert.deepEqual((await runs.load('r1')).runs[0]?.status, 'ready');
      await setTimeout(1_050);
      assert.equal((await runs.take('q', 9, leaseMs))[0]?.attempts, 0);
    },
  },
  {
    name: 'leaves the leases of a holder that is alive, and of one that nobody knows',
    async run({ runs }) {
      const leave = await runs.enter('p');
      await start(runs, runRecord('r1'));
      await runs.start(runRecord('r2'), 'stranger', leaseMs);
      assert.equal(await runs.endLeases(), 0);
      assert.deepEqual(await runs.take('q', 9, leaseMs), []);
      leave();
      assert.equal(await runs.endLeases(), 0);
    },
  },
  {
    name: 'renews all leases of a holder that it still has',
    async run({ runs }) {
      await start(runs, runRecord('r1'), noTime);
      await start(runs, runRecord('r2'), noTime);
      await runs.start(runRecord('other'), 'q', leaseMs);
      await runs.take('q', 1, leaseMs, 'r1');
      // What it does not execute ends with its lease.
      assert.deepEqual(await runs.renew('p', leaseMs, ['r1']), []);
      assert.deepEqual(await runs.renew('p', leaseMs, ['r1', 'r2']), ['r2']);
      assert.deepEqual(await runs.take('z', 9, leaseMs), []);
      assert.deepEqual(await runs.renew('nobody', leaseMs, ['r2']), []);
    },
  },
  {
    name: 'wakes a parked root by a decision',
    async run({ runs }) {
      const fence = await asked(runs);
      assert.deepEqual(await runs.park(fence), { outcome: 'parked' });
      assert.deepEqual(await runs.take('q', 9, leaseMs), []);
      assert.deepEqual(await runs.decide('a1', approve), { outcome: 'decided', rootId: 'r1' });
      const [taken] = await runs.take('q', 9, leaseMs);
      assert.deepEqual(taken, { fence: { rootId: 'r1', epoch: 2, wakes: 1 }, attempts: 0 });
    },
  },
  {
    name: 'does not park past a decision that came since the leg began',
    async run({ runs }) {
      const fence = await asked(runs);
      await runs.decide('a1', approve);
      const woken = await runs.park(fence);
      assert.deepEqual(woken, { outcome: 'woken', fence: { rootId: 'r1', epoch: 1, wakes: 1 } });
      assert.equal((await runs.load('r1')).runs[0]?.status, 'running');
      assert.ok(woken.outcome === 'woken');
      assert.deepEqual(await runs.park(woken.fence), { outcome: 'parked' });
      assert.deepEqual(await runs.park(woken.fence), { outcome: 'lost' });
    },
  },
  {
    name: 'records a decision once',
    async run({ runs }) {
      const fence = await asked(runs);
      await runs.decide('a1', { status: 'denied', note: 'not now', by: 'ops' });
      assert.deepEqual(await runs.decide('a1', approve), { outcome: 'already' });
      assert.deepEqual(await runs.park({ ...fence, wakes: 1 }), { outcome: 'parked' });
      assert.deepEqual(await runs.decide('a1', approve), { outcome: 'already' });
      assert.deepEqual(await runs.take('q', 9, leaseMs), []);
      const approval = await runs.approval('a1');
      assert.ok(approval?.decidedMs);
      const { status, note, decidedBy, requestedOrd, decidedOrd } = approval;
      assert.deepEqual(
        { status, note, decidedBy, requestedOrd, decidedOrd },
        { status: 'denied', note: 'not now', decidedBy: 'ops', requestedOrd: 1, decidedOrd: 2 },
      );
      assert.deepEqual(await runs.decide('a2', approve), { outcome: 'unknown' });
    },
  },
  {
    name: 'gives an approval back as it was asked for',
    async run({ runs }) {
      const fence = await start(runs, runRecord('r1'));
      const asking = approvalRecord('a1', { runId: 'r1', path: ['guard', 'porter'], reason: 'ä' });
      await runs.commit(fence, { ops: [], approvals: [asking] });
      const approval = await runs.approval('a1');
      assert.ok(approval);
      const { requestedMs, expiresMs, requestedOrd, decidedOrd, ...rest } = approval;
      const { requestedMs: askedMs, expiresMs: untilMs, ...expected } = asking;
      assert.deepEqual(rest, expected);
      assert.deepEqual([requestedOrd, decidedOrd], [1, null]);
      // By the clock of the store, and as long as it was given.
      assert.equal(expiresMs - requestedMs, untilMs - askedMs);
      assert.deepEqual((await runs.load('r1')).approvals, [approval]);
    },
  },
  {
    name: 'gives a root to whoever decides on it in the same commit, if nobody has it',
    async run({ runs }) {
      const taker = { holder: 'q', leaseMs };
      await runs.park(await asked(runs));
      const fence = { rootId: 'r1', epoch: 2, wakes: 1 };
      assert.deepEqual(await runs.decide('a1', approve, taker), {
        ...{ outcome: 'decided', rootId: 'r1' },
        taken: { fence, attempts: 0 },
      });
      assert.deepEqual(await runs.renew('q', leaseMs, ['r1']), ['r1']);
      assert.equal(await runs.commit(fence, { ops: [opRecord('r1', 1)] }), 3);
      // Decided already, and under way.
      assert.deepEqual(await runs.decide('a1', approve, taker), { outcome: 'already' });
      await asked(runs, {}, 'r2');
      assert.deepEqual(await runs.decide('a-r2', approve, taker), { outcome: 'decided', rootId: 'r2' });
      assert.deepEqual(await runs.renew('q', leaseMs, ['r1', 'r2']), ['r1']);
    },
  },
  {
    name: 'takes no root that is ready for a decision that comes too late',
    async run({ runs }) {
      await runs.park(await asked(runs));
      await runs.decide('a1', approve);
      assert.deepEqual(await runs.decide('a1', approve, { holder: 'q', leaseMs }), { outcome: 'already' });
      assert.equal((await runs.take('p', 9, leaseMs))[0]?.fence.epoch, 2);
    },
  },
  {
    name: 'counts what waits for a human, of whatever root',
    async run({ runs }) {
      assert.equal(await runs.countPending(), 0);
      await asked(runs);
      await asked(runs, {}, 'r2');
      await asked(runs, { expiresMs: 0 }, 'r3');
      assert.equal(await runs.countPending(), 3);
      await runs.expire();
      assert.equal(await runs.countPending(), 2);
      await runs.decide('a1', approve);
      assert.equal(await runs.countPending(), 1);
      await runs.cancel('r2');
      assert.equal(await runs.countPending(), 0);
    },
  },
  {
    name: 'refuses a decision after its time, also when nobody looked yet',
    async run({ runs }) {
      await asked(runs, { expiresMs: 0 });
      assert.deepEqual(await runs.decide('a1', approve), { outcome: 'expired' });
      assert.equal((await runs.approval('a1'))?.status, 'pending');
      await runs.expire();
      assert.deepEqual(await runs.decide('a1', approve), { outcome: 'expired' });
      assert.equal((await runs.approval('a1'))?.status, 'expired');
    },
  },
  {
    name: 'marks approvals whose time is over, and wakes their roots',
    async run({ runs }) {
      await runs.park(await asked(runs, { expiresMs: 0 }));
      await runs.park(await asked(runs, {}, 'r2'));
      assert.deepEqual(await runs.expire(), ['r1']);
      assert.deepEqual(await runs.expire(), []);
      const taken = await runs.take('q', 9, leaseMs);
      assert.deepEqual(
        taken.map(({ fence }) => fence.rootId),
        ['r1'],
      );
    },
  },
  {
    name: 'numbers approvals of one root that expire together',
    async run({ runs }) {
      const fence = await start(runs, runRecord('r1'));
      const approvals = [1, 2, 3].map((seq) => approvalRecord(`a${seq}`, { runId: 'r1', seq, expiresMs: 0 }));
      await runs.commit(fence, { ops: [], approvals });
      assert.deepEqual(await runs.expire(), ['r1']);
      const tree = await runs.load('r1');
      assert.deepEqual(new Set(tree.approvals.map(({ decidedOrd }) => decidedOrd)), new Set([4, 5, 6]));
      assert.equal(await runs.commit(fence, { ops: [opRecord('r1', 9)] }), 7);
    },
  },
  {
    name: 'numbers what is decided, expired and withdrawn by its own root',
    async run({ runs }) {
      const other = await start(runs, runRecord('r0'));
      await runs.commit(other, { ops: [1, 2, 3, 4, 5, 6, 7, 8, 9].map((seq) => opRecord('r0', seq)) });
      const fence = await start(runs, runRecord('r1'));
      const approvals = [1, 2, 3].map((seq) =>
        approvalRecord(`a${seq}`, { runId: 'r1', seq, expiresMs: seq === 2 ? 0 : 3_600_000 }),
      );
      await runs.commit(fence, { ops: [], approvals });
      await runs.decide('a1', approve);
      await runs.expire();
      await runs.finish(fence, end('r1'));
      const decided = (await runs.load('r1')).approvals.map(({ decidedOrd }) => decidedOrd);
      assert.deepEqual(decided, [4, 5, 6]);
      assert.equal(await runs.commit(other, { ops: [opRecord('r0', 10)] }), 10);
    },
  },
  {
    name: 'withdraws an approval that is pending, and none that a human decided',
    async run({ runs }) {
      const fence = await start(runs, runRecord('r1'));
      const one = approvalRecord('a1', { runId: 'r1', seq: 1 });
      const two = approvalRecord('a2', { runId: 'r1', seq: 2 });
      await runs.commit(fence, { ops: [], approvals: [one, two] });
      await runs.decide('a1', approve);
      const withdrawn = [one, two].map((each) => ({ ...each, status: 'withdrawn' as const, note: 'late' }));
      assert.equal(await runs.commit(fence, { ops: [], approvals: withdrawn }), 5);
      const { approvals } = await runs.load('r1');
      assert.deepEqual(
        approvals.map(({ status, note, decidedOrd }) => ({ status, note, decidedOrd })),
        [
          { status: 'approved', note: 'fine', decidedOrd: 3 },
          { status: 'withdrawn', note: 'late', decidedOrd: 5 },
        ],
      );
      assert.deepEqual(await runs.decide('a2', approve), { outcome: 'already' });
    },
  },
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
      assert.deepEqual(await ids({ status: 'waiting', limit: 2 }), ['r4', 'r3']);
      assert.deepEqual(await ids({ status: 'waiting', after: 'r3', limit: 2 }), ['r1']);
      assert.deepEqual(await ids({ status: 'running', limit: 9 }), ['r2']);
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

const waiting = { state: 'waiting', value: null, endedMs: null } as const;
const approve = { status: 'approved', note: 'fine', by: 'ops' } as const;
const notice = { id: 'n1', url: 'https://example.org/hook', body: { type: 'approval' } };

async function start(runs: RunStore, run: RunRecord, ms = leaseMs): Promise<Fence> {
  const started = await runs.start(run, 'p', ms);
  assert.ok(started.outcome === 'started', started.outcome);
  return started.fence;
}

function end(runId: string, fields: Partial<RunFinish> = {}): RunFinish {
  return { runId, status: 'completed', output: 'done', error: null, ...fields };
}

/** A root with one gated call. */
async function asked(runs: RunStore, fields: Partial<Approval> = {}, runId = 'r1'): Promise<Fence> {
  const fence = await start(runs, runRecord(runId));
  await runs.commit(fence, {
    ops: [opRecord(runId, 1, waiting)],
    approvals: [approvalRecord(runId === 'r1' ? 'a1' : `a-${runId}`, { runId, ...fields })],
  });
  return fence;
}

/** A root with two children, each with one gated call; four numbers of it are taken. */
async function tree(runs: RunStore): Promise<Fence> {
  const fence = await start(runs, runRecord('r1'));
  for (const seq of [1, 2])
    await runs.startChild(fence, runRecord(`r1.${seq}`, { rootId: 'r1', parentId: 'r1' }));
  await runs.commit(fence, {
    ops: [opRecord('r1.1', 1, waiting), opRecord('r1.2', 1, waiting)],
    approvals: [approvalRecord('a1', { runId: 'r1.1' }), approvalRecord('a2', { runId: 'r1.2' })],
  });
  return fence;
}

async function assertWritesNothing({ runs, usage, outbox }: StoresOfRuns, fence: Fence): Promise<void> {
  const { rootId } = fence;
  const before = [await runs.load(rootId), await usage.totals('caller'), await outbox.due(2 ** 50, 9)];
  const committed = await runs.commit(fence, {
    ops: [opRecord(rootId, 7), opRecord(rootId, 8)],
    spend: [spendRecord],
    approvals: [approvalRecord('late', { runId: rootId })],
    notice,
  });
  assert.equal(committed, undefined);
  const child = runRecord(`${rootId}.8`, { rootId, parentId: rootId });
  assert.equal(await runs.startChild(fence, child), undefined);
  assert.equal(await runs.finish(fence, end(rootId)), undefined);
  assert.deepEqual(await runs.park(fence), { outcome: 'lost' });
  await runs.release(fence);
  const after = [await runs.load(rootId), await usage.totals('caller'), await outbox.due(2 ** 50, 9)];
  assert.deepEqual(after, before);
}
