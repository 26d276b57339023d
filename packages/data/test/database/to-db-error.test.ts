import { HTTPError } from '@waymark/contract';
import { testHost, verifies } from '@waymark/contract/testing';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { describe, expect, it } from 'vitest';
import { SqlFault, toSqlFault } from '../../src/database/sql-fault.ts';
import { toDbError } from '../../src/database/to-db-error.ts';
import { toDrizzle } from '../../src/database/to-drizzle.ts';
import { fileDatabase } from '../open.ts';

const secret = 'hunter2';

async function refused(sql: string, args: readonly unknown[] = [secret]) {
  const host = testHost();
  const database = await fileDatabase({ log: host.log, slowMs: 60_000 });
  await database.write([
    { sql: 'create table parent (id integer primary key)' },
    {
      sql: `create table t (id integer primary key, a text unique, b integer check (b < 100), c text not null default '',
        d integer references parent, e integer) strict`,
    },
    { sql: 'create virtual table f using fts5(text)' },
    { sql: 'insert into t (id, a) values (1, ?)', args: [secret] },
  ]);
  const error: unknown = await (sql.startsWith('select')
    ? database.many(sql, args)
    : database.write([{ sql, args }])
  ).catch((reason: unknown) => reason);
  return { error, logs: host.logs, database };
}

describe('toDbError', () => {
  it.each([
    ['insert into t (a) values (?)', [secret], 409, 'a row with these values exists already'],
    ['insert into t (id) values (?)', [1], 409, 'a row with this key exists already'],
    ['insert into t (b) values (?)', [100], 409, 'a value is outside what the table allows'],
    ['insert into t (c) values (?)', [null], 409, 'a required value is missing'],
    [
      'insert into t (d) values (?)',
      [7],
      409,
      'a row that this refers to does not exist, or this row is still referred to',
    ],
    ['insert into t (e) values (?)', [secret], 422, 'a value has the wrong type'],
    ['select * from f where f match ?', [`${secret}"`], 422, 'a value cannot be used here'],
    ['select json_extract(?, ?)', [`{${secret}`, '$'], 422, 'a value cannot be used here'],
    ['select abs(?)', [-(2n ** 63n)], 422, 'a value cannot be used here'],
    ['select zeroblob(?)', [2 ** 40], 422, 'a value is too large'],
  ])('answers %j', async (sql, args, status, message) => {
    const { error, logs } = await refused(sql, args);
    expect(error).toBeInstanceOf(HTTPError);
    expect(error).toMatchObject({ status, message });
    expect((error as HTTPError).cause).toBeInstanceOf(SqlFault);
    expect(logs).toMatchObject([{ level: 'debug', message: 'the database refused', fields: { sql } }]);
  });

  it('answers a missing table as a fault of the program, not of the caller', async () => {
    const { error, logs } = await refused('select * from nowhere where a = ?');
    expect(error).not.toBeInstanceOf(HTTPError);
    expect(logs).toMatchObject([{ level: 'error', fields: { fault: 'SQLITE_ERROR' } }]);
  });

  it.each([
    'insert into t (a) values (?)',
    'insert into t (e) values (?)',
    "select * from f where f match ? || '\"'",
    'select * from nowhere where a = ?',
    'select nothing from t where a = ?',
  ])('lets no value, SQL, path or word of the driver out of %j', async (sql) => {
    verifies('http.problem.nothing-leaks');
    const { error, logs } = await refused(sql);
    for (
      let cause = error as Error | undefined;
      cause instanceof Error;
      cause = cause.cause as Error | undefined
    ) {
      expect(cause.message).not.toMatch(/hunter2|insert into|select|\.db|failed|no such/i);
      expect(Object.values(cause).join()).not.toContain(secret);
    }
    expect(JSON.stringify(logs)).not.toContain(secret);
  });

  it('names the constraint in the log', async () => {
    const { logs } = await refused('insert into t (a) values (?)');
    expect(logs[0]?.fields).toMatchObject({ fault: 'SQLITE_CONSTRAINT_UNIQUE (t.a)' });
  });

  it('keeps values out of what drizzle throws', async () => {
    const t = sqliteTable('t', { id: integer().primaryKey(), a: text() });
    const { database } = await refused('select 1', []);
    const error: unknown = await toDrizzle(database)
      .insert(t)
      .values({ a: secret })
      .catch((reason: unknown) => reason);
    const mapped = toDbError(error);
    expect(mapped).toMatchObject({ status: 409, message: 'a row with these values exists already' });
    expect(String(mapped)).not.toContain(secret);
  });

  it('takes the infinite number of a server, of which it sends null, for no outage', () => {
    const error = Object.assign(new Error('HRANA_PROTO_ERROR: Expected number, received null'), {
      code: 'HRANA_PROTO_ERROR',
    });
    const mapped = toDbError(error);
    expect(mapped).not.toBeInstanceOf(HTTPError);
    expect(mapped).toMatchObject({
      message: expect.stringContaining('a column holds a number beyond 1.8e308'),
    });
    const other = Object.assign(new Error('HRANA_PROTO_ERROR: Expected object'), {
      code: 'HRANA_PROTO_ERROR',
    });
    expect(toDbError(other)).toMatchObject({ status: 503 });
  });

  it.each([
    [{ code: 'SQLITE_BUSY' }, 503, 'the database is busy'],
    [{ code: 'SQLITE_BUSY_SNAPSHOT' }, 503, 'the database is busy'],
    [{ code: 'SQLITE_FULL' }, 503, 'the database is full'],
    [{ code: 'SQLITE_IOERR_WRITE' }, 503, 'the database cannot be written or read'],
    [{ code: 'SQLITE_CORRUPT' }, 503, 'the database cannot be read'],
    [{ code: 'UNKNOWN_SQLITE_ERROR_8458', rawCode: 8458 }, 503, 'the database cannot be read'],
    [{ code: 'ERR_SQLITE_ERROR', errcode: 8458 }, 503, 'the database cannot be read'],
    [{ code: 'ERR_SQLITE_ERROR', errcode: 14 }, 503, 'the database cannot be opened'],
    [{ code: 'ERR_SQLITE_ERROR', errcode: 1555 }, 409, 'a row with this key exists already'],
    [{ code: 'ERR_SQLITE_ERROR', errcode: 2579 }, 409, 'a row with this key exists already'],
    [{ code: 'ERR_SQLITE_ERROR', errcode: 3091 }, 422, 'a value has the wrong type'],
    [{ code: 'ERR_SQLITE_ERROR', errcode: 18 }, 422, 'a value is too large'],
    [{ code: 'ERR_SQLITE_ERROR', errcode: 5 | (9 << 8) }, 503, 'the database is busy'],
    [{ code: 'HRANA_WEBSOCKET_ERROR' }, 503, 'the database cannot be reached'],
    [{ message: 'fetch failed' }, 503, 'the database cannot be reached'],
    [{ code: 'TRANSACTION_TIMEOUT' }, 503, 'the database is busy'],
    [
      { code: 'ARGS_INVALID', message: 'Arguments do not match SQL parameters: string or blob too big' },
      422,
      'a value is too large',
    ],
    [{ code: 'RESPONSE_TOO_LARGE', message: 'Response is too large' }, 422, 'a value is too large'],
    [
      { code: 'SERVER_ERROR', message: 'Server returned HTTP status 401' },
      502,
      'the database refuses access',
    ],
    [
      { code: 'SERVER_ERROR', message: 'Server returned HTTP status 502' },
      503,
      'the database cannot be reached',
    ],
    [
      { code: 'SQLITE_CONSTRAINT', message: 'SQLite error: UNIQUE constraint failed: t.a' },
      409,
      'a row with these values exists already',
    ],
    [
      { code: 'SQLITE_CONSTRAINT', message: 'SQLite error: cannot store TEXT value in INTEGER column t.e' },
      422,
      'a value has the wrong type',
    ],
    [
      { code: 'SQLITE_CONSTRAINT', extendedCode: 'SQLITE_CONSTRAINT_NOTNULL' },
      409,
      'a required value is missing',
    ],
    [{ code: 'SQLITE_CONSTRAINT_TRIGGER' }, 409, 'a rule of the table does not allow this'],
  ])('reads %j', (members, status, message) => {
    const error = Object.assign(new Error('message' in members ? members.message : 'driver'), members);
    expect(toDbError(error)).toMatchObject({ status, message });
    if (status === 503) expect((toDbError(error) as HTTPError).headers).toEqual({ 'retry-after': '1' });
  });

  it('leaves errors alone that are not about the database', () => {
    const bug = new TypeError('x is not a function');
    const answer = new HTTPError(404, 'no such ticket');
    expect([toDbError(bug), toDbError(answer), toDbError('text')]).toEqual([bug, answer, 'text']);
    expect(toSqlFault(bug)).toBeUndefined();
  });
});
