import assert from 'node:assert/strict';
import type { StoreCase } from '../store-case.ts';
import { approvalRecord, opRecord, runRecord } from './run-records.ts';
import { approve, asked, end, leaseMs, type StoresOfRuns, start } from './stored-runs.ts';

/** How every run store asks humans, and takes what they say. */
export const runApprovalCases: readonly StoreCase<StoresOfRuns>[] = [
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
      const { movers, ...stored } = approval;
      const { requestedMs, expiresMs, requestedOrd, decidedOrd, ...rest } = stored;
      const { requestedMs: askedMs, expiresMs: untilMs, ...expected } = asking;
      assert.deepEqual(rest, expected);
      assert.deepEqual([requestedOrd, decidedOrd, movers], [1, null, []]);
      // By the clock of the store, and as long as it was given.
      assert.equal(expiresMs - requestedMs, untilMs - askedMs);
      assert.deepEqual((await runs.load('r1')).approvals, [stored]);
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
];
