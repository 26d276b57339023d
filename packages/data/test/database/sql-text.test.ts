import { describe, expect, it } from 'vitest';
import { parseSql } from '../../src/database/sql-text.ts';

describe('parseSql', () => {
  it.each([
    ['select 1', 'read'],
    ['  -- why\n /* and how */ Select 1', 'read'],
    ['values (1)', 'read'],
    ['with a as (select 1) select * from a', 'read'],
    [
      'with recursive a(n) as (values (1) union all select n + 1 from a) insert into t select n from a',
      'write',
    ],
    ['with a as (select 1) delete from t', 'write'],
    ['insert into t values (1) returning *', 'write'],
    ['replace into t values (1)', 'write'],
    ['update t set a = 1', 'write'],
    ['delete from t', 'write'],
    ['create table t (a)', 'schema'],
    ['drop table t', 'schema'],
    ['begin', 'control'],
    ['commit', 'control'],
    ['savepoint a', 'control'],
    ['pragma user_version', 'control'],
    ['attach ? as other', 'control'],
    ['explain select 1', 'control'],
    ['vacuum into ?', 'control'],
  ])('knows what %j does', (sql, kind) => {
    expect(parseSql(sql).kind).toBe(kind);
  });

  it.each([
    ['select ?, ?', [undefined, undefined]],
    ['select ?2, ?', [undefined, undefined, undefined]],
    ['select :a, @b, $c, :a', ['a', 'b', 'c']],
    [`select ':a', "?", [:b], \`?\`, 'it''s :c' -- :d\n /* ? */, :e`, ['e']],
    ['select :größe', ['größe']],
    ["select a -> '$.b' from t where c = ?", [undefined]],
  ])('numbers the parameters of %j', (sql, parameters) => {
    expect(parseSql(sql).parameters).toEqual(parameters);
  });

  it.each(['select 1; select 2', "select ';'; delete from t", 'select 1; -- and\n drop table t'])(
    'refuses %j, of which only the first statement would run',
    (sql) => {
      expect(() => parseSql(sql)).toThrow('holds more than one statement');
    },
  );

  it.each(['select 1;', 'select 1 ; -- done', "select ';'"])('takes %j as one statement', (sql) => {
    expect(parseSql(sql).kind).toBe('read');
  });

  it('takes the body of a trigger as part of its statement', () => {
    const sql = 'create temp trigger x after insert on t begin delete from a; delete from b; end';
    expect(parseSql(sql).kind).toBe('schema');
  });

  it('refuses parameters of both kinds', () => {
    expect(() => parseSql('select ?, :a')).toThrow('mixes ? and named parameters');
  });

  it.each(['', '  -- nothing', ';'])('refuses %j', (sql) => {
    expect(() => parseSql(sql)).toThrow('holds no statement');
  });
});
