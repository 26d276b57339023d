import type { Fence, RunStore } from '@waymark/contract/stores';
import { approvalRecord, opRecord, runRecord, spendRecord } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { SqlTransaction } from '../../src/database/sql-transaction.ts';
import { fileDatabase, testDatabase } from '../open.ts';
import { storesOfRuns } from './stores-of-runs.ts';

const hourMs = 3_600_000;

async function start(runs: RunStore, runId = 'r1', leaseMs = 600_000): Promise<Fence> {
  const started = await runs.start(runRecord(runId), 'p', leaseMs);
  if (started.outcome !== 'started') throw new Error(started.outcome);
  return started.fence;
}

describe('commit in the transaction of an effect', () => {
  const effect = 'insert into effect (a) values (1)';
  const opened = async () => {
    const stores = storesOfRuns(await fileDatabase());
    await stores.database.write([{ sql: 'create table effect (a integer)' }]);
    return stores;
  };

  it('is stored together with it', async () => {
    const { database, runs, usage } = await opened();
    const fence = await start(runs);
    const ord = await database.transaction(async (transaction) => {
      await transaction.run(effect);
      const commit = { ops: [opRecord('r1', 1)], spend: [spendRecord] };
      return runs.commit(fence, commit, transaction.handle);
    });
    expect(ord).toBe(1);
    expect((await runs.load('r1')).ops).toHaveLength(1);
    expect(await usage.totals('caller')).toHaveLength(1);
    expect(await database.many('select a from effect')).toHaveLength(1);
  });

  it('is undone together with it', async () => {
    const { database, runs } = await opened();
    const fence = await start(runs);
    const failing = database.transaction(async (transaction) => {
      await runs.commit(fence, { ops: [opRecord('r1', 1)] }, transaction.handle);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect((await runs.load('r1')).ops).toEqual([]);
    expect(await runs.commit(fence, { ops: [opRecord('r1', 1)] })).toBe(1);
  });

  it('says that the root is lost, so that the effect can be undone', async () => {
    const { database, runs } = await opened();
    const fence = await start(runs);
    await runs.cancel('r1');
    const failing = database.transaction(async (transaction) => {
      await transaction.run(effect);
      const ord = await runs.commit(fence, { ops: [opRecord('r1', 1)] }, transaction.handle);
      if (ord === undefined) throw new Error('lost');
    });
    await expect(failing).rejects.toThrow('lost');
    expect(await database.many('select a from effect')).toEqual([]);
  });

  it('refuses a transaction of somebody else', async () => {
    const { runs } = await opened();
    const fence = await start(runs);
    const foreign = {} as SqlTransaction['handle'];
    await expect(runs.commit(fence, { ops: [] }, foreign)).rejects.toThrow('another package');
  });
});

describe('a commit that fails', () => {
  it('leaves nothing half-written, and its neighbours as they are', async () => {
    const { runs, usage, outbox } = storesOfRuns(await testDatabase());
    const [one, two] = [await start(runs, 'r1'), await start(runs, 'r2')];
    const notice = { id: 'n1', endpoint: 'watcher:yard', body: null };
    const [failed, stored] = await Promise.allSettled([
      runs.commit(one, {
        ops: [opRecord('r1', 1), opRecord('r1', 2)],
        spend: [spendRecord],
        approvals: [approvalRecord('a1', { runId: 'r1' }), approvalRecord('a2', { runId: 'r1' })],
        notices: [notice],
      }),
      runs.commit(two, { ops: [opRecord('r2', 1)] }),
    ]);
    // The same call cannot be asked about twice under one number.
    expect(failed).toMatchObject({ status: 'rejected', reason: { status: 409 } });
    expect(stored).toEqual({ status: 'fulfilled', value: 1 });
    const { ops, approvals } = await runs.load('r1');
    expect([ops, approvals, await usage.totals('caller'), await outbox.lines()]).toEqual([[], [], [], []]);
    expect(await runs.commit(one, { ops: [opRecord('r1', 1)] })).toBe(1);
  });

  it('starts no root whose values cannot be stored', async () => {
    const { runs, sessions } = storesOfRuns(await testDatabase());
    const spec = { ...runRecord('r1').spec, session: { key: 's', reset: false } };
    const run = runRecord('r1', { idempotencyKey: 'a\0b', spec });
    await expect(runs.start(run, 'p', 1_000)).rejects.toMatchObject({ status: 422 });
    expect([(await runs.load('r1')).runs, await sessions.load('s')]).toEqual([[], undefined]);
  });
});

describe('what a commit adds to other tables', () => {
  it.each([2, 3, 4])('leaves the newest 3 of %i rows of the ledger and deliveries', async (count) => {
    const database = await testDatabase();
    const { runs, usage, outbox } = storesOfRuns(database, { keepSpend: 3, keepDeliveries: 3 });
    const fence = await start(runs);
    for (let seq = 1; seq <= count; seq++) {
      const notice = { id: `n${seq}`, endpoint: 'watcher:yard', body: seq };
      await runs.commit(fence, { ops: [opRecord('r1', seq)], spend: [spendRecord], notices: [notice] });
    }
    expect((await usage.totals('caller'))[0]?.calls).toBe(Math.min(count, 3));
    const bodies = (await outbox.kept('watcher:yard', 9)).map(({ body }) => body);
    expect(bodies).toEqual([4, 3, 2, 1].slice(4 - count).slice(0, 3));
    // The run itself still knows all of it.
    expect((await runs.load('r1')).spend).toHaveLength(count);
  });

  it('counts the ledger once for each 1 % of what it may hold', async () => {
    const database = await testDatabase();
    const { runs } = storesOfRuns(database, { keepSpend: 300 });
    const fence = await start(runs);
    const rows: number[] = [];
    for (let seq = 1; seq <= 310; seq++) {
      await runs.commit(fence, { ops: [opRecord('r1', seq)], spend: [spendRecord] });
      if (seq < 300) continue;
      const [ledger] = await database.many('select count(*) as n from svc__spend');
      rows.push(Number(ledger?.['n']));
    }
    expect(Math.max(...rows)).toBe(302);
    expect(Math.min(...rows)).toBe(300);
  });

  it('leaves 100,000 rows of the ledger and 10,000 deliveries unless told', async () => {
    const database = await testDatabase();
    const { runs } = storesOfRuns(database);
    const fence = await start(runs);
    const numbers = (limit: number): string =>
      `with recursive c(n) as (select 1 union all select n + 1 from c where n < ${limit})`;
    await database.write([
      {
        sql: `${numbers(100_000)} insert into svc__spend select n, 0, 'c', 'm', 'p', 0, 0, 0, 0, 0, 0 from c`,
      },
      {
        sql: `${numbers(10_000)} insert into svc__outbox (id, endpoint, added_ms, since_ms, due_ms, delivery)
          select 'x' || n, 'e' || n % 10, 0, 0, 0, '{}' from c`,
      },
    ]);
    const notice = { id: 'n', endpoint: 'watcher:yard', body: null };
    await runs.commit(fence, { ops: [opRecord('r1', 1)], spend: [spendRecord], notices: [notice] });
    const rows = (table: string) => database.many(`select count(*) as n, min(n) as low from ${table}`);
    expect(await rows('svc__spend')).toEqual([{ n: 100_000, low: 2 }]);
    expect(await rows('svc__outbox')).toMatchObject([{ n: 10_000 }]);
  });
});

describe('the clock of a process', () => {
  const withClockOff = (byMs: number): void => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + byMs });
    onTestFinished(() => void vi.useRealTimers());
  };

  it.each([hourMs, -hourMs])('does not matter for leases when it is off by %i ms', async (byMs) => {
    const { runs } = storesOfRuns(await testDatabase());
    await start(runs, 'held');
    withClockOff(byMs);
    expect(await runs.take('q', 9, 600_000)).toEqual([]);
    await start(runs, 'dead', 0);
    expect((await runs.take('q', 9, 600_000)).map(({ fence }) => fence.rootId)).toEqual(['dead']);
    expect(await runs.renew('q', 600_000, ['dead'])).toEqual(['dead']);
    vi.useRealTimers();
    expect(await runs.take('z', 9, 600_000)).toEqual([]);
  });

  it.each([hourMs, -hourMs])('does not matter for approvals when it is off by %i ms', async (byMs) => {
    const { runs } = storesOfRuns(await testDatabase());
    const fence = await start(runs);
    const beforeMs = Date.now();
    withClockOff(byMs);
    const requestedMs = Date.now();
    const asked = (id: string, seq: number, expiresMs: number) =>
      approvalRecord(id, { runId: 'r1', seq, requestedMs, expiresMs });
    const approvals = [asked('open', 1, requestedMs + 60_000), asked('over', 2, requestedMs)];
    await runs.commit(fence, { ops: [], approvals });
    const approve = { status: 'approved', note: '', by: 'ops' } as const;
    expect(await runs.expire()).toEqual(['r1']);
    expect(await runs.decide('over', approve)).toEqual({ outcome: 'expired' });
    expect(await runs.decide('open', approve)).toEqual({ outcome: 'decided', rootId: 'r1' });
    const open = await runs.approval('open');
    expect(Math.abs((open?.requestedMs ?? 0) - beforeMs)).toBeLessThan(60_000);
    expect((open?.expiresMs ?? 0) - (open?.requestedMs ?? 0)).toBe(60_000);
  });
});

describe('expire', () => {
  it('marks more approvals than one transaction takes', async () => {
    const { runs } = storesOfRuns(await testDatabase());
    const fence = await start(runs);
    const approvals = Array.from({ length: 401 }, (_, seq) =>
      approvalRecord(`a${seq}`, { runId: 'r1', seq, expiresMs: 0 }),
    );
    await runs.commit(fence, { ops: [], approvals });
    expect(await runs.expire()).toEqual(['r1']);
    expect(await runs.approvals({ status: 'expired', limit: 500 })).toHaveLength(401);
    expect(await runs.park(fence)).toMatchObject({ outcome: 'woken', fence: { wakes: 401 } });
  });
});
