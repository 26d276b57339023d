import { describe, expect, it } from 'vitest';
import { parseSql } from '../../src/database/sql-text.ts';
import { insertTarget } from '../../src/query/insert-target.ts';

describe('insertTarget', () => {
  it.each([
    ['insert into notes (a) values (1)', 'notes'],
    ['INSERT OR REPLACE INTO notes(a) VALUES (1)', 'notes'],
    ['replace into "my ""notes""" default values', 'my "notes"'],
    ['insert into [my notes] select 1', 'my notes'],
    ["insert into 'it''s' select 1", "it's"],
    ['insert into `notes`as n(a) values (1)', 'notes'],
    ['insert /* into one */ into -- into two\n three values (1)', 'three'],
    ['insert into main.notes values (1)', 'notes'],
    ['insert into "main" . "notes" values (1)', 'notes'],
    ["with a as (select 'insert into b' as into_c) insert into d select * from a", 'd'],
    ['with "into" as (select 1) insert into größe select * from "into"', 'größe'],
    ['insert into other.notes values (1)', undefined],
    ['insert into temp.notes values (1)', undefined],
    ['update notes set a = 1', undefined],
    ['delete from notes', undefined],
  ])('of %s', (sql, table) => {
    expect(insertTarget(parseSql(sql))).toBe(table);
  });
});
