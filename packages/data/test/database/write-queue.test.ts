import { AsyncLocalStorage } from 'node:async_hooks';
import { join } from 'node:path';
import type { HTTPError } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Connection } from '../../src/database/driver/connection.ts';
import type { BoundStatement } from '../../src/database/driver/driver.ts';
import { ThreadWriter } from '../../src/database/driver/thread-writer.ts';
import { WriteQueue } from '../../src/database/driver/write-queue.ts';
import { DirectWriter } from '../../src/database/driver/writer.ts';
import type { SqlResult } from '../../src/database/sql-result.ts';
import { parseSql } from '../../src/database/sql-text.ts';
import { openDatabase, type SqlDatabase } from '../../src/index.ts';
import { fileDatabase, testDatabase, testFolder } from '../open.ts';

const create = { sql: 'create table t (id integer primary key, a text unique, b integer check (b < 100))' };
const insert = (a: unknown, b = 1) => ({ sql: 'insert into t (a, b) values (?, ?)', args: [a, b] });
const countRows = async (database: SqlDatabase) =>
  (await database.many('select count(*) as n from t'))[0]?.['n'];
const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);

describe('writes to one database', () => {
  it('fail alone: others of their group are stored', async () => {
    verifies('sql.one-writer');
    const database = await fileDatabase();
    await database.write([create]);
    const writes = numbers(40).map((n) => database.write([insert(n === 7 ? 'v3' : `v${n}`)]));
    const outcomes = await Promise.allSettled(writes);
    expect(outcomes.flatMap(({ status }, n) => (status === 'rejected' ? [n] : []))).toEqual([7]);
    expect(await countRows(database)).toBe(39);
  });

  it('fail alone for what is checked at the end of a commit', async () => {
    const database = await fileDatabase();
    const parent = 'parent integer references t(id) deferrable initially deferred';
    await database.write([create, { sql: `create table child (${parent})` }]);
    const outcomes = await Promise.allSettled([
      database.write([insert('before')]),
      database.write([{ sql: 'insert into child values (77)' }]),
      database.write([insert('before')]),
      database.write([insert('after')]),
    ]);
    expect(
      outcomes.map((one) => (one.status === 'rejected' ? (one.reason as Error).message : 'stored')),
    ).toEqual([
      'stored',
      'a row that this refers to does not exist, or this row is still referred to',
      'a row with these values exists already',
      'stored',
    ]);
    expect(await database.many('select a from t order by id')).toEqual([{ a: 'before' }, { a: 'after' }]);
    expect(await database.many('select parent from child')).toEqual([]);
  });

  it('are stored whole or not at all when they have several statements', async () => {
    const database = await fileDatabase();
    await database.write([create]);
    const [, failed] = await Promise.allSettled([
      database.write([insert('before')]),
      database.write([insert('a'), insert('b'), insert('a')]),
      database.write([insert('after')]),
    ]);
    expect(failed?.status).toBe('rejected');
    expect(await database.many('select a from t order by id')).toEqual([{ a: 'before' }, { a: 'after' }]);
  });

  it('are stored whole or not at all when one is alone in its commit', async () => {
    const database = await fileDatabase();
    await database.write([create]);
    await expect(database.write([insert('a'), insert('b'), insert('a')])).rejects.toMatchObject({
      status: 409,
    });
    expect(await countRows(database)).toBe(0);
    // A whole number in place of an integer beyond 2^53 is refused after the row was written.
    const unsafe = { sql: `insert into t (a) values ('c') returning ${2n ** 60n} as large` };
    await expect(database.write([unsafe])).rejects.toThrow('beyond 2^53');
    const infinite = { sql: "insert into t (a) values ('c') returning 9e999 as large" };
    await expect(database.write([infinite])).rejects.toThrow('"large" holds a number beyond 1.8e308');
    expect(await countRows(database)).toBe(0);
    await database.write([insert('d')]);
    expect(await database.many('select a from t')).toEqual([{ a: 'd' }]);
  });

  it('are all told when one of them undoes the whole group', async () => {
    const database = await fileDatabase();
    await database.write([create]);
    await database.write([insert('a')]);
    const rollback = { ...insert('a'), sql: 'insert or rollback into t (a, b) values (?, ?)' };
    const outcomes = await Promise.allSettled([
      database.write([insert('b')]),
      database.write([rollback]),
      database.write([insert('c')]),
    ]);
    const statuses = outcomes.map((one) =>
      one.status === 'rejected' ? (one.reason as HTTPError).status : 200,
    );
    expect(statuses).toEqual([503, 409, 503]);
    expect(await database.many('select a from t')).toEqual([{ a: 'a' }]);
    await database.write([insert('d')]);
    expect(await countRows(database)).toBe(2);
  });

  it('are seen by a reader as soon as they are acknowledged', async () => {
    const database = await fileDatabase();
    await database.write([create]);
    for (const n of numbers(20)) {
      await database.write([insert(`v${n}`)]);
      expect(await countRows(database)).toBe(n + 1);
    }
  });

  it.each([
    ['a file', 'full'],
    ['a file', 'normal'],
    ['memory', 'full'],
  ] as const)(
    'wait for one transaction of %s (%s) at most, and a transaction for one of each other caller',
    async (where, synchronous) => {
      verifies('sql.wait.sum');
      const caller = new AsyncLocalStorage<string>();
      const options = { synchronous, callerOf: () => caller.getStore() };
      const database =
        where === 'memory' ? await testDatabase(undefined, options) : await fileDatabase(options);
      await database.write([create]);
      const open: (() => void)[] = [];
      const hang = () => database.transaction(() => new Promise<void>((end) => void open.push(end)));
      const hanging = numbers(10).map(() => caller.run('attacker', hang));
      await expect.poll(() => open.length).toBe(1);
      const written = numbers(40).map((n) => database.write([insert(`v${n}`)]));
      const changed = caller.run('other', () =>
        database.transaction(async (transaction) => transaction.run('insert into t (a) values (?)', ['t'])),
      );
      open[0]?.();
      await Promise.all([...written, changed]);
      // Whoever was there before hangs on.
      expect(await countRows(database)).toBe(41);
      await expect.poll(() => open.length).toBe(2);
      for (let ended = 1; ended < hanging.length; ended++) {
        await expect.poll(() => open.length).toBe(ended + 1);
        open[ended]?.();
      }
      await Promise.all(hanging);
    },
  );

  it('are stored before the database is closed, and refused after', async () => {
    const url = `sqlite://${testFolder()}/closing.db`;
    const database = await openDatabase(url);
    await database.write([create]);
    const waiting = numbers(100).map((n) => database.write([insert(`v${n}`)]));
    const closed = database.close();
    await expect(database.write([insert('late')])).rejects.toMatchObject({ status: 503 });
    await closed;
    await Promise.all(waiting);
    expect(await countRows(await testDatabase(url))).toBe(100);
  });

  it('are not made when their signal fires before they begin', async () => {
    const database = await fileDatabase();
    await database.write([create]);
    const reason = new Error('gone away');
    const end = new AbortController();
    const [kept, given] = [database.write([insert('kept')]), database.write([insert('given')], end.signal)];
    end.abort(reason);
    await expect(given).rejects.toBe(reason);
    await expect(database.write([insert('never')], end.signal)).rejects.toBe(reason);
    await kept;
    expect(await database.many('select a from t')).toEqual([{ a: 'kept' }]);
  });
});

const nothing = (): void => undefined;
const put = parseSql('insert into put (what) values (?)');
const isFull = parseSql('insert into put (what) select synchronous from pragma_synchronous returning what');

/** A queue over a file, as a database has it, whose writers tell what they are given. */
async function fileQueue(processors = 2) {
  const path = join(testFolder(), 'queue.db');
  const connection = new Connection(path, 'PRAGMA journal_mode = WAL; PRAGMA synchronous = normal');
  connection.exec('create table put (what)');
  const setup = { path, setup: 'PRAGMA synchronous = full', mode: 'rwc', slowMs: 1_000 } as const;
  const aside = await ThreadWriter.open(setup, nothing, processors);
  const groups: { readonly size: number; readonly aside: boolean }[] = [];
  const direct = new DirectWriter(connection, nothing);
  const told = { direct: direct.group.bind(direct), aside: aside.group.bind(aside) };
  direct.group = (works) => {
    groups.push({ size: works.length, aside: false });
    return told.direct(works);
  };
  aside.group = (works) => {
    groups.push({ size: works.length, aside: true });
    return told.aside(works);
  };
  const queue = new WriteQueue(direct, { maxWaiting: 100, deadlineMs: 1_000, aside });
  onTestFinished(async () => {
    await queue.close();
    await aside.close();
    connection.close();
  });
  const write = (statement: BoundStatement, synchronous: 'full' | 'normal' = 'full') =>
    new Promise<readonly SqlResult[]>((done, failed) =>
      queue.add({ mode: 'group', synchronous, statements: [statement], done, failed }),
    );
  return { connection, groups, write };
}

describe('WriteQueue', () => {
  it('puts up to 32 writes in one transaction, and lets the event loop turn between groups', async () => {
    verifies('sql.one-writer');
    const connection = new Connection(':memory:', '');
    connection.exec('create table put (what)');
    const queue = new WriteQueue(new DirectWriter(connection, nothing), {
      maxWaiting: 100,
      deadlineMs: 1_000,
    });
    const groups: { readonly stored: unknown; readonly turn: number }[] = [];
    let turn = 0;
    let counting = true;
    const count = (): void => {
      turn++;
      if (counting) setImmediate(count);
    };
    setImmediate(count);
    const exec = connection.exec.bind(connection);
    const stored = parseSql('select count(*) from put');
    connection.exec = (sql) => {
      if (sql === 'COMMIT') groups.push({ stored: connection.run(stored, []).rows[0]?.[0], turn });
      exec(sql);
    };
    const statements = [{ text: put, values: ['x'] }];
    const writes = numbers(70).map(
      () =>
        new Promise((done, failed) =>
          queue.add({ mode: 'group', synchronous: 'full', statements, done, failed }),
        ),
    );
    await Promise.all(writes);
    counting = false;
    expect(groups.map((group) => group.stored)).toEqual([32, 64, 70]);
    expect(new Set(groups.map((group) => group.turn)).size).toBe(3);
    connection.close();
  });

  it('gives each write its own answer after one that cannot be sent to the thread', async () => {
    const { write } = await fileQueue();
    const bytes = new Uint8Array(1);
    structuredClone(bytes.buffer, { transfer: [bytes.buffer] });
    await expect(write({ text: put, values: [bytes] })).rejects.toThrow('detached');
    for (const what of ['a', 'b']) {
      const [result] = await write({
        text: parseSql('insert into put values (?) returning what'),
        values: [what],
      });
      expect(result?.rows).toEqual([[what]]);
    }
  });

  it.each([1, 2])(
    'leaves the event loop free while the disk takes a commit, of %i processors',
    async (processors) => {
      verifies('sql.acknowledged', 'sql.one-writer');
      const { write } = await fileQueue(processors);
      let turns = 0;
      let next = setImmediate(function turn() {
        turns++;
        next = setImmediate(turn);
      });
      await write({ text: parseSql('insert into put (what) values (zeroblob(30000000))'), values: [] });
      clearImmediate(next);
      // A write that blocks has been made before there is any but the one that began it.
      expect(turns).toBeGreaterThan(10);
    },
  );

  it('stores in one group what comes while the disk takes the one before', async () => {
    const { groups, write } = await fileQueue();
    const first = write({ text: put, values: ['first'] });
    await expect.poll(() => groups.length).toBe(1);
    const others = numbers(3).map((n) => write({ text: put, values: [BigInt(n)] }));
    await Promise.all([first, ...others]);
    expect(groups.map(({ size }) => size)).toEqual([1, 3]);
  });

  it('lets others have their turns while whoever waited for one group goes on', async () => {
    const { groups, write } = await fileQueue();
    let turns = 0;
    let next = setImmediate(function turn() {
      turns++;
      next = setImmediate(turn);
    });
    const goneOnIn = await Promise.all(
      numbers(32).map(async (n) => {
        await write({ text: put, values: [BigInt(n)] });
        const untilMs = performance.now() + 1;
        while (performance.now() < untilMs);
        return turns;
      }),
    );
    clearImmediate(next);
    expect(groups.map(({ size }) => size)).toEqual([32]);
    // Eight of them take more than 2 ms, and behind those a turn has room for two of the 24 that are left.
    expect(new Set(goneOnIn).size).toBeGreaterThan(6);
  });

  it('is told when the thread that writes has ended', async () => {
    const path = join(testFolder(), 'ended.db');
    const setup = { path, setup: '', mode: 'rwc', slowMs: 1_000 } as const;
    const aside = await ThreadWriter.open(setup, nothing);
    await aside.close();
    await aside.close();
    await expect(aside.group([[{ text: put, values: ['x'] }]])).rejects.toMatchObject({
      code: 'THREAD_ENDED',
    });
    await expect(ThreadWriter.open({ ...setup, path: testFolder() }, nothing)).rejects.toMatchObject({
      code: expect.stringMatching(/^SQLITE_CANTOPEN/) as string,
    });
  });

  it('tells the disk to keep a group for as long as the one of them that asks for most', async () => {
    const { groups, write } = await fileQueue();
    const groupOf = async (...levels: readonly ('full' | 'normal')[]) => {
      const results = await Promise.all(levels.map((level) => write({ text: isFull, values: [] }, level)));
      return results.map(([result]) => result?.rows[0]?.[0]);
    };
    expect(await groupOf('normal')).toEqual([1]);
    expect(await groupOf('normal', 'full', 'normal')).toEqual([2, 2, 2]);
    expect(await groupOf('full')).toEqual([2]);
    expect(await groupOf('normal', 'normal')).toEqual([1, 1]);
    expect(groups.map(({ aside }) => aside)).toEqual([false, true, true, false]);
  });

  it.each([
    [3, 3],
    [4, 4],
    [5, 4],
  ])('of %i writes at once takes %i when 4 may wait', async (count, taken) => {
    const database = await fileDatabase({ maxWaiting: 4 });
    await database.write([create]);
    const outcomes = await Promise.allSettled(numbers(count).map((n) => database.write([insert(`v${n}`)])));
    const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason as HTTPError] : []));
    expect(await countRows(database)).toBe(taken);
    expect(refused.map(({ status, headers }) => [status, headers])).toEqual(
      numbers(count - taken).map(() => [503, { 'retry-after': '1' }]),
    );
  });

  it('takes 10,000 waiting writes unless told', async () => {
    const database = await testDatabase();
    await database.write([create]);
    const writes = numbers(10_001).map((n) => database.write([insert(`v${n}`)]));
    const outcomes = await Promise.allSettled(writes);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(1);
    expect(outcomes.at(-1)?.status).toBe('rejected');
  });
});
