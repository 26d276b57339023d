import { runRecord, verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import type { SqlSessionOptions } from '../../src/index.ts';
import { testDatabase } from '../open.ts';
import { storesOfRuns } from './stores-of-runs.ts';

async function opened(sessions?: SqlSessionOptions) {
  const stores = storesOfRuns(await testDatabase(), sessions ? { sessions } : {});
  const { runs, database } = stores;
  let last = 0;
  const begin = async (key: string) => {
    const runId = `r${++last}`;
    const spec = { ...runRecord(runId).spec, session: { key, reset: false } };
    const started = await runs.start(runRecord(runId, { spec }), 'p', 600_000);
    if (started.outcome !== 'started') throw new Error(started.outcome);
    return started.fence;
  };
  const turn = async (key: string, message = key): Promise<void> => {
    const fence = await begin(key);
    const end = { status: 'completed', output: null, error: null } as const;
    await runs.finish(fence, { runId: fence.rootId, ...end, session: { messages: [message] } });
    // As if each turn had come later than the one before.
    await database.write([{ sql: 'update svc__session set touched_ms = touched_ms - 10' }]);
  };
  const age = (key: string, ms: number) =>
    database.write([
      { sql: 'update svc__session set touched_ms = touched_ms - ? where key = ?', args: [ms, key] },
    ]);
  const keys = async () =>
    (await database.many('select key from svc__session order by key')).map(({ key }) => key);
  const rows = async (table: string) => (await database.many(`select 1 from ${table}`)).length;
  return { ...stores, begin, turn, age, keys, rows };
}

describe('the capacity of sessions', () => {
  it.each([
    [2, ['a', 'b']],
    [3, ['a', 'b', 'c']],
    [4, ['b', 'c', 'd']],
  ])('holds the last 3 of %i', async (count, kept) => {
    const { turn, keys } = await opened({ capacity: 3 });
    for (const key of ['a', 'b', 'c', 'd'].slice(0, count)) await turn(key);
    expect(await keys()).toEqual(kept);
  });

  it('gives up the one that was not used for longest, with its messages and images', async () => {
    const { turn, keys, rows } = await opened({ capacity: 2 });
    await turn('a', 'x'.repeat(100_000));
    await turn('b');
    await turn('a');
    await turn('c');
    expect([await keys(), await rows('svc__session_message')]).toEqual([['a', 'c'], 3]);
    await turn('d');
    expect([await keys(), await rows('svc__session_message')]).toEqual([['c', 'd'], 2]);
    expect(await rows('svc__blob')).toBe(0);
  });

  it('never gives up one that a run holds, waiting ones included', async () => {
    verifies('session.held');
    const { begin, turn, runs, keys } = await opened({ capacity: 3 });
    await runs.park(await begin('a'));
    await begin('b');
    await turn('c');
    await turn('d');
    expect(await keys()).toEqual(['a', 'b', 'd']);
    await runs.release(await begin('e'));
    await expect(begin('f')).rejects.toThrow('full');
    expect(await keys()).toEqual(['a', 'b', 'e']);
  });

  it.each([
    [99, 'started'],
    [100, 'started'],
    [101, 'started'],
  ])('is 100 for a principal unless told: %i of them', async (count) => {
    verifies('session.per-caller.default');
    const { turn, age, sessions } = await opened();
    for (let i = 1; i <= count; i++) await turn(`k${i}`);
    await age('k2', 60_000);
    expect(await sessions.count()).toBe(Math.min(count, 100));
    expect((await sessions.load('k1')) === undefined).toBe(count > 100);
    await turn('one more');
    expect(await sessions.count()).toBe(100);
  });

  it.each([
    [999, 'started'],
    [1_000, 'full'],
  ])('is 1,000 for all unless told: behind %i of others a new one is %s', async (count, outcome) => {
    verifies('session.capacity.default');
    const { begin, database, rows } = await opened();
    await database.write([insertOthers(count, 0)]);
    const answer = await begin('new').then(
      () => 'started',
      (error: unknown) => String((error as Error).message),
    );
    expect([answer, await rows('svc__session')]).toEqual([outcome, 1_000]);
  });

  it('leaves out those whose time is over, which go in steps of 10', async () => {
    const { turn, database, rows } = await opened({ ttlMs: 60_000 });
    await database.write([insertOthers(1_000, 0), { sql: makeOld, args: [15] }]);
    await turn('new');
    expect(await rows('svc__session')).toBe(991);
    await turn('newer');
    expect(await rows('svc__session')).toBe(987);
  });

  it('goes down in steps of 10 where there were more before', async () => {
    const { turn, database, rows } = await opened({ perCaller: 3 });
    await database.write([insertOthers(20, 0), { sql: "update svc__session set owner = 'desk'" }]);
    const counts: number[] = [];
    for (const key of ['a', 'b', 'c', 'd']) {
      await turn(key);
      counts.push(await rows('svc__session'));
    }
    expect(counts).toEqual([11, 3, 3, 3]);
  });
});

/** Sessions of others, that were used within the last seconds. */
function insertOthers(count: number, ageMs: number) {
  return {
    sql: `with recursive c(n) as (select 1 union all select n + 1 from c where n < :count)
      insert into svc__session (key, owner, from_n, upto_n, touched_ms)
      select 'k' || n, 'p' || n, 1, 0, cast(unixepoch('subsec') * 1000 as integer) - 2000 - :ageMs + n from c`,
    args: { count, ageMs },
  };
}

const makeOld = 'update svc__session set touched_ms = touched_ms - 70000 where id <= ?';

describe('the time to live of sessions', () => {
  it.each([
    [50_000, ['x', 'y']],
    [60_000, ['y']],
  ])('counts from the last turn: %i ms of 60,000', async (ms, said) => {
    const { turn, age, sessions } = await opened({ ttlMs: 60_000 });
    await turn('a', 'x');
    await age('a', ms);
    expect(await sessions.count()).toBe(said.length === 2 ? 1 : 0);
    expect((await sessions.load('a'))?.messages).toEqual(said.length === 2 ? ['x'] : undefined);
    await turn('a', 'y');
    expect((await sessions.load('a'))?.messages).toEqual(said);
  });

  it('is an hour unless told', async () => {
    const { turn, age, sessions } = await opened();
    await turn('a');
    await age('a', 3_590_000);
    expect(await sessions.count()).toBe(1);
    await age('a', 10_000);
    expect(await sessions.count()).toBe(0);
  });

  it('does not run while a run holds the session', async () => {
    const { begin, turn, age, sessions, runs } = await opened({ ttlMs: 60_000 });
    await turn('a', 'x');
    await runs.park(await begin('a'));
    await age('a', 600_000);
    expect((await sessions.load('a'))?.messages).toEqual(['x']);
    await turn('b');
    expect(await sessions.count()).toBe(2);
  });

  it('makes room for others when it is over', async () => {
    const { turn, age, keys, rows } = await opened({ ttlMs: 60_000 });
    for (const key of ['a', 'b']) await turn(key);
    await age('a', 60_000);
    await turn('c');
    expect([await keys(), await rows('svc__session_message')]).toEqual([['b', 'c'], 2]);
  });
});

describe('a compaction', () => {
  it('takes what stands before the summary out of the database', async () => {
    const { begin, turn, runs, rows } = await opened();
    await turn('a', 'x'.repeat(100_000));
    const fence = await begin('a');
    const end = { status: 'completed', output: null, error: null } as const;
    const session = { messages: ['summary', 'y'], replaces: true };
    await runs.finish(fence, { runId: fence.rootId, ...end, session });
    expect([await rows('svc__session_message'), await rows('svc__blob')]).toEqual([2, 0]);
  });
});
