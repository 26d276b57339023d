import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import type { StoreCase } from '../store-case.ts';
import { approvalRecord, opRecord, runRecord } from './run-records.ts';
import {
  approve,
  asked,
  end,
  hourMs,
  leaseMs,
  noTime,
  type StoresOfRuns,
  start,
  waiting,
} from './stored-runs.ts';

/** Who executes a root, in every run store. */
export const runLeaseCases: readonly StoreCase<StoresOfRuns>[] = [
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
      if (taken) await runs.release(taken.fence, 'disturbed');
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
    name: 'counts a leg that is given back as an attempt, and no other that is given back',
    async run({ runs }) {
      await runs.release(await start(runs, runRecord('r1')));
      for (const attempts of [0, 1]) {
        const [taken] = await runs.take('q', 1, leaseMs, 'r1');
        assert.equal(taken?.attempts, attempts);
        if (taken) await runs.release(taken.fence, 'attempted');
      }
      assert.deepEqual(await runs.take('q', 9, leaseMs), []);
      const suspect = await runs.takeSuspect('q', leaseMs);
      assert.equal(suspect?.attempts, 2);
      if (suspect) await runs.commit(suspect.fence, { ops: [opRecord('r1', 1)] });
      if (suspect) await runs.release(suspect.fence);
      assert.equal((await runs.take('q', 9, leaseMs))[0]?.attempts, 0);
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
      await runs.release(await start(runs, runRecord('r1')), 'disturbed');
      assert.deepEqual(await runs.take('q', 9, leaseMs), []);
      assert.deepEqual(await runs.take('q', 1, leaseMs, 'r1'), []);
      assert.deepEqual((await runs.load('r1')).runs[0]?.status, 'ready');
      await setTimeout(1_050);
      assert.equal((await runs.take('q', 9, leaseMs))[0]?.attempts, 0);
    },
  },
  {
    name: 'lets a holder leave what one that started later had, and gives it to none that is as old',
    async run({ runs }) {
      for (const holder of ['old', 'p']) (await runs.enter(holder, holder))();
      (await runs.enter('replaced', 'old'))();
      const own = (holder: string) => runs.take(holder, 9, leaseMs);
      await runs.release(await start(runs, runRecord('r1')));
      for (const [holder, isIt] of [
        ['old', true],
        ['replaced', true],
        ['stranger', true],
        ['p', false],
      ] as const)
        assert.equal(await runs.isOfNewer('r1', holder), isIt);
      const [taken] = await own('old');
      assert.ok(taken && (await runs.leave(taken.fence)));
      assert.ok(!(await runs.leave(taken.fence)), 'it is left already');
      for (const holder of ['old', 'replaced', 'stranger']) {
        assert.deepEqual(await own(holder), []);
        assert.deepEqual(await runs.take(holder, 1, leaseMs, 'r1'), []);
        assert.ok(await runs.isLeft('r1', holder));
        assert.equal((await runs.due(holder)).roots, false);
      }
      assert.ok(!(await runs.isLeft('r1', 'p')));
      assert.deepEqual(await runs.due('p'), { roots: true, approvals: false, waits: false });
      const [again] = await own('p');
      assert.deepEqual([again?.fence.rootId, again?.attempts], ['r1', 0]);
      assert.ok(!(await runs.isLeft('r1', 'old')), 'somebody works on it');
    },
  },
  {
    name: 'lets no holder leave what none that started later had',
    async run({ runs }) {
      for (const holder of ['old', 'p', 'later']) (await runs.enter(holder))();
      await runs.start(runRecord('older'), 'old', noTime);
      await start(runs, runRecord('own'), noTime);
      for (const { fence } of await runs.take('later', 9, leaseMs)) assert.ok(!(await runs.leave(fence)));
      await runs.cancel('own');
      await runs.cancel('older');
      const fence = await start(runs, runRecord('r1'));
      assert.ok(!(await runs.leave(fence)));
      assert.deepEqual(await runs.take('old', 9, leaseMs), []);
    },
  },
  {
    name: 'gives no suspect to a holder that has left it, and a decision no root',
    async run({ runs }) {
      for (const holder of ['old', 'p']) (await runs.enter(holder))();
      await runs.park(await asked(runs));
      await start(runs, runRecord('r2'), noTime);
      for (let died = 0; died < 2; died++) await runs.take('p', 1, noTime, 'r2');
      const suspect = await runs.takeSuspect('old', leaseMs);
      assert.ok(suspect?.attempts === 3 && (await runs.leave(suspect.fence)));
      assert.equal(await runs.takeSuspect('old', leaseMs), undefined);
      assert.equal((await runs.takeSuspect('p', leaseMs))?.attempts, 3);
      const { outcome, ...first } = await runs.decide('a1', approve, { holder: 'old', leaseMs });
      assert.ok(
        outcome === 'decided' && 'taken' in first && first.taken && (await runs.leave(first.taken.fence)),
      );
      const [taken] = await runs.take('p', 1, leaseMs);
      assert.ok(taken);
      await runs.commit(taken.fence, {
        ops: [opRecord('r1', 2, waiting)],
        approvals: [approvalRecord('a2', { runId: 'r1', seq: 2 })],
      });
      await runs.park(taken.fence);
      const second = await runs.decide('a2', approve, { holder: 'old', leaseMs });
      assert.deepEqual(second, { outcome: 'decided', rootId: 'r1' });
      assert.ok(await runs.isLeft('r1', 'old'));
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
];
