import type { RouteRequest } from '@waymark/contract';
import { HTTPError, type Values } from '@waymark/contract';
import { RouteResponse } from '@waymark/contract/engine';
import { matchesETag } from '@waymark/contract/http';
import { cutText } from '@waymark/contract/schema';
import type { Change } from '../change.ts';
import type { SqlResult } from '../database/sql-result.ts';
import type { Statement } from '../database/sql-transaction.ts';
import { type Row, toRows, toStored } from '../fields/stored.ts';
import { columnOf, type Filling, type RowTable } from './row-table.ts';
import { toRowTag } from './row-tag.ts';

/** The statement that reads the row of a key. */
export function selectRow({ selectOne, key }: RowTable, value: unknown): Statement {
  return { sql: selectOne, args: [toStored(key, value)], rows: 'first' };
}

/** The statement that stores a new row, of what was given; the rest is the table's to fill. */
export function insertRow(rowTable: RowTable, input: Values): Statement {
  const { table, columns, onInsert } = rowTable;
  const { names, marks, args } = given(rowTable, input, onInsert);
  const values = names.length === 0 ? 'default values' : `(${names.join(', ')}) values (${marks.join(', ')})`;
  return { sql: `insert into ${table} ${values} returning ${columns}`, args };
}

/** The statement that changes what was given, or only reads where nothing was. */
export function updateRow(rowTable: RowTable, input: Values): Statement {
  const { table, columns, key, fields, onUpdate } = rowTable;
  const { [key.name]: id, ...changes } = input;
  if (!fields.some(({ name }) => Object.hasOwn(changes, name))) return selectRow(rowTable, id);
  const { names, marks, args } = given(rowTable, changes, onUpdate);
  return {
    sql: `update ${table} set ${names.map((name, i) => `${name} = ${marks[i]}`).join(', ')} where ${columnOf(key)} = ? returning ${columns}`,
    args: [...args, toStored(key, id)],
  };
}

/** The statement that takes a row away. */
export function deleteRow({ table, key }: RowTable, value: unknown): Statement {
  return { sql: `delete from ${table} where ${columnOf(key)} = ?`, args: [toStored(key, value)] };
}

/** The columns of a statement, what stands for their values, and the values. */
interface Given {
  readonly names: readonly string[];
  readonly marks: readonly string[];
  readonly args: readonly unknown[];
}

function given({ fields }: RowTable, input: Values, fillings: readonly Filling[]): Given {
  const present = fields.filter(({ name }) => Object.hasOwn(input, name));
  const names = present.map(columnOf);
  const marks = present.map(({ column }) => column?.write ?? '?');
  const args = present.map((field) => toStored(field, input[field.name]));
  for (const { name, column, fill } of fillings) {
    if (Object.hasOwn(input, name)) continue;
    const filled = fill();
    names.push(column);
    marks.push(filled.sql);
    args.push(...filled.args);
  }
  return { names, marks, args };
}

/** One row with its tag. @throws {HTTPError} 404 */
export function rowResponse(
  rowTable: RowTable,
  id: unknown,
  result: SqlResult | undefined,
  status = 200,
  headersOf: (row: Row) => Readonly<Record<string, string>> = () => ({}),
): RouteResponse {
  const [row] = result ? toRows(rowTable.fields, result) : [];
  if (!row) throw noRow(rowTable, id);
  const text = JSON.stringify(row);
  return new RouteResponse(status, { kind: 'json', text }, { etag: toRowTag(text), ...headersOf(row) });
}

/** The answer where there is no row of a key. */
export function noRow({ name, key }: RowTable, id: unknown): HTTPError {
  return new HTTPError(404, `${name} has no row with the ${key.name} ${cutText(JSON.stringify(id))}`);
}

/** Whoever takes a weak tag for the row's own would read it again, and fail again. */
function unmatched(ifMatch: string): string {
  const isWeak = /^\s*W\//.test(ifMatch);
  return isWeak
    ? 'a weak tag (W/) matches nothing in If-Match: send the tag as the row came with it'
    : 'the row has changed since it was read';
}

/**
 * The conditions of `If-Match` and `If-None-Match`, if there are any (RFC 9110, 13.2.2): the row is as it was when the
 * caller read it; it is none that the caller has. They are looked at in the transaction of the change, so that of two
 * callers who read the same row one is told.
 */
export function whereConditionsHold(
  rowTable: RowTable,
  id: unknown,
  { 'if-match': ifMatch, 'if-none-match': ifNoneMatch }: RouteRequest['headers'],
): Pick<Change, 'condition'> {
  if (ifMatch === undefined && ifNoneMatch === undefined) return {};
  return {
    async condition(transaction) {
      const { sql, args } = selectRow(rowTable, id);
      const [row] = toRows(rowTable.fields, await transaction.run(sql, args));
      // Without a row the change itself says so.
      if (!row) return;
      const tag = toRowTag(JSON.stringify(row));
      if (ifMatch !== undefined && !matchesETag(ifMatch, tag, 'strong'))
        throw new HTTPError(412, unmatched(ifMatch));
      if (ifNoneMatch !== undefined && matchesETag(ifNoneMatch, tag))
        throw new HTTPError(412, 'there is such a row');
    },
  };
}
