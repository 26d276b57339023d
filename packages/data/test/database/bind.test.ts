import { describe, expect, it } from 'vitest';
import { bind, bindAll } from '../../src/database/bind.ts';
import { parseSql } from '../../src/database/sql-text.ts';
import { fileDatabase, testDatabase } from '../open.ts';
import { outputOf, spawnScript } from '../processes/spawn.ts';

describe('bind', () => {
  it.each([
    [true, 1n],
    [false, 0n],
    [7, 7n],
    [-7, -7n],
    [1.5, 1.5],
    [2 ** 53 - 1, 9007199254740991n],
    [2 ** 53, 2 ** 53],
    [1e300, 1e300],
    ['ä', 'ä'],
    [null, null],
    [undefined, null],
    [2n ** 63n - 1n, 2n ** 63n - 1n],
    [new Uint8Array([1]), new Uint8Array([1])],
    [new Uint8Array([1]).buffer, new Uint8Array([1])],
  ])('makes %s what SQLite stores', (value, bound) => {
    expect(bind(value)).toEqual(bound);
  });

  it.each([
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    new Date(0),
    { a: 1 },
    [1],
    Symbol('a'),
    () => 1,
    2n ** 63n,
    -(2n ** 63n) - 1n,
  ])('refuses what SQLite has no type for: %s', (value) => {
    expect(() => bind(value)).toThrow('cannot be stored');
  });
});

describe('bindAll', () => {
  it('puts names in the order of the statement', () => {
    expect(bindAll(parseSql('select :b, $a, :b'), { a: 1, b: 2 })).toEqual([2n, 1n]);
  });

  it.each([
    ['select ?, ?', [1], 'the statement takes 2 values, not 1'],
    ['select ?', [1, 2], 'the statement takes 1 values, not 2'],
    ['select :a', {}, 'the value of "a" is missing'],
    ['select :a', { a: 1, b: 2 }, 'the statement has no parameter "b"'],
    ['select ?', { a: 1 }, 'the statement takes values by position'],
    ['select :constructor', {}, 'the value of "constructor" is missing'],
  ])('refuses values that do not fit %j', (sql, args, message) => {
    expect(() => bindAll(parseSql(sql), args)).toThrow(message);
  });
});

describe('values in a database', () => {
  it('are stored as integers when they are whole numbers', async () => {
    const database = await testDatabase();
    const sql =
      'select typeof(:whole) as whole, typeof(:half) as half, typeof(:yes) as yes, typeof(:none) as none';
    expect(await database.many(sql, { whole: 1, half: 0.5, yes: true, none: undefined })).toEqual([
      { whole: 'integer', half: 'real', yes: 'integer', none: 'null' },
    ]);
  });

  it('come back as they were: text, bytes, numbers', async () => {
    const database = await fileDatabase();
    const bytes = new Uint8Array([0, 255]);
    const [row] = await database.many('select ? as a, ? as b, ? as c, ? as d', [
      'ä',
      bytes,
      2 ** 53 - 1,
      -0.5,
    ]);
    expect({ ...row, b: [...(row!['b'] as Uint8Array)] }).toEqual({
      a: 'ä',
      b: [0, 255],
      c: 2 ** 53 - 1,
      d: -0.5,
    });
  });

  it('are refused and never rounded when an integer is beyond 2^53', async () => {
    const database = await testDatabase();
    await database.write([{ sql: 'create table t (big integer)' }]);
    await database.write([{ sql: 'insert into t values (?)', args: [9007199254740993n] }]);
    await expect(database.many('select big from t')).rejects.toThrow(
      'column "big" holds an integer beyond 2^53',
    );
    expect(await database.many('select cast(big as text) as big from t')).toEqual([
      { big: '9007199254740993' },
    ]);
  });

  it('are refused when a number is infinite, of which JSON would make null', async () => {
    const database = await testDatabase();
    const [infinite, least] = ['select 1 as a, 9e999 as big', 'select -9e999 as "so big"'];
    await expect(database.many(infinite)).rejects.toThrow(
      'column "big" holds a number beyond 1.8e308, of which JSON makes null; select cast("big" as text)',
    );
    await expect(database.many(least)).rejects.toThrow('column "so big"');
    expect(await database.many('select 1.7e308 as big, cast(9e999 as text) as text')).toEqual([
      { big: 1.7e308, text: 'Inf' },
    ]);
  });

  it('are refused when an integer is the least there is, which is no real number of that size', async () => {
    const database = await testDatabase();
    for (let times = 0; times < 2; times++)
      await expect(database.many('select ? as least', [-(2n ** 63n)])).rejects.toThrow('beyond 2^53');
    expect(await database.many('select -9223372036854775808.0 as least')).toEqual([{ least: -(2 ** 63) }]);
  });

  it.each<[string, readonly unknown[], readonly unknown[]]>([
    ['select ?3 as a, ? as b, ?1 as c, ? as d', [1, 2, 3, 4, 5], [3, 4, 1, 5]],
    ['select ?1 as a, ?3 as b', [1, 2, 3], [1, 3]],
    ['select ? as a, ?1 as b, ? as c', [1, 2], [1, 1, 2]],
    ["select ?01 as a, ?1 as b, '?' as c", [1], [1, 1, '?']],
  ])('stand at the positions that SQLite gives them: %s', async (sql, args, row) => {
    const database = await fileDatabase();
    const [read] = await database.read([{ sql, args }]);
    expect(read?.rows).toEqual([row]);
  });

  it('are the bytes that there were when the write was asked for, whatever became of their buffer', async () => {
    const database = await fileDatabase();
    await database.write([{ sql: 'create table t (a blob)' }]);
    const insert = (a: unknown) => database.write([{ sql: 'insert into t values (?)', args: [a] }]);
    const bytes = Uint8Array.of(1, 2, 3);
    const first = insert(bytes.subarray(1));
    bytes.fill(9);
    const second = insert(bytes.buffer);
    structuredClone(bytes.buffer, { transfer: [bytes.buffer] });
    await Promise.all([first, second]);
    await expect(insert(bytes)).rejects.toThrow('bytes that were given away cannot be stored');
    await insert('after');
    expect(await database.many('select hex(a) as a from t')).toEqual([
      { a: '0203' },
      { a: '090909' },
      { a: '6166746572' },
    ]);
  });

  it('are refused as 422 when they are text with a null character, which would be cut when it is read', async () => {
    const database = await testDatabase();
    await expect(database.many('select ? as a', ['a\0b'])).rejects.toMatchObject({ status: 422 });
  });

  it('are refused as 422 when they are text with half a character, which would be stored as another', async () => {
    const database = await testDatabase();
    for (const half of ['a\ud83d', '\udc00b', '\udc00\ud83d'])
      await expect(database.many('select ? as a', [half])).rejects.toMatchObject({ status: 422 });
    expect(await database.many('select ? as a', ['\u{1f600}'])).toEqual([{ a: '\u{1f600}' }]);
  });

  it('undo a write whose returned rows are refused', async () => {
    const database = await fileDatabase();
    await database.write([{ sql: 'create table t (big integer)' }]);
    const insert = { sql: 'insert into t values (?) returning big', args: [2n ** 60n] };
    await expect(database.write([insert])).rejects.toThrow('beyond 2^53');
    expect(await database.many('select count(*) as n from t')).toEqual([{ n: 0 }]);
  });

  it('never end the process, whatever they are', async () => {
    const { text, errors, code, signal } = await outputOf(spawnScript('bind-anything.ts'));
    expect({ code, signal, errors }).toEqual({ code: 0, signal: null, errors: '' });
    expect(JSON.parse(text)).toEqual({ bound: 12, refused: 8, closed: 'the database is closed' });
  });
});
