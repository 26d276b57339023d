import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HTTPError } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { describe, expect, it } from 'vitest';
import { Connection } from '../../src/database/driver/connection.ts';
import { parseSql, type SqlText } from '../../src/database/sql-text.ts';
import { drizzleIn, toDrizzle } from '../../src/database/to-drizzle.ts';
import { SqlTransaction } from '../../src/index.ts';
import { fileDatabase, testDatabase } from '../open.ts';

const create = { sql: 'create table t (id integer primary key, a text unique)' };
const insert = (a: string) => ({ sql: 'insert into t (a) values (?)', args: [a] });
const places = [
  ['in memory', testDatabase],
  ['in a file', fileDatabase],
] as const;

describe.each(places)('SqlDatabase %s', (_, open) => {
  const opened = async (options = {}) => {
    const database = await (open === testDatabase
      ? testDatabase(':memory:', options)
      : fileDatabase(options));
    await database.write([create]);
    return database;
  };

  it('says how many rows changed, and which row was inserted last', async () => {
    const database = await opened();
    const [first, second] = await database.write([insert('a'), insert('b')]);
    expect([first?.affected, second?.lastInsertId]).toEqual([1, 2]);
    const [updated] = await database.write([{ sql: "update t set a = a || '!'" }]);
    expect(updated?.affected).toBe(2);
    const [returned] = await database.write([{ sql: 'delete from t returning id, a' }]);
    expect(returned).toEqual({
      columns: ['id', 'a'],
      rows: [
        [1, 'a!'],
        [2, 'b!'],
      ],
      affected: 2,
      lastInsertId: null,
    });
  });

  it('refuses to write where it reads', async () => {
    const database = await opened();
    await expect(database.many('delete from t')).rejects.toThrow('does not only read');
    await expect(database.many('select 1; delete from t')).rejects.toThrow('more than one statement');
    await expect(database.many('pragma user_version = 7')).rejects.toThrow('begins with PRAGMA');
    await expect(database.write([{ sql: 'commit' }])).rejects.toThrow('begins with COMMIT');
  });

  it('runs a statement with its new values after it failed with others, when only the first row is wanted', async () => {
    const database = await opened();
    const one = (a: string) =>
      database.write([{ sql: 'insert into t (a) values (?) returning a', args: [a], rows: 'one' }]);
    await one('a');
    await expect(one('a')).rejects.toMatchObject({ status: 409 });
    expect(await one('b')).toMatchObject([{ rows: [['b']] }]);
    const member = (text: string) =>
      database.read([{ sql: "select json_extract(?, '$.a')", args: [text], rows: 'first' }]);
    await expect(member('{')).rejects.toMatchObject({ status: 422 });
    expect(await member('{"a":7}')).toMatchObject([{ rows: [[7]] }]);
  });

  it('reads several statements in one state', async () => {
    const database = await opened();
    await database.write([insert('a')]);
    const results = await database.read([{ sql: 'select a from t' }, { sql: 'select count(*) from t' }]);
    expect(results.map(({ rows }) => rows)).toEqual([[['a']], [[1]]]);
  });

  it('reads the first row alone where no other is asked for, and then sees what is written next', async () => {
    const database = await opened();
    await database.write([insert('a'), insert('b'), insert('c')]);
    const first = { sql: 'select a from t order by id desc', rows: 'first' } as const;
    const none = { sql: 'select a from t where id > 9', rows: 'first' } as const;
    for (const newest of ['c', 'd', 'e']) {
      const [one, nothing] = await database.read([first, none]);
      expect(one).toMatchObject({ columns: ['a'], rows: [[newest]] });
      expect(nothing?.rows).toEqual([]);
      await database.write([insert(String.fromCharCode(newest.charCodeAt(0) + 1))]);
    }
    const [changed] = await database.write([{ sql: 'delete from t returning id', rows: 'first' }]);
    expect(changed?.rows).toHaveLength(6);
  });

  it('finds the first row, and the only one of a change, after the same statement found none', async () => {
    const database = await opened();
    const select = 'select a from t where a = ?';
    const update = 'update t set id = id where a = ? returning a';
    await database.write([insert('x')]);
    const [, first] = await database.read([
      { sql: select, args: ['none'] },
      { sql: select, args: ['x'], rows: 'first' },
    ]);
    const [, only] = await database.write([
      { sql: update, args: ['none'] },
      { sql: update, args: ['x'], rows: 'one' },
    ]);
    expect([first?.rows, only?.rows]).toEqual([[['x']], [['x']]]);
    expect(await database.many(select, ['x'])).toEqual([{ a: 'x' }]);
  });

  it('shows rows without members of its own', async () => {
    const database = await opened();
    await database.write([insert('a')]);
    const [row] = await database.many('select * from t');
    expect(Object.keys(row!)).toEqual(['id', 'a']);
  });

  it('shows new columns after the table changed', async () => {
    const database = await opened();
    await database.write([insert('a')]);
    await database.many('select * from t');
    await database.write([{ sql: 'alter table t rename column a to b' }]);
    expect(await database.many('select * from t')).toEqual([{ id: 1, b: 'a' }]);
    await database.write([{ sql: 'alter table t add column c' }]);
    expect(await database.many('select * from t')).toEqual([{ id: 1, b: 'a', c: null }]);
  });

  it('commits a transaction when its function resolves, and undoes it when it throws', async () => {
    const database = await opened();
    const seen = await database.transaction(async (transaction) => {
      await transaction.run('insert into t (a) values (?)', ['a']);
      return transaction.many('select a from t');
    });
    expect(seen).toEqual([{ a: 'a' }]);
    const reason = new Error('changed my mind');
    const undone = database.transaction(async (transaction) => {
      await transaction.run('delete from t');
      throw reason;
    });
    await expect(undone).rejects.toBe(reason);
    expect(await database.many('select a from t')).toEqual([{ a: 'a' }]);
  });

  it('leaves what a transaction throws as it is, also when it looks like trouble with a server', async () => {
    const database = await opened();
    const reason = Object.assign(new Error('fetch failed'), { code: 'ECONNREFUSED' });
    await expect(database.transaction(() => Promise.reject(reason))).rejects.toBe(reason);
  });

  it('goes on with a transaction after a statement that failed', async () => {
    const database = await opened();
    const status = await database.transaction(async (transaction) => {
      await transaction.run('insert into t (a) values (?)', ['a']);
      const refused = await transaction
        .run('insert into t (a) values (?)', ['a'])
        .catch((error: HTTPError) => error.status);
      await transaction.run('insert into t (a) values (?)', ['b']);
      return refused;
    });
    expect(status).toBe(409);
    expect(await database.many('select a from t order by a')).toEqual([{ a: 'a' }, { a: 'b' }]);
  });

  it('runs several statements of a transaction at once, those before one that fails included', async () => {
    const database = await opened();
    await database.many('select * from t');
    const refused = database.transaction(async (transaction) => {
      await transaction.runAll([]);
      await transaction.runAll([
        "insert into t (a) values ('a') -- the last line",
        'alter table t add column b',
      ]);
      expect(await transaction.many('select a, b from t')).toEqual([{ a: 'a', b: null }]);
      await transaction
        .runAll(["insert into t (a) values ('b')", "insert into t (a) values ('b')"])
        .catch(({ status }: HTTPError) => expect(status).toBe(409));
      expect(await transaction.many('select a from t')).toHaveLength(2);
      await transaction.runAll(["insert into t (a) values ('c')", 'select * from nowhere']);
    });
    await expect(refused).rejects.toThrow('SQLITE_ERROR');
    expect(await database.many('select * from t')).toEqual([]);
    let late: SqlTransaction | undefined;
    await database.transaction(async (transaction) => {
      late = transaction;
      await transaction.runAll([
        `create trigger t_twice after insert on t begin delete from t; end`,
        'drop table t',
      ]);
    });
    await expect(late?.runAll(['create table t (a)'])).rejects.toThrow('has ended this transaction');
    expect(await database.many("select name from sqlite_schema where name like 't%'")).toEqual([]);
  });

  it('hides an open transaction from readers, and lets writers wait for it', async () => {
    const database = await opened();
    const order: string[] = [];
    let write: Promise<unknown> = Promise.resolve();
    let read: Promise<unknown> = Promise.resolve();
    let begun = (): void => undefined;
    const open = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const working = database.transaction(async (transaction) => {
      await transaction.run('insert into t (a) values (?)', ['a']);
      begun();
      await sleep(50);
      await transaction.run('delete from t');
      order.push('transaction');
    });
    await open;
    read = database.many('select * from t');
    write = database.write([insert('b')]).then(() => order.push('write'));
    expect(await read).toEqual([]);
    await Promise.all([working, write]);
    expect(order).toEqual(['transaction', 'write']);
  });

  it('shows a reader that waited nothing of a transaction that was undone', async () => {
    const database = await opened();
    let read: Promise<unknown> = Promise.resolve();
    const undone = database.transaction(async (transaction) => {
      await transaction.run('insert into t (a) values (?)', ['a']);
      await sleep(20);
      throw new Error('changed my mind');
    });
    await sleep(10);
    read = database.many('select a from t');
    await expect(undone).rejects.toThrow('changed my mind');
    expect(await read).toEqual([]);
  });

  it('runs the function of a transaction in the context of its caller', async () => {
    const database = await opened();
    const request = new AsyncLocalStorage<string>();
    const seen = await Promise.all(
      ['a', 'b', 'c'].map((id) =>
        request.run(id, () => database.transaction(async () => request.getStore())),
      ),
    );
    expect(seen).toEqual(['a', 'b', 'c']);
  });

  it('undoes a transaction at its deadline, 503, and lets others write', async () => {
    const database = await opened({ transactionMs: 100 });
    let late: Promise<unknown> = Promise.resolve();
    const slow = database.transaction(async (transaction) => {
      await transaction.run('insert into t (a) values (?)', ['a']);
      late = sleep(300).then(() => transaction.run('insert into t (a) values (?)', ['late']));
      late.catch(() => undefined);
      await late;
    });
    await expect(slow).rejects.toMatchObject({ status: 503 });
    await database.write([insert('b')]);
    await expect(late).rejects.toMatchObject({ status: 503 });
    expect(await database.many('select a from t')).toEqual([{ a: 'b' }]);
  });

  it('refuses to be asked from inside a transaction, where it would wait for itself', async () => {
    const database = await opened();
    const inside = (work: () => Promise<unknown>) => database.transaction(async () => void (await work()));
    const refusal = 'inside a transaction, use the transaction and not the database';
    await expect(inside(() => database.write([insert('a')]))).rejects.toThrow(refusal);
    await expect(inside(() => database.transaction(async () => 1))).rejects.toThrow(refusal);
    await expect(inside(() => database.many('select 1'))).rejects.toThrow(refusal);
    let left: Promise<unknown> = Promise.resolve();
    await inside(async () => {
      left = sleep(50).then(() => database.write([insert('afterwards')]));
    });
    await left;
    expect(await database.many('select a from t')).toEqual([{ a: 'afterwards' }]);
  });

  it('gives others a handle of the transaction, and knows it again', async () => {
    const database = await opened();
    await database.transaction(async ({ handle }) => {
      await SqlTransaction.of(handle).run('insert into t (a) values (?)', ['by handle']);
    });
    expect(await database.many('select a from t')).toEqual([{ a: 'by handle' }]);
  });

  it('says at boot what is wrong with a statement, and what comes out of a good one', async () => {
    const database = await opened();
    const problem = async (sql: string) => {
      const checked = await database.check(sql);
      return checked.ok ? checked.columns : checked.problem;
    };
    expect(await problem('select * from nowhere')).toBe('no such table: nowhere');
    expect(await problem('select a, b from t')).toContain('no such column: b');
    expect(await problem('select from t')).toContain('syntax error');
    expect(await problem('select 1; select 2')).toContain('more than one statement');
    expect(await problem('vacuum')).toContain('begins with VACUUM');
    expect(await problem('insert into t (a) values (:a)')).toEqual([]);
    expect(await problem('select id as number, a from t where id = ?')).toEqual(['number', 'a']);
    expect(await database.many('select count(*) as n from t')).toEqual([{ n: 0 }]);
  });

  it('logs statements slower than the limit, without their values', async () => {
    verifies('sql.slow-log');
    const lines: unknown[] = [];
    const database = await opened({ slowMs: 20, log: (...line: unknown[]) => void lines.push(line) });
    const quick = 'select ? as a';
    await database.many(quick, ['hunter2']);
    const slow =
      'with recursive c(n) as (select 1 union all select n + 1 from c where n < 500000) select count(*), ? from c';
    await database.many(slow, ['hunter2']);
    // What made the tables may have been slow on a busy machine.
    expect(lines).toContainEqual(['warn', 'a slow statement', { sql: slow, ms: expect.any(Number) }]);
    expect(JSON.stringify(lines)).not.toContain(quick);
    expect(JSON.stringify(lines)).not.toContain('hunter2');
  });

  it('undoes a part of a transaction alone, and what it was asked in it', async () => {
    const database = await opened();
    const add = (tx: SqlTransaction, a: string) => tx.run('insert into t (a) values (?)', [a]);
    await database.transaction(async (tx) => {
      await add(tx, 'kept');
      const undone = tx.nested(async () => {
        await add(tx, 'undone');
        await tx.nested(() => add(tx, 'undone with it'));
        throw new Error('no');
      });
      await expect(undone).rejects.toThrow('no');
      expect(await tx.nested(async () => (await add(tx, 'kept, too')).affected)).toBe(1);
    });
    expect(await database.many('select a from t')).toEqual([{ a: 'kept' }, { a: 'kept, too' }]);
  });

  it('builds statements with drizzle, in one commit and inside a transaction', async () => {
    const t = sqliteTable('t', { id: integer().primaryKey(), a: text() });
    const database = await opened();
    const drizzle = toDrizzle(database);
    const twice = drizzle.batch([drizzle.insert(t).values({ a: 'a' }), drizzle.insert(t).values({ a: 'a' })]);
    await expect(twice).rejects.toMatchObject({ status: 409 });
    expect(await drizzle.insert(t).values({ a: 'b' }).returning()).toEqual([{ id: 1, a: 'b' }]);
    await database.transaction(async (transaction) => {
      await drizzleIn(transaction).insert(t).values({ a: 'c' });
    });
    expect(await drizzle.select().from(t)).toEqual([
      { id: 1, a: 'b' },
      { id: 2, a: 'c' },
    ]);
    expect(await drizzle.select().from(t).get()).toEqual({ id: 1, a: 'b' });
  });
});

describe('a database file', () => {
  it('is in WAL mode, enforces foreign keys and keeps what was acknowledged over a power cut', async () => {
    verifies('sql.pragmas');
    const database = await fileDatabase();
    await database.write([
      { sql: 'create table parent (id integer primary key)' },
      { sql: 'create table child (id integer references parent)' },
    ]);
    const orphan = database.write([{ sql: 'insert into child values (1)' }]);
    await expect(orphan).rejects.toMatchObject({ status: 409 });
    const pragma = async (name: string) => (await database.many(`select * from pragma_${name}`))[0]?.[name];
    expect(await pragma('journal_mode')).toBe('wal');
    expect(await pragma('synchronous')).toBe(2);
    expect(await pragma('temp_store')).toBe(2);
    const quick = await fileDatabase({ synchronous: 'normal' });
    expect(await quick.many('select * from pragma_synchronous')).toEqual([{ synchronous: 1 }]);
  });

  it('is read by a connection that cannot write', async () => {
    const database = await fileDatabase();
    expect(await database.many('select query_only from pragma_query_only')).toEqual([{ query_only: 1 }]);
  });
});

describe('Connection', () => {
  it('keeps 500 prepared statements, those used last', () => {
    verifies('sql.cached-reads');
    const connection = new Connection(':memory:', 'create table t (a); insert into t values (1)');
    const texts = Array.from({ length: 501 }, (_, n) => parseSql(`select a, ${n} from t where a = ?`));
    const namesOf = (text: SqlText | undefined) => text && connection.run(text, [1n]).columns;
    const first = texts.slice(0, 500).map(namesOf);
    // The names of the columns are made once for each statement that is kept.
    expect(texts.slice(0, 500).every((text, n) => namesOf(text) === first[n])).toBe(true);
    namesOf(texts[500]);
    expect(namesOf(texts[1])).toBe(first[1]);
    expect(namesOf(texts[0])).not.toBe(first[0]);
    connection.close();
  });

  it('can be asked about its transaction after it is closed', () => {
    const connection = new Connection(':memory:', '');
    connection.close();
    expect(connection.inTransaction).toBe(false);
    connection.close();
  });
});
